"""A folder of data becomes the graph that is mined: which papers and citations, and what is cited for what.

Not trained on are papers after `until` or of an unknown year, held-out papers (`evaluate.datasets.held_out`),
and papers of evaluation sets, whatever their layout, by their ids and titles. Ids differ between data sets,
so that a title decides, too: the same words, in lower case. All papers with the title of one in an evaluation
set are left out, which costs a paper and hides no leak. Titles of fewer than four words ("Introduction")
identify no paper; such papers are found by their ids alone.

A citation has the intents of its contexts: those that they come with, else those that a classifier of
sentences predicts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from citewhy.base.errors import InputError
from citewhy.base.records import Context, Paper, SentenceInContext
from citewhy.ranking.classify import Classifier
from citewhy.ranking.intents.labels import intent_of_label
from citewhy.text.source import open_raw_lines, read_bytes
from citewhy.text.tokens import words
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.systems.aspects.graph import IntentGraph, bits
from citewhy_lab.train.systems.aspects.instances import Instances
from citewhy_lab.train.systems.aspects.settings import ASPECTS

_AT_A_TIME = 1000
"""Sentences given to the classifier at once."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A graph, and the texts of its papers in the order of its rows."""

    graph: IntentGraph
    papers: tuple[Paper, ...]
    left_out: dict[str, int]
    """Papers that are not trained on, by reason."""

    def links(self) -> dict[str, int]:
        """Returns numbers of citations by intent; those of several count for each."""
        counts = Counter(
            aspect for intents in self.graph.references.intents.tolist() for aspect in _names(intents)
        )
        return {aspect: counts[aspect] for aspect in (*ASPECTS, "unknown")}


def read_corpus(
    collection: Collection, until: int, classifier: Classifier | None, leaked: Set[str] = frozenset()
) -> Corpus:
    """Citations of `collection`, and those that its contexts show. `leaked` are canonical ids of papers that
    are in an evaluation set. Without a classifier, contexts that come without an intent have none."""
    left: Counter[str] = Counter()
    kept: dict[str, Paper] = {}
    for paper_id, paper in sorted(collection.papers.items()):
        if paper.year is None or paper.year > until:
            left[f"after {until}, or of an unknown year"] += 1
        elif paper_id in collection.held_out:
            left["held out"] += 1
        elif paper_id in leaked:
            left["in an evaluation set"] += 1
        else:
            kept[paper_id] = paper
    citations = _citations(collection, set(kept), classifier)
    return Corpus(IntentGraph(list(kept), citations), tuple(kept.values()), dict(left))


def intents_of(contexts: Sequence[Context], classifier: Classifier | None) -> Iterator[str]:
    """Yields one of `ASPECTS` for each context, or nothing where it is unknown. What a context states counts
    in the words of several data sets (`intent_of_label`)."""
    for start in range(0, len(contexts), _AT_A_TIME):
        block = contexts[start : start + _AT_A_TIME]
        stated = [intent_of_label(context.intent) for context in block]
        asked = [context for context, intent in zip(block, stated, strict=True) if intent is None]
        sentences = [SentenceInContext(question.text, section=question.section) for question in asked]
        predicted = iter(classifier.predict(sentences) if classifier is not None else [""] * len(asked))
        yield from (next(predicted) if intent is None else intent for intent in stated)


def _citations(
    collection: Collection, kept: Set[str], classifier: Classifier | None
) -> Iterable[tuple[str, str, int]]:
    canonical = collection.canonical
    for citation in collection.citations:
        yield canonical(citation.citing_id), canonical(citation.cited_id), 0
    contexts = [context for context in collection.contexts if canonical(context.citing_id) in kept]
    for context, intent in zip(contexts, intents_of(contexts, classifier), strict=True):
        for cited in context.cited_ids:
            yield canonical(context.citing_id), canonical(cited), bits([intent])


def _names(intents: int) -> list[str]:
    return [aspect for aspect in ASPECTS if intents & bits([aspect])] or ["unknown"]


# Papers of evaluation sets ---------------------------------------------------------------------------------

_MOST = 4 << 30
"""Bytes of a file that is read as a whole."""

_SHORTEST = 4
"""Words of a title that identifies a paper."""

_IDS = ("paper_id", "doc_id", "id", "corpus_id", "query_id", "citing_id")


def leaked(collection: Collection, files: Iterable[Path]) -> frozenset[str]:
    """Returns canonical ids of the papers of `collection` that occur in any of `files`.

    Read are JSON lines and JSON: of papers by id (SciDocs), of lines with an id and a title (MDCR, CSFCube,
    SciRepEval), with papers within papers (queries and candidates). Raises InputError for a file without any.
    """
    known = _Known(collection)
    ids: set[str] = set()
    for file in files:
        listed = list(papers_of(file))
        if not listed:
            raise InputError(
                "there are no papers in this file",
                path=file,
                hint=f"expected JSON or JSON lines with {', '.join(_IDS[:3])} and title",
            )
        ids.update(other_id for paper_id, title in listed for other_id in known.alike(paper_id, title))
    return frozenset(ids)


def without(
    instances: Instances,
    papers: Sequence[Paper],
    collection: Collection,
    used: Set[str],
    files: Iterable[Path] = (),
) -> Instances:
    """Returns the instances, whose rows are those of `papers`, without those with a paper that is not trained
    on: one that occurs in any of `files`, or is a paper of `collection` that is not among the canonical ids
    `used`, by id or by title."""
    known = _Known(collection)
    listed = [paper for file in files for paper in papers_of(file)]
    ids = {paper_id for paper_id, _ in listed if paper_id}
    titles = {key for _, title in listed if _identifies(key := _title_key(title))}
    bad = [
        paper.id in ids or _title_key(paper.title) in titles or not known.alike(paper.id, paper.title) <= used
        for paper in papers
    ]
    kept = ~np.isin(instances.papers, np.flatnonzero(bad)).any(axis=1)
    return instances.take(np.flatnonzero(kept))


class _Known:
    """The papers of a collection by id and title."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._by_title: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        for paper_id, paper in collection.papers.items():
            self._by_title[_title_key(paper.title)].add(paper_id)

    def alike(self, paper_id: str, title: str) -> set[str]:
        """Returns canonical ids of the papers with this id, one of its aliases, or this title."""
        key, canonical = _title_key(title), self._collection.canonical(paper_id)
        ids = {canonical} & self._collection.papers.keys()
        return ids | (self._by_title.get(key, set()) if _identifies(key) else set())


def papers_of(file: Path) -> Iterator[tuple[str, str]]:
    """(id, title) of every paper in a file; either may be empty."""
    if file.name.split(".", 1)[-1].startswith("json") and "jsonl" not in file.name:
        try:
            document = orjson.loads(read_bytes(file, _MOST))
        except orjson.JSONDecodeError as error:
            raise InputError(f"not JSON ({error.msg})", path=file) from error
        if isinstance(document, dict):
            yield from ((str(paper_id), "") for paper_id in document)
        yield from _within(document)
        return
    for number, line in open_raw_lines(file):
        if line.strip():
            try:
                yield from _within(orjson.loads(line))
            except orjson.JSONDecodeError as error:
                raise InputError(f"not JSON ({error.msg})", path=file, line=number) from error


def _within(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for item in value:
            yield from _within(item)
    elif isinstance(value, dict):
        paper_id = next((str(value[name]) for name in _IDS if value.get(name) not in (None, "")), "")
        title = value.get("title")
        if paper_id or isinstance(title, str):
            yield paper_id, title if isinstance(title, str) else ""
        for item in value.values():
            if isinstance(item, dict | list):
                yield from _within(item)


def _title_key(title: str) -> tuple[str, ...]:
    """Makes a key that equal titles have in common."""
    return tuple(words(title))


def _identifies(key: tuple[str, ...]) -> bool:
    return len(key) >= _SHORTEST

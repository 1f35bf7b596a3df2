"""From a folder of data to the graph that is mined: which papers and citations, and what is cited for what.

Not trained on are papers after `until` or of an unknown year, held-out papers (`evaluate.datasets.held_out`),
and papers of evaluation sets (`leakage`). A citation has the intents of its contexts: those that they come
with, else those that a classifier of sentences predicts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from citewhy.base.records import Context, Paper, SentenceInContext
from citewhy.ranking.classify import Classifier
from citewhy.ranking.intents.labels import intent_of_label
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.systems.aspects.graph import ASPECTS, IntentGraph, bits

__all__ = ["Corpus", "intents_of", "read_corpus"]

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
        """Numbers of citations by intent; those of several count for each."""
        counts = Counter(
            aspect for found in self.graph.references.intents.tolist() for aspect in _names(found)
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
    found = _citations(collection, set(kept), classifier)
    return Corpus(IntentGraph(list(kept), found), tuple(kept.values()), dict(left))


def intents_of(contexts: Sequence[Context], classifier: Classifier | None) -> Iterator[str]:
    """One of `ASPECTS` for each context, or nothing where it is unknown. What a context states counts in the
    words of several data sets (`intent_of_label`)."""
    for start in range(0, len(contexts), _AT_A_TIME):
        block = contexts[start : start + _AT_A_TIME]
        stated = [intent_of_label(each.intent) for each in block]
        asked = [each for each, intent in zip(block, stated, strict=True) if intent is None]
        sentences = [SentenceInContext(each.text, section=each.section) for each in asked]
        predicted = iter(classifier.predict(sentences) if classifier is not None else [""] * len(asked))
        yield from (next(predicted) if intent is None else intent for intent in stated)


def _citations(
    collection: Collection, kept: Set[str], classifier: Classifier | None
) -> Iterable[tuple[str, str, int]]:
    canonical = collection.canonical
    for each in collection.citations:
        yield canonical(each.citing_id), canonical(each.cited_id), 0
    contexts = [each for each in collection.contexts if canonical(each.citing_id) in kept]
    for context, intent in zip(contexts, intents_of(contexts, classifier), strict=True):
        for cited in context.cited_ids:
            yield canonical(context.citing_id), canonical(cited), bits([intent])


def _names(found: int) -> list[str]:
    return [aspect for aspect in ASPECTS if found & bits([aspect])] or ["unknown"]

"""Task `aspects`: of the papers that a paper cites, those that it cites with a given intent come first.

A question has a citing paper p, an intent, and two lists: the papers that p cites with this intent, and the
papers that it cites with other intents only. Questions are made from the citing sentences of p, whose intents
a classifier predicts (or their source states): a citation has the intents of all its sentences. A sentence
whose intent is uncertain says nothing, and a citation without another sentence is left out.

The questions are answered as of the year of p: what p itself wrote, and what was written in its year or
later, is no evidence (`rules`). `aspect_questions` leaves out cited papers that no answer may contain (p
itself, newer ones, those that the library lacks), and citing papers whose sentences the classifier has seen
with their labels; aliases of a cited paper count as one.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from citewhy.base.artifact import replace_file
from citewhy.base.errors import QueryError
from citewhy.base.records import Context, Intent, Paper, Query
from citewhy.ranking.classify import Classifier
from citewhy.ranking.intents.labels import INTENTS
from citewhy.ranking.intents.table import classify_contexts
from citewhy_lab.evaluate.datasets.lines import Line, objects
from citewhy_lab.evaluate.datasets.local import contexts_in
from citewhy_lab.evaluate.datasets.topics import Papers

SEEN = "papers"
"""In the facts of a classifier: the marks (`seen_mark`) of the papers whose sentences it was trained on."""

CERTAIN = 0.6
"""Probability from which the predicted intent of a sentence counts as its intent."""


def seen_mark(paper_id: str) -> str:
    """Stands for a paper in `SEEN`: eight digits of a hash of its id."""
    return hashlib.blake2b(paper_id.encode(), digest_size=4).hexdigest()


Edge = tuple[str, str]
"""Canonical ids of the citing and the cited paper."""


@dataclass(frozen=True, slots=True)
class AspectQuestion:
    """Ids are canonical; no paper is in both lists, neither list is empty."""

    citing_id: str
    year: int
    """The citing paper has it."""
    intent: Intent
    relevant_ids: tuple[str, ...]
    """Papers that it cites with the intent."""
    other_ids: tuple[str, ...]
    """Papers that it cites with other intents only."""

    @property
    def id(self) -> str:
        return f"{self.citing_id}#{self.intent}"

    @property
    def candidates(self) -> tuple[str, ...]:
        """Both lists, in the order of ids, which tells nothing of the answer."""
        return tuple(sorted((*self.relevant_ids, *self.other_ids)))

    def query(self, paper: Paper, *, plain: bool = False) -> Query:
        """Returns the question to a recommender; `paper` is the citing one. With `plain`, without the
        intent."""
        return Query(
            kind="global",
            id=self.id,
            title=paper.title,
            abstract=paper.abstract,
            authors=paper.authors,
            year=self.year,
            citing_id=self.citing_id,
            intent=None if plain else self.intent,
        )


@dataclass(frozen=True, slots=True)
class Aspects:
    """The questions of a benchmark, and what was left out of it, counted."""

    questions: tuple[AspectQuestion, ...]
    left_out: Mapping[str, int]


def aspect_questions(
    contexts: Iterable[Context],
    papers: Papers,
    classifier: Classifier,
    at_least: float = CERTAIN,
    seen: Collection[str] = (),
) -> Aspects:
    """Returns the questions about the papers that cite in `contexts`, in the order of their ids.

    `at_least` is the least probability of a predicted intent. Citing papers one of whose ids has its mark
    (`seen_mark`) in `seen` are left out: their labelled sentences trained the classifier.
    """
    sentences, left_out = list(contexts), Counter[str]()
    labels, chances = classify_contexts(classifier, sentences)
    known = _papers(sentences, papers)
    trained = {
        papers.canonical(sentence.citing_id)
        for sentence in sentences
        if seen_mark(sentence.citing_id) in seen
    } | {paper_id for paper_id in known if seen_mark(paper_id) in seen}
    intents: dict[Edge, set[Intent]] = defaultdict(set)
    years: dict[str, int] = {}
    for sentence, label, chance in zip(sentences, labels.tolist(), chances.tolist(), strict=True):
        citing = papers.canonical(sentence.citing_id) or sentence.citing_id
        why = _unusable(sentence, citing, known, trained, chance < at_least)
        if why:
            left_out[why] += 1
            continue
        # A sentence is never older than its paper.
        years[citing] = max(sentence.year or 0, known[citing].year or 0, years.get(citing, 0))
        for name in sentence.cited_ids:
            cited = papers.canonical(name)
            if cited is None or cited == citing or (known[cited].year or 0) > years[citing]:
                left_out["citations of papers that could not be suggested"] += 1
            else:
                intents[citing, cited].add(INTENTS[label])
    return Aspects(tuple(_questions(intents, years)), dict(left_out))


def read_aspects(path: Path, papers: Papers, classifier: Classifier, seen: Collection[str] = ()) -> Aspects:
    """Returns the questions in a file that `write_aspects` wrote, or made from a file of citing sentences
    (task ``local``) except for papers in `seen`. Raises InputError with file and line, QueryError for a file
    that yields no question."""
    first = next(_built(path), None) if _is_built(path) else None
    if first is not None:
        aspects = Aspects(tuple(_question(line) for line in _built(path)), {})
    else:
        aspects = aspect_questions(contexts_in(path), papers, classifier, seen=seen)
    if not aspects.questions:
        raise QueryError(
            f"no paper in {path} cites papers of this library with different intents",
            hint="give citing sentences with `citing_id`, and a library that has the cited papers",
        )
    return aspects


def write_aspects(path: Path, questions: Sequence[AspectQuestion]) -> None:
    """Writes questions as JSON lines. Raises StorageError."""
    rows = (
        {
            "query_id": question.id,
            "citing_id": question.citing_id,
            "year": question.year,
            "intent": question.intent,
            "relevant_ids": question.relevant_ids,
            "other_ids": question.other_ids,
        }
        for question in questions
    )
    replace_file(path, b"".join(orjson.dumps(row) + b"\n" for row in rows))


def _papers(sentences: Sequence[Context], papers: Papers) -> Mapping[str, Paper]:
    """Returns all citing and cited papers that the library has, by canonical id."""
    names = {name for sentence in sentences for name in (sentence.citing_id, *sentence.cited_ids)}
    return papers.papers({known for name in names if (known := papers.canonical(name))})


def _unusable(
    sentence: Context, citing: str, known: Mapping[str, Paper], seen: Collection[str | None], uncertain: bool
) -> str:
    """Says why a sentence says nothing; empty if it does."""
    if citing not in known or not (sentence.year or known[citing].year):
        return "sentences of papers that the library does not have, or without a year"
    if citing in seen:
        return "sentences of papers that the classifier was trained on"
    return "sentences with an uncertain intent" if uncertain else ""


def _questions(intents: Mapping[Edge, set[Intent]], years: Mapping[str, int]) -> Iterator[AspectQuestion]:
    cited: dict[str, list[str]] = defaultdict(list)
    for citing, paper in sorted(intents):
        cited[citing].append(paper)
    for citing, papers in cited.items():
        for intent in INTENTS:
            relevant = tuple(paper for paper in papers if intent in intents[citing, paper])
            others = tuple(paper for paper in papers if intent not in intents[citing, paper])
            if relevant and others:
                yield AspectQuestion(citing, years[citing], intent, relevant, others)


def _is_built(path: Path) -> bool:
    from citewhy.text.source import open_lines

    first = next((text for _, text in open_lines(path) if text.strip()), "")
    return '"relevant_ids"' in first


def _built(path: Path) -> Iterator[Line]:
    return objects(path, "aspects", "relevant_ids")


def _question(line: Line) -> AspectQuestion:
    intent, year = line.text("intent"), line.year("year")
    relevant, others = line.texts("relevant_ids"), line.texts("other_ids")
    if intent not in INTENTS or year is None:
        raise line.error(f"a question needs a year, and an intent: {', '.join(INTENTS)}")
    if set(relevant) & set(others):
        raise line.error("a paper is in `relevant_ids` and in `other_ids`")
    return AspectQuestion(line.text("citing_id"), year, intent, relevant, others)

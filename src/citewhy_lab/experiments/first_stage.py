"""First stages by words or by meaning. Medić (2023, section 5.1).

The query consists of the title of the citing paper and the context, its abstract, or both in either order.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from citewhy.base.progress import Progress
from citewhy.base.records import Query
from citewhy.search.encode.encoder import Encoder
from citewhy.search.encode.texts import query_text
from citewhy.search.index.fields import BM25
from citewhy.search.rules import QueryRows
from citewhy.text.tokens import stems
from citewhy_lab.experiments.bench import Bench, Question

__all__ = [
    "CHOSEN_AT",
    "FORMS",
    "K1",
    "B",
    "Form",
    "Meaning",
    "Ranks",
    "Stage",
    "Words",
    "asked_text",
    "grid",
    "places",
    "recall",
    "word_places",
]

Form = Literal["context", "abstract", "context + abstract", "abstract + context"]

FORMS: tuple[Form, ...] = get_args(Form)

CHOSEN_AT = 1000
"""Number of candidates for a reranker: parameters are chosen by recall at this depth."""

K1 = (0.5, 1.2, 1.5, 2.5, 4.0, 8.0)
B = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The grid of the source, k1 in .5, 1.5, 2.5 and b in .25, .5, .75, extended."""

Ranks = tuple[float, ...]
"""For each relevant paper its rank, from 1; infinite if it is not in the ranking."""


def asked_text(query: Query, form: Form) -> Query:
    """The query as a title with a second text, stored as its abstract; an encoder reads them in this
    order."""
    parts = {"context": query.text, "abstract": query.abstract}
    second = " ".join(filter(None, (parts[name] for name in form.split(" + "))))
    for marker in ("TARGETCIT", "OTHERCIT"):
        second = second.replace(marker, " ")
    return replace(query, kind="global", text="", abstract=" ".join(second.split()))


class Stage(Protocol):
    """Ranks all papers that may be cited."""

    @property
    def name(self) -> str: ...

    def best(self, query: Query, rows: QueryRows, depth: int) -> NDArray[np.int64]:
        """At most `depth` rows, best first, ties in order of paper id."""
        ...


class Words:
    """BM25 over title and abstract, with the library's own index."""

    def __init__(self, bench: Bench, bm25: BM25, form: Form) -> None:
        self._bench = bench
        self.bm25 = bm25
        self.form = form
        self.name = "BM25"

    def best(self, query: Query, rows: QueryRows, depth: int) -> NDArray[np.int64]:
        """Papers with a word of the query."""
        view = self._bench.view(query, rows)
        return view.search("text", _terms(query, self.form), self.bm25, depth).rows


class Meaning:
    """Nearest papers among the vectors of an encoder, which the index of `bench` has."""

    def __init__(self, bench: Bench, encoder: Encoder, form: Form) -> None:
        self._bench = bench
        self._encoder = encoder
        self.form = form
        self.name = "dense"

    def best(self, query: Query, rows: QueryRows, depth: int) -> NDArray[np.int64]:
        """Both texts are truncated to the length of a paper."""
        vector = self._encoder.encode([query_text(asked_text(query, self.form))], "paper")[0]
        return self._bench.view(query, rows).nearest(vector, depth).rows


def grid(
    bench: Bench, questions: Sequence[Question], forms: Sequence[Form], progress: Progress
) -> dict[tuple[Form, BM25], float]:
    """R@`CHOSEN_AT` of BM25 for every input and every setting of `K1` and `B`, in order."""
    settings = [BM25(k1, b) for b, k1 in itertools.product(B, K1)]
    found: dict[tuple[Form, BM25], float] = {}
    for form in forms:
        answers: list[list[Ranks]] = []
        for done, question in enumerate(questions, start=1):
            answers.append(word_places(bench, question, form, settings))
            progress(f"BM25, {form}: {done:,} of {len(questions):,} contexts", done / len(questions))
        for number, setting in enumerate(settings):
            found[form, setting] = recall([each[number] for each in answers], CHOSEN_AT)
    return found


def recall(found: Iterable[Ranks], depth: int) -> float:
    """Share of relevant papers among the first `depth`; each counts once. Raises ValueError if there are
    none."""
    ranks = [rank for each in found for rank in each]
    if not ranks:
        raise ValueError("there are no relevant papers")
    return sum(rank <= depth for rank in ranks) / len(ranks)


def places(stage: Stage, questions: Sequence[Question], depth: int) -> list[Ranks]:
    """Ranks of the relevant papers of each query, infinite below `depth`."""
    found: list[Ranks] = []
    for question in questions:
        best = stage.best(question.query, question.rows, depth).tolist()
        at = {row: float(place) for place, row in enumerate(best, start=1)}
        found.append(tuple(at.get(row, float("inf")) for row in question.answers))
    return found


def word_places(bench: Bench, question: Question, form: Form, settings: Sequence[BM25]) -> list[Ranks]:
    """As `places` of `Words` with each of the settings, at depth `CHOSEN_AT`; words are looked up once for
    all settings."""
    terms, view = _terms(question.query, form), bench.view(question.query, question.rows)
    found: list[Ranks] = []
    for setting in settings:
        best = view.search("text", terms, setting, CHOSEN_AT).rows.tolist()
        at = {row: float(place) for place, row in enumerate(best, start=1)}
        found.append(tuple(at.get(row, float("inf")) for row in question.answers))
    return found


def _terms(query: Query, form: Form) -> dict[str, float]:
    """Words of the title and of the second text have the same weight."""
    asked = asked_text(query, form)
    return {term: float(times) for term, times in Counter(stems(f"{asked.title} {asked.abstract}")).items()}

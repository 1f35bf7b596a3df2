"""The index of a library whose searches a server answers, and its views."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.index.bm25 import Field
from citewhy.search.index.evidence import Evidence
from citewhy.search.index.fields import BM25, Terms, TextField
from citewhy.search.index.hits import Hits, best
from citewhy.search.index.milvus.collection import MOST, Collection
from citewhy.search.index.milvus.told import Served
from citewhy.search.index.milvus.words import question
from citewhy.search.index.opened import Index
from citewhy.search.index.view import View
from citewhy.search.rules import Scope

_BEYOND = 1.1
"""How many times as many papers are asked for as are wanted: the server scores by an older mean length."""

_ROUNDING = 1e-4
"""The share by which the scores of a server may differ from ours besides."""


@dataclass(frozen=True, eq=False)
class SearchedWords:
    """The searches by words that a server answers."""

    collection: Collection
    served: Served
    bm25: BM25
    mean: float
    """The mean length for which the server has weights."""
    text: Field
    """The texts that the server has."""

    def search(
        self, text: Field, terms: Terms, count: int, allowed: NDArray[np.bool_]
    ) -> tuple[Rows, float] | None:
        """The `count` papers with the largest scores that are allowed [R], or more, in the server's order;
        and what no other's score exceeds. None if that cannot be said. `text` has the statistics."""
        told = self.served.told(allowed[: len(self.served.rows)])
        asked = question(text, terms, self.bm25)
        if told is None or not asked:
            return np.zeros(0, dtype=np.int64), 0.0
        if count > MOST:
            return None
        found, scores = self.collection.search("words", asked, count, told.partitions, told.condition)
        drift = abs(text.mean_length / self.mean - 1)
        limit = float(scores[-1]) * (1 + drift + _ROUNDING) if len(found) == count else 0.0
        found = found[found < len(self.served.rows)]
        return found[allowed[found]], limit


@dataclass(frozen=True, eq=False)
class ServedIndex(Index):
    """An opened index whose nearest vectors, and words of titles and abstracts, a server finds."""

    words: SearchedWords | None = None
    """None if the server has no sparse vectors."""

    @classmethod
    def of(cls, index: Index, words: SearchedWords | None, **others: Any) -> ServedIndex:
        """The same index, with what is given."""
        held = {field.name: getattr(index, field.name) for field in fields(Index)}
        return cls(**(held | others), words=words)

    def view(self, scope: Scope) -> View:
        """The answers as of a scope."""
        if self.words is None:
            return super().view(scope)
        return ServedView(self, scope, *self._within(scope), self.words)


class ServedView(View):
    """The answers of an index as of a scope, of which a server finds papers by words. Scores are ours."""

    def __init__(
        self,
        contents: ServedIndex,
        scope: Scope,
        allowed: NDArray[np.bool_],
        evidence: Evidence,
        words: SearchedWords,
    ) -> None:
        super().__init__(contents, scope, allowed, evidence)
        self._words = words
        self._added = contents.text.beyond(words.text)
        """Papers of a layer, which the server does not have."""

    def search(self, field: TextField, terms: Terms, bm25: BM25, k: int) -> Hits:
        """The best `k` candidates with scores above 0."""
        hits = self._found(terms, bm25, k) if self._is_served(field, terms, bm25) else None
        return super().search(field, terms, bm25, k) if hits is None else hits

    def scores(self, field: TextField, terms: Terms, bm25: BM25, rows: Rows) -> Floats:
        """[n] BM25 scores of `rows`, as in `search`; 0 for a paper without a common word."""
        if not self._is_served(field, terms, bm25):
            return super().scores(field, terms, bm25, rows)
        return self._contents.text.scores_of(rows.astype(np.int32), terms, bm25)

    def largest(self, field: TextField, terms: Terms, bm25: BM25) -> float:
        """The largest score of all papers, candidates or not; 0 if no paper has a common word."""
        if self._is_served(field, terms, bm25):
            hits = self._found(terms, bm25, 1, of_all=True)
            if hits is not None:
                return float(hits.scores.max(initial=0.0))
        return super().largest(field, terms, bm25)

    def _is_served(self, field: TextField, terms: Terms, bm25: BM25) -> bool:
        return field == "text" and bm25 == self._words.bm25 and bool(terms)

    def _found(self, terms: Terms, bm25: BM25, k: int, *, of_all: bool = False) -> Hits | None:
        """The best `k` candidates, or papers if `of_all`; None if the server cannot say which they are."""
        key = ("found", bm25, k, of_all, *terms.items())
        allowed = self._tables.alive if of_all else self._allowed
        return self._once(key, lambda: self._asked(terms, bm25, k, allowed))

    def _asked(self, terms: Terms, bm25: BM25, k: int, allowed: NDArray[np.bool_]) -> Hits | None:
        text, asked = self._contents.text, int(_BEYOND * k) + 16
        added = self._added[allowed[self._added]]
        while (answer := self._words.search(text, terms, asked, allowed)) is not None:
            found, limit = answer
            rows = np.union1d(found, added).astype(np.int32)
            hits = best(rows, text.scores_of(rows, terms, bm25), self._tables.id_ranks, k)
            if not limit or (len(hits.rows) == k and hits.scores[-1] > limit):
                return hits
            asked *= 2
        return None

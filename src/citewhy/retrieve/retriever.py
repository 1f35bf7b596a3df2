"""The first stage: from a query to ranked rows, by plain BM25 or by every signal fused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from citewhy.index import Index
from citewhy.index.bm25 import Floats
from citewhy.records import Query, QueryKind
from citewhy.retrieve.fuse import FEATURES, SILENT, features, fuse, screen, weights
from citewhy.retrieve.lexical import query_terms
from citewhy.retrieve.rules import Rules
from citewhy.retrieve.signals import Dials, Signals, gather

__all__ = ["PIPELINES", "FeatureRow", "Pipeline", "Ranked", "Retriever", "Rows"]

Pipeline = Literal["bm25", "full"]

PIPELINES: tuple[Pipeline, ...] = ("bm25", "full")
"""``bm25``: title and abstract against the words of the query; ``full``: every signal, fused."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A query's ids as rows of the index; ids that the library does not have are left out."""

    citing: int = -1
    known: tuple[int, ...] = ()
    excluded: tuple[int, ...] = ()

    def barred(self, kind: QueryKind) -> list[int]:
        """Rows that may not be suggested: the citing paper, what was excluded, and, where a reference list is
        to be completed, what it has already. A sentence may well cite what another sentence cites."""
        listed = self.known if kind in ("global", "set") else ()
        return [*listed, *self.excluded, *([self.citing] if self.citing >= 0 else [])]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Candidates, best first, ties in order of paper id."""

    rows: NDArray[np.int64]
    """[n]."""
    scores: Floats
    """[n] descending."""
    table: NDArray[np.float32]
    """[n, len(FEATURES)]; no columns for plain BM25."""
    signals: Signals | None = None
    """What the features were made from; None for plain BM25."""

    def take(self, places: Sequence[int]) -> Ranked:
        """The candidates at `places`, in that order."""
        chosen = np.array(places, dtype=np.int64)
        return Ranked(self.rows[chosen], self.scores[chosen], self.table[chosen], self.signals)


class FeatureRow(Mapping[str, float]):
    """One candidate's features, read from the table when asked for: most are never looked at."""

    __slots__ = ("_place", "_table")

    def __init__(self, table: NDArray[np.float32], place: int) -> None:
        self._table = table
        self._place = place

    def __getitem__(self, name: str) -> float:
        if name not in FEATURES or not self._table.shape[1]:
            raise KeyError(name)
        return float(self._table[self._place, FEATURES.index(name)])

    def __iter__(self) -> Iterator[str]:
        return iter(FEATURES if self._table.shape[1] else ())

    def __len__(self) -> int:
        return int(self._table.shape[1])


class Retriever:
    """Ranks the papers of an index. Not to be shared between threads."""

    def __init__(
        self,
        index: Index,
        rules: Rules,
        pipeline: Pipeline = "full",
        dials: Dials | None = None,
        weighing: Mapping[str, Mapping[str, float]] | None = None,
    ) -> None:
        self._index = index
        self._rules = rules
        self._pipeline = pipeline
        self._dials = dials or Dials()
        self._weights = weights() if weighing is None else weighing

    def rank(self, query: Query, rows: Rows, k: int) -> Ranked:
        """The best `k` candidates, fewer where fewer have anything in common with the query."""
        allowed = self._rules.candidates(query.year, rows.barred(query.kind))
        if self._pipeline == "bm25":
            return self._by_words(query, allowed, k)
        chosen, table, signals = self.table(query, rows, allowed)
        scores = fuse(table, self.weighing(query, rows, signals))
        order = self._order(chosen, scores)[:k]
        return Ranked(chosen[order], scores[order], table[order], signals)

    def weighing(self, query: Query, rows: Rows, signals: Signals) -> Mapping[str, float]:
        """The fitted weights for a query of this kind, with or without known papers, by a library with or
        without citing sentences."""
        name = "global" if query.kind == "global" else "local"
        name += "+known" if rows.known else ""
        return self._weights[name if len(signals.sentences.papers) else f"{name}{SILENT}"]

    def table(
        self, query: Query, rows: Rows, allowed: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], Signals]:
        """The screened candidates, their features, and the signals behind."""
        evidence = self._rules.evidence(query.year, rows.citing)
        signals = gather(self._index, query, evidence, allowed, rows.known, self._dials)
        chosen = screen(signals, allowed, self._index.tables.id_ranks)
        return chosen, features(signals, self._index.tables, chosen, query.year), signals

    def _by_words(self, query: Query, allowed: NDArray[np.bool_], k: int) -> Ranked:
        scores = self._index.text.scores(query_terms(query, title_weight=1.0), self._dials.text) * allowed
        rows = np.flatnonzero(scores)
        order = self._order(rows, scores[rows])[:k]
        rows = rows[order]
        return Ranked(rows, scores[rows], np.zeros((len(rows), 0), dtype=np.float32))

    def _order(self, rows: NDArray[np.int64], scores: Floats) -> NDArray[np.int64]:
        return np.lexsort((self._index.tables.id_ranks[rows], -scores))

"""From a query to ranked rows: by words, by meaning, by both, or by every signal and the learned ranker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from citewhy.index import Index
from citewhy.index.local.bm25 import Floats
from citewhy.rank.features import FEATURES, features
from citewhy.rank.linear import KNOWN, SILENT, STALE, STALE_YEARS
from citewhy.rank.model import RankerModel, default_model
from citewhy.records import Query, QueryKind
from citewhy.retrieve.dense import NEAREST, Dense, Meaning, echoes, meaning
from citewhy.retrieve.lexical import query_terms
from citewhy.retrieve.rules import Rules
from citewhy.retrieve.screen import screen
from citewhy.retrieve.signals import Dials, Signals, gather

__all__ = ["PIPELINES", "FeatureRow", "Pipeline", "Ranked", "Ranker", "Rows"]

Pipeline = Literal["bm25", "dense", "hybrid", "full"]

PIPELINES: tuple[Pipeline, ...] = get_args(Pipeline)
"""``bm25``: title and abstract against the words of the query; ``dense``: by meaning; ``hybrid``: the two
fused by their ranks; ``full``: every signal, in the order of the learned ranker."""

RRF = 60
"""The constant of reciprocal rank fusion, as published."""

FUSED = 1000
"""Papers of each ranking that are fused."""


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
    """[n, len(FEATURES)]; no columns for a ranking by one score."""
    probabilities: NDArray[np.float64]
    """[n] calibrated; [0] for a ranking without features."""
    signals: Signals | None = None
    """What the features were made from; None for a ranking without features."""

    def take(self, places: Sequence[int]) -> Ranked:
        """The candidates at `places`, in that order."""
        chosen = np.array(places, dtype=np.int64)
        sure = self.probabilities[chosen] if len(self.probabilities) else self.probabilities
        return Ranked(self.rows[chosen], self.scores[chosen], self.table[chosen], sure, self.signals)


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


class Ranker:
    """Ranks the papers of an index. Not to be shared between threads.

    `dense` may be missing for the pipeline ``bm25`` alone. `model` None: the default one.
    """

    def __init__(
        self,
        index: Index,
        rules: Rules,
        pipeline: Pipeline = "full",
        dense: Dense | None = None,
        model: RankerModel | None = None,
        dials: Dials | None = None,
    ) -> None:
        self._index = index
        self._rules = rules
        self._pipeline = pipeline
        self._dense = dense
        self._dials = dials or Dials()
        self._given = model

    def rank(self, query: Query, rows: Rows, k: int) -> Ranked:
        """The best `k` candidates, fewer where fewer have anything in common with the query."""
        allowed = self._rules.candidates(query.year, rows.barred(query.kind))
        if self._pipeline == "bm25":
            return _plain(*self._by_words(query, allowed, k))
        if self._pipeline == "dense":
            near = self._meaning(query, allowed, k)
            return _plain(near.nearest, near.cosines)
        if self._pipeline == "hybrid":
            return _plain(*self._fused(query, allowed, k))
        chosen, table, signals = self.table(query, rows, allowed)
        scored = self._model.order(
            table, self._index.tables.id_ranks[chosen], self.set_name(query, rows, signals)
        )
        order = scored.order[:k]
        return Ranked(chosen[order], scored.scores[:k], table[order], scored.probabilities[:k], signals)

    def unsure(self, ranked: Ranked, threshold: float | None = None) -> bool:
        """Is even the best candidate right with a probability below the threshold (None: the model's own)?

        Never said of a ranking without probabilities.
        """
        if not len(ranked.probabilities):
            return False
        least = self._model.threshold if threshold is None else threshold
        return float(ranked.probabilities[0]) < least

    def weighing(self, query: Query, rows: Rows, signals: Signals) -> Mapping[str, float]:
        """The linear weights for a query, which say what speaks for a paper."""
        return self._model.weights[self.set_name(query, rows, signals)]

    def set_name(self, query: Query, rows: Rows, signals: Signals) -> str:
        """Which linear weights a query takes: those of its kind, with or without known papers, for a library
        with citing sentences, with old ones only, or without any."""
        name = ("global" if query.kind == "global" else "local") + (KNOWN if rows.known else "")
        if not len(signals.sentences.papers):
            return f"{name}{SILENT}"
        stale = query.year is not None and signals.evidence.newest < query.year - STALE_YEARS
        return f"{name}{STALE}" if stale else name

    def table(
        self, query: Query, rows: Rows, allowed: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], Signals]:
        """The screened candidates, their features, and the signals behind."""
        evidence = self._rules.evidence(query.year, rows.citing)
        near = self._meaning(query, allowed, NEAREST)
        said = echoes(self._vectors, query, near.query, evidence)
        signals = gather(self._index, near, said, query, evidence, allowed, rows.known, self._dials)
        chosen = screen(signals, allowed, self._index.tables.id_ranks)
        return chosen, features(signals, self._index.tables, chosen, query.year), signals

    @property
    def _model(self) -> RankerModel:
        return self._given or default_model()

    @property
    def _vectors(self) -> Dense:
        if self._dense is None:
            raise ValueError(f"the pipeline {self._pipeline} needs vectors")
        return self._dense

    def _meaning(self, query: Query, allowed: NDArray[np.bool_], count: int) -> Meaning:
        return meaning(self._vectors, query, allowed, self._index.tables.id_ranks, count)

    def _by_words(self, query: Query, allowed: NDArray[np.bool_], k: int) -> tuple[NDArray[np.int64], Floats]:
        """Rows and scores by BM25, best first."""
        scores = self._index.text.scores(query_terms(query, title_weight=1.0), self._dials.text) * allowed
        rows = np.flatnonzero(scores)
        order = self._order(rows, scores[rows])[:k]
        return rows[order], scores[rows[order]]

    def _fused(self, query: Query, allowed: NDArray[np.bool_], k: int) -> tuple[NDArray[np.int64], Floats]:
        """Rows and scores by the reciprocal ranks of BM25 and meaning (Cormack et al. 2009)."""
        scores = np.zeros(len(allowed), dtype=np.float32)
        count = max(k, FUSED)
        near = self._meaning(query, allowed, count)
        for rows, values in (self._by_words(query, allowed, count), (near.nearest, near.cosines)):
            ranks = 1 + np.searchsorted(-values, -values).astype(np.float32)  # equal values share a rank
            scores[rows] += 1 / (RRF + ranks)
        rows = np.flatnonzero(scores)
        order = self._order(rows, scores[rows])[:k]
        return rows[order], scores[rows[order]]

    def _order(self, rows: NDArray[np.int64], scores: Floats) -> NDArray[np.int64]:
        return np.lexsort((self._index.tables.id_ranks[rows], -scores))


def _plain(rows: NDArray[np.int64], scores: Floats) -> Ranked:
    """A ranking by one score, without features."""
    return Ranked(rows, scores, np.zeros((len(rows), 0), dtype=np.float32), np.zeros(0))

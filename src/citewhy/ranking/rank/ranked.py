"""`Ranked`: a ranking of papers, with the data that it was computed from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from citewhy.ranking.rank.features import FEATURES
from citewhy.ranking.rank.last_step import LastStep
from citewhy.ranking.rank.signals import Signals
from citewhy.search.index import Hits
from citewhy.search.index.arrays import Floats, Rows


@dataclass(frozen=True, slots=True)
class Ranked:
    """Candidates, best first, ties in order of paper id."""

    rows: Rows
    """[n] rows of the papers."""
    scores: Floats
    """[n] descending."""
    table: NDArray[np.float32]
    """[n, len(FEATURES)] the features; no columns for a ranking by a single score."""
    probabilities: NDArray[np.float64]
    """[n] calibrated probabilities; [0] if there are none."""
    signals: Signals | None = None
    """The signals from which the features of all candidates were computed; None for a ranking without
    features."""
    weights: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """The weights of the features in the linear model, from which reasons are derived."""
    last_table: NDArray[np.float32] | None = None
    """[n, len(LAST_STEP_FEATURES)] the features of the last step (`rank.last_step`), with a row of NaN for
    each paper that it did not score; None if the last step was not used."""
    last_step: LastStep | None = None
    """The last step, which explains its scores (`LastStep.shares`)."""
    added: Mapping[str, Hits] = field(default_factory=lambda: MappingProxyType({}))
    """The results of first stages without features, by name."""
    competing: NDArray[np.float64] | None = None
    """[n] the probabilities if one paper alone were right, which other models were made for; None where they
    are the same."""

    @classmethod
    def by_score(cls, hits: Hits) -> Ranked:
        """A ranking without features."""
        return cls(hits.rows, hits.scores, np.zeros((len(hits.rows), 0), dtype=np.float32), np.zeros(0))

    @property
    def alone(self) -> NDArray[np.float64]:
        """The probabilities as other models see them: if one paper alone were right."""
        return self.probabilities if self.competing is None else self.competing

    def best(self, k: int) -> Ranked:
        """Returns the best `k` candidates, or all if there are fewer."""
        return self.take(range(min(k, len(self.rows))))

    def take(self, positions: Sequence[int]) -> Ranked:
        """Returns the ranking of the candidates at `positions`, in that order."""
        chosen = np.array(positions, dtype=np.int64)
        sure = self.probabilities[chosen] if len(self.probabilities) else self.probabilities
        competing = None if self.competing is None else self.competing[chosen]
        return replace(
            self,
            rows=self.rows[chosen],
            scores=self.scores[chosen],
            table=self.table[chosen],
            probabilities=sure,
            competing=competing,
            last_table=None if self.last_table is None else self.last_table[chosen],
        )


class FeatureRow(Mapping[str, float]):
    """The features of one candidate by name, read from the table on access, since most are never used."""

    __slots__ = ("_position", "_table")

    def __init__(self, table: NDArray[np.float32], position: int) -> None:
        self._table = table
        self._position = position

    def __getitem__(self, name: str) -> float:
        if name not in FEATURES or not self._table.shape[1]:
            raise KeyError(name)
        return float(self._table[self._position, FEATURES.index(name)])

    def __iter__(self) -> Iterator[str]:
        return iter(FEATURES if self._table.shape[1] else ())

    def __len__(self) -> int:
        return int(self._table.shape[1])

"""A ranking of papers, with what it was made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from citewhy.index.arrays import Floats, Rows
from citewhy.index.engine import Hits
from citewhy.rank.draft_model import DraftModel
from citewhy.rank.features import FEATURES
from citewhy.rank.signals import Signals

__all__ = ["FeatureRow", "Ranked"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Candidates, best first, ties in order of paper id."""

    rows: Rows
    """[n]."""
    scores: Floats
    """[n] descending."""
    table: NDArray[np.float32]
    """[n, len(FEATURES)]; no columns for a ranking by one score."""
    probabilities: NDArray[np.float64]
    """[n] calibrated; [0] where none are known."""
    signals: Signals | None = None
    """What the features of all candidates were made from; None for a ranking without features."""
    weights: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Of the features, in the linear model; they tell what speaks for a paper."""
    draft_table: NDArray[np.float32] | None = None
    """[n, len(DRAFT_FEATURES)] what the last step saw (`rank.draft_model`), a row of NaN for a paper that
    it did not see; None where it had no say."""
    draft_model: DraftModel | None = None
    """The last step itself: it tells what its scores rest on."""
    added: Mapping[str, Hits] = field(default_factory=lambda: MappingProxyType({}))
    """What first stages without features found, by name."""

    @classmethod
    def by_score(cls, hits: Hits) -> Ranked:
        """A ranking without features."""
        return cls(hits.rows, hits.scores, np.zeros((len(hits.rows), 0), dtype=np.float32), np.zeros(0))

    def take(self, places: Sequence[int]) -> Ranked:
        """The candidates at `places`, in that order."""
        chosen = np.array(places, dtype=np.int64)
        sure = self.probabilities[chosen] if len(self.probabilities) else self.probabilities
        return replace(
            self,
            rows=self.rows[chosen],
            scores=self.scores[chosen],
            table=self.table[chosen],
            probabilities=sure,
            draft_table=None if self.draft_table is None else self.draft_table[chosen],
        )


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

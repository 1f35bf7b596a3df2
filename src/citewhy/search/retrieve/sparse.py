"""Sparse vectors over papers, and helpers for selecting the best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from citewhy.search.index import Hits, Index, best_first
from citewhy.search.index.arrays import Floats, Rows, union

__all__ = ["Sparse", "best", "relative", "union"]


@dataclass(frozen=True, slots=True)
class Sparse:
    """A number for each of m papers, and 0 for all others."""

    rows: Rows
    """[m] rows of the papers, ascending."""
    values: Floats
    """[m] their numbers."""

    def at(self, rows: Rows) -> Floats:
        """[n] the numbers of `rows`."""
        if not len(self.rows):
            return np.zeros(len(rows), dtype=np.float32)
        position = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        values: Floats = np.where(self.rows[position] == rows, self.values[position], np.float32(0))
        return values


def relative(values: Floats) -> Floats:
    """`values` divided by the largest; zeros if none is positive."""
    largest = float(values.max(initial=0.0))
    return values / np.float32(largest) if largest > 0 else np.zeros_like(values)


def best(index: Index, rows: Rows, scores: Floats, k: int) -> Hits:
    """The `k` papers of `rows` [n] with the largest `scores` [n], best first, ties in order of paper id."""
    order = best_first(scores, index.id_ranks(rows))[:k]
    return Hits(rows[order], scores[order])

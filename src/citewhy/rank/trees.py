"""Gradient-boosted regression trees as arrays: read from JSON, evaluated with numpy.

`citewhy train ranker` grows them (LightGBM, LambdaRank: Burges 2010, "From RankNet to LambdaRank to
LambdaMART"); using them does not require LightGBM. Evaluated as in QuickScorer (Lucchese et al. 2015): a
comparison that sends a row to the right excludes the leaves on the left, and the row is at the first leaf of
each tree that no comparison excludes. For hundreds of rows this takes a quarter of the time of following each
row down each tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.index.arrays import Floats
from citewhy.models.numbers import bounded

__all__ = ["MOST_LEAVES", "Forest"]

MOST_LEAVES = 64
"""Of a tree: each is a bit of a number."""

_AT_ONCE = 512
"""Rows that are scored together, so that what is worked on stays in the processor's cache."""

Node = Sequence[float]


@dataclass(frozen=True, slots=True)
class Forest:
    """T trees of at most S inner nodes and L leaves, which are numbered from left to right.

    A row of features goes left if its feature is at most the threshold. Trees with fewer than S inner nodes
    are filled with comparisons that exclude nothing. Safe for use by many threads.
    """

    features: NDArray[np.int64]
    """[S, T] the column of the feature that is compared."""
    thresholds: NDArray[np.float32]
    """[S, T]"""
    excluded: NDArray[Any]
    """[S, T] the leaves on the left of each inner node, as bits of an unsigned number."""
    values: NDArray[np.float64]
    """[T, L] the value of each leaf."""

    @classmethod
    def of(cls, trees: Sequence[Sequence[Node]]) -> Forest:
        """Makes a forest from trees, each a list of nodes ``[feature, threshold, left, right, value]``, the
        root first; a leaf has feature -1. Raises ValueError if a child precedes its node, is not in the tree
        or has two parents, or a tree has more than `MOST_LEAVES` leaves."""
        read = [_read(tree, place) for place, tree in enumerate(trees)]
        inner = max((len(comparisons) for comparisons, _ in read), default=0)
        leaves = max((len(values) for _, values in read), default=1)
        features = np.zeros((inner, len(read)), dtype=np.int64)
        thresholds = np.zeros((inner, len(read)), dtype=np.float32)
        excluded = np.zeros((inner, len(read)), dtype=np.min_scalar_type((1 << leaves) - 1))
        values = np.zeros((len(read), leaves))
        for place, (comparisons, found) in enumerate(read):
            values[place, : len(found)] = found
            for slot, (feature, threshold, bits) in enumerate(comparisons):
                features[slot, place], thresholds[slot, place] = feature, threshold
                excluded[slot, place] = bits
        return cls(features, thresholds, excluded, values)

    def check(self, columns: int) -> None:
        """Raises ValueError for a node whose feature is not below `columns`, or whose numbers are not
        finite or too large (`models.numbers`)."""
        if not ((self.features >= 0) & (self.features < columns)).all():
            raise ValueError(f"a tree uses a feature that is not among the {columns}")
        if not (np.isfinite(self.thresholds).all() and bounded(self.values)):
            raise ValueError("a tree has thresholds or values that are not finite, or too large")

    def scores(self, table: NDArray[np.float32]) -> Floats:
        """[n] the scores of the rows of a feature table [n, f]."""
        scores = np.zeros(len(table), dtype=np.float32)
        for start in range(0, len(table), _AT_ONCE):
            rows = slice(start, start + _AT_ONCE)
            scores[rows] = self._scores(np.ascontiguousarray(table[rows].T))
        return scores

    def _scores(self, columns: NDArray[np.float32]) -> NDArray[np.float64]:
        """[n] for [f, n]."""
        trees, leaves = self.values.shape
        excluded = np.zeros((trees, columns.shape[1]), dtype=self.excluded.dtype)
        for features, thresholds, bits in zip(self.features, self.thresholds, self.excluded, strict=True):
            excluded |= (columns.take(features, axis=0) > thresholds[:, None]) * bits[:, None]
        lowest = ~excluded & (
            excluded + self.excluded.dtype.type(1)
        )  # the bit of the first leaf that is left
        leaf = np.bitwise_count(lowest - self.excluded.dtype.type(1))
        found = self.values.ravel().take(np.arange(trees)[:, None] * leaves + leaf)
        # Each row's values side by side: however many rows there are, they are added in the same order.
        scores: NDArray[np.float64] = np.ascontiguousarray(found.T).sum(axis=1)
        return scores


def _read(tree: Sequence[Node], place: int) -> tuple[list[tuple[int, float, int]], list[float]]:
    """Feature, threshold and excluded leaves of each inner node; the values of the leaves from left to right.
    Raises ValueError as `Forest.of`."""
    if len(tree) > 2 * MOST_LEAVES - 1:
        raise ValueError(f"tree {place} has {len(tree)} nodes, more than {MOST_LEAVES} leaves")
    comparisons: list[tuple[int, float, int]] = []
    values: list[float] = []
    seen: set[int] = set()

    def read(node: int) -> None:
        if node in seen:
            raise ValueError(f"tree {place}: node {node} has two parents")
        seen.add(node)
        feature, threshold, left, right, value = tree[node]
        if feature < 0:
            values.append(value)
            return
        if not node < min(left, right) <= max(left, right) < len(tree):
            raise ValueError(f"tree {place}: node {node} leads to {left:g} and {right:g}")
        first = len(values)
        read(int(left))
        comparisons.append((int(feature), threshold, (1 << len(values)) - (1 << first)))
        read(int(right))

    read(0)
    return comparisons, values

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
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.models.numbers import bounded

MOST_LEAVES = 64
"""A tree has at most so many; each is a bit of a number."""

_AT_ONCE = 512
"""Rows that are scored together, so that what is worked on stays in the processor's cache."""

_MOST_FEATURES = 1 << 31

Floats = NDArray[np.float32]

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
        root first; a leaf has feature -1. Raises ValueError if a child precedes its node or is not in the
        tree, a node has no parent or two, or a tree has more than `MOST_LEAVES` leaves."""
        inner = max((len(tree) // 2 for tree in trees), default=0)
        features = np.zeros((inner, len(trees)), dtype=np.int64)
        thresholds = np.zeros((inner, len(trees)), dtype=np.float32)
        excluded = np.zeros((inner, len(trees)), dtype=np.min_scalar_type((1 << inner + 1) - 1))
        values = np.zeros((len(trees), inner + 1))
        if trees:
            nodes = _Nodes.of(trees)
            leaf, rest = ~nodes.inner, nodes.inner
            values[nodes.tree[leaf], nodes.first[leaf]] = nodes.table[leaf, 4]
            # The leaves on the left of an inner node: from `first` to before `end`.
            first, end = nodes.first[rest], nodes.first[rest] + nodes.leaves[nodes.left[rest]]
            position = end - 1, nodes.tree[rest]
            features[position], thresholds[position] = nodes.table[rest, 0], nodes.table[rest, 1]
            one = np.uint64(1)
            excluded[position] = (one << end.astype(np.uint64)) - (one << first.astype(np.uint64))
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

    def probabilities(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """[n] in (0, 1): the scores as log odds."""
        odds = np.clip(self.scores(table).astype(np.float64), -50, 50)
        chances: NDArray[np.float64] = 1 / (1 + np.exp(-odds))
        return chances

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
        leaf_values = self.values.ravel().take(np.arange(trees)[:, None] * leaves + leaf)
        # Each row's values side by side: however many rows there are, they are added in the same order.
        scores: NDArray[np.float64] = np.ascontiguousarray(leaf_values.T).sum(axis=1)
        return scores


@dataclass(frozen=True, slots=True)
class _Nodes:
    """The N nodes of all trees, one tree after another."""

    table: NDArray[np.float64]
    """[N, 5] as `Forest.of` takes them."""
    tree: NDArray[np.int64]
    """[N] the number of the tree."""
    inner: NDArray[np.bool_]
    """[N] whether the node is no leaf."""
    left: NDArray[np.int64]
    """[N] the row of the left child of an inner node."""
    leaves: NDArray[np.int64]
    """[N] the number of leaves below a node; of a leaf, 1."""
    first: NDArray[np.int64]
    """[N] the number of the first of these leaves, from left to right in the tree."""

    @classmethod
    def of(cls, trees: Sequence[Sequence[Node]]) -> _Nodes:
        """Raises ValueError as `Forest.of`."""
        sizes = np.array([len(tree) for tree in trees])
        for position in np.flatnonzero((sizes > 2 * MOST_LEAVES - 1) | (sizes == 0)).tolist():
            raise ValueError(
                f"tree {position} has {sizes[position]} nodes: none, or more than {MOST_LEAVES} leaves"
            )
        try:
            table = np.array([*chain.from_iterable(trees)], dtype=np.float64).reshape(sizes.sum(), 5)
        except ValueError:
            raise ValueError("a node of a tree is not five numbers") from None
        tree = np.repeat(np.arange(len(trees)), sizes)
        root = np.cumsum(sizes) - sizes
        inner = ~(table[:, 0] < 0)
        left, right = _children(table, inner, tree, root, sizes)
        levels = [root]
        while len(parents := levels[-1][inner[levels[-1]]]):
            levels.append(np.concatenate([left[parents], right[parents]]))
        leaves = np.ones(len(table), dtype=np.int64)
        for level in reversed(levels):
            parents = level[inner[level]]
            leaves[parents] = leaves[left[parents]] + leaves[right[parents]]
        first = np.zeros(len(table), dtype=np.int64)
        for level in levels:
            parents = level[inner[level]]
            first[left[parents]] = first[parents]
            first[right[parents]] = first[parents] + leaves[left[parents]]
        return cls(table, tree, inner, left, leaves, first)


def _children(
    table: NDArray[np.float64],
    inner: NDArray[np.bool_],
    tree: NDArray[np.int64],
    root: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[N] each, the rows of the left and the right children of inner nodes. Raises ValueError unless every
    node but the roots is a child of one node before it, and inner nodes compare a numbered feature."""
    positions = np.flatnonzero(inner)
    numbers = positions - root[tree[positions]]
    pairs = table[positions, 2:4]
    later = (pairs > numbers[:, None]) & (pairs < sizes[tree[positions], None])
    for bad in np.flatnonzero(~later.all(axis=1))[:1].tolist():
        left, right = pairs[bad]
        raise ValueError(f"tree {tree[positions[bad]]}: node {numbers[bad]} leads to {left:g} and {right:g}")
    for bad in np.flatnonzero(~(table[positions, 0] < _MOST_FEATURES))[:1].tolist():
        raise ValueError(f"tree {tree[positions[bad]]}: node {numbers[bad]} compares no feature")
    children = np.zeros((2, len(table)), dtype=np.int64)
    children[:, positions] = root[tree[positions]] + pairs.T.astype(np.int64)
    parents = np.bincount(children[:, positions].ravel(), minlength=len(table))
    parents[root] += 1
    for bad in np.flatnonzero(parents != 1)[:1].tolist():
        raise ValueError(f"tree {tree[bad]}: node {bad - root[tree[bad]]} has no parent, or two parents")
    return children[0], children[1]

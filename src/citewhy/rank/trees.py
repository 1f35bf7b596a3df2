"""Gradient-boosted regression trees as arrays: read from JSON, evaluated with numpy.

`citewhy train ranker` grows them (LightGBM, LambdaRank: Burges 2010, "From RankNet to LambdaRank to
LambdaMART"); using them does not require LightGBM.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.index.arrays import Floats

__all__ = ["Forest"]

Node = Mapping[str, Any]

_COMPRESSED = 2
"""Number of steps down the trees after which rows that are at a leaf are put aside."""


@dataclass(frozen=True, slots=True)
class Forest:
    """T trees of at most M nodes in flat arrays: the nodes of tree t start at t · M, its root first.

    A row of features goes left if its feature is at most the threshold. The children of a leaf are the leaf
    itself, so that after `depth` steps every row is at a leaf. Safe for use by many threads.
    """

    roots: NDArray[np.int64]
    """[T] the root nodes."""
    features: NDArray[np.int64]
    """[T · M] the column of the feature at each node."""
    thresholds: NDArray[np.float32]
    """[T · M] the threshold at each node."""
    children: NDArray[np.int64]
    """[T · M · 2] the right, then the left child of each node."""
    values: NDArray[np.float64]
    """[T · M] the value of each leaf; 0 for inner nodes."""
    depth: int

    @classmethod
    def of(cls, trees: Sequence[Sequence[Sequence[float]]]) -> Forest:
        """Makes a forest from trees, each a list of nodes ``[feature, threshold, left, right, value]``, the
        root first; a leaf has feature -1. Raises ValueError if a child precedes its node or is not in the
        tree."""
        most = max((len(tree) for tree in trees), default=1)
        table = np.zeros((len(trees), most, 5))
        table[..., 2:4] = np.arange(most)[None, :, None]
        depth = 0
        for place, tree in enumerate(trees):
            level = {0: 0}
            for node, (feature, threshold, left, right, value) in enumerate(tree):
                if feature < 0:
                    table[place, node] = 0, 0, node, node, value
                    continue
                if not node < min(left, right) <= max(left, right) < len(tree):
                    raise ValueError(f"tree {place}: node {node} leads to {left:g} and {right:g}")
                table[place, node] = feature, threshold, left, right, 0
                level[int(left)] = level[int(right)] = level.get(node, 0) + 1
            depth = max(depth, *level.values())
        roots = np.arange(len(trees)) * most
        return cls(
            roots=roots,
            features=table[..., 0].ravel().astype(np.int64),
            thresholds=table[..., 1].ravel().astype(np.float32),
            children=(table[..., [3, 2]] + roots[:, None, None]).ravel().astype(np.int64),
            values=table[..., 4].ravel(),
            depth=depth,
        )

    def check(self, columns: int) -> None:
        """Raises ValueError for a node whose feature is not below `columns`, or whose numbers are not
        finite."""
        if not ((self.features >= 0) & (self.features < columns)).all():
            raise ValueError(f"a tree uses a feature that is not among the {columns}")
        if not (np.isfinite(self.thresholds).all() and np.isfinite(self.values).all()):
            raise ValueError("a tree has thresholds or values that are not finite")

    def scores(self, table: NDArray[np.float32]) -> Floats:
        """[n] the scores of the rows of a feature table [n, f]."""
        if not len(self.roots):
            return np.zeros(len(table), dtype=np.float32)
        cells = np.ascontiguousarray(table).ravel()
        first_cells = np.repeat(np.arange(len(table)) * table.shape[1], len(self.roots))
        nodes = np.tile(self.roots, len(table))
        leaves, moving = nodes.copy(), np.arange(len(nodes))
        for step in range(self.depth):
            # `take` on a flat array is several times as fast as indexing by row and column.
            found = cells.take(first_cells + self.features.take(nodes))
            after = self.children.take(2 * nodes + (found <= self.thresholds.take(nodes)))
            if step % _COMPRESSED == _COMPRESSED - 1:  # most leaves are far above the deepest
                leaves[moving] = after
                on = np.flatnonzero(after != nodes)
                after, first_cells, moving = after[on], first_cells[on], moving[on]
            nodes = after
        leaves[moving] = nodes
        scores: Floats = (
            self.values.take(leaves).reshape(len(table), len(self.roots)).sum(axis=1).astype(np.float32)
        )
        return scores

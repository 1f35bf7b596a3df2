"""The vectors of a collection: filtered search, inner products, and the vectors themselves."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.encode.encoder import Vectors
from citewhy.index.arrays import Floats
from citewhy.index.local.nearest import search

__all__ = ["DenseIndex"]

_FEW = 2048
"""Number of vectors up to which all of them, and their cosines, are kept as they are used: 3 and 16 MB."""


class DenseIndex:
    """The vectors of a collection at one generation."""

    def __init__(self, vectors: Any, generation: int) -> None:
        self._vectors = vectors
        self._asked = 0
        """Number of cosines that were asked for."""
        self.generation = generation

    @property
    def rows(self) -> int:
        return int(self._vectors.ntotal)

    def nearest(
        self, query: Vectors, count: int, allowed: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], Floats]:
        """At most `count` rows among those that are `allowed` [R], and their inner products with `query` [d],
        largest first; ties are in no particular order.

        If too many tie for the last places, none of these is included. Nothing is near a vector of zeros.
        """
        if not query.any():
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
        rows, products = search(self._vectors, query, count + 1, allowed)
        if len(rows) > count:
            sure = products > products[-1]
            rows, products = rows[sure], products[sure]
        return rows, products

    def scores(self, query: Vectors, rows: NDArray[Any]) -> Floats:
        """[n] inner products of `query` [d] with the vectors of `rows` [n]."""
        if not len(rows):
            return np.zeros(0, dtype=np.float32)
        # Row by row, so that a paper's score does not depend on the other papers.
        products: Floats = np.einsum("nd,d->n", self.vectors(rows), query)
        return products

    def vectors(self, rows: NDArray[Any]) -> Vectors:
        """[n, d]."""
        if self.rows <= _FEW:
            found: Vectors = self._all[rows]
            return found
        return self._decoded(rows)

    def cosines(self, rows: NDArray[Any], others: NDArray[Any]) -> Floats:
        """[n, m] inner products, rounded to six digits."""
        self._asked += len(rows) * len(others)
        if self.rows <= _FEW and self._asked > self.rows**2:  # all of them are no more work than that was
            cosines: Floats = self._all_cosines[np.ix_(rows, others)]
            return cosines
        return _rounded_products(self.vectors(rows), self.vectors(others))

    @cached_property
    def _all(self) -> Vectors:
        return self._decoded(np.arange(self.rows))

    @cached_property
    def _all_cosines(self) -> Floats:
        return _rounded_products(self._all, self._all)

    def _decoded(self, rows: NDArray[Any]) -> Vectors:
        found: Vectors = self._vectors.reconstruct_batch(np.asarray(rows, dtype=np.int64))
        return found


def _rounded_products(vectors: Vectors, others: Vectors) -> Floats:
    # The rounding of a matrix product depends on the other rows, but not in the first six digits of double
    # precision.
    rounded: Floats = np.round(vectors.astype(np.float64) @ others.T, 6).astype(np.float32)
    return rounded

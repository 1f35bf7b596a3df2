"""The vectors of a collection: filtered search, inner products, and the vectors themselves; and those of the
parts of papers, of which a paper has as many as its abstract."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from citewhy.search.encode.encoder import Vectors
from citewhy.search.index.arrays import Floats, Rows, map_array, save_array, spread
from citewhy.search.index.proved import Proofs
from citewhy.search.index.stores import SearchedVectors

_FEW = 2048
"""Number of vectors up to which all of them, and their cosines, are kept as they are used: 3 and 16 MB."""

_AT_ONCE = 256
"""Vectors that are compared at once: 400 kB, which stay in the processor's cache."""

_TILE = (20, 32)
"""Rows and columns of a matrix product that OpenBLAS makes in the calling thread, for vectors of 384
dimensions: other threads would wait for it, spinning, and a busy machine makes it wait for them."""

_STARTS, _VECTORS = "starts.npy", "vectors.f16"


class DenseIndex:
    """The vectors of papers, or of citing sentences, at one generation of a library. Thread-safe."""

    def __init__(self, store: SearchedVectors, generation: int) -> None:
        self.store = store
        self._asked = 0
        """Number of cosines that were asked for."""
        self.generation = generation

    @property
    def rows(self) -> int:
        """Number of papers or sentences, in use or not."""
        return self.store.rows

    def nearest(
        self, query: Vectors, count: int, allowed: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], Floats]:
        """At most `count` rows among those that are `allowed` [R], and their inner products with `query` [d],
        largest first; ties are in no particular order.

        If too many tie for the last places, none of these is included. Nothing is near a vector of zeros.
        """
        if not query.any():
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
        rows, products = self.store.search(query, count + 1, allowed)
        if len(rows) > count:
            sure = products > products[-1]
            rows, products = rows[sure], products[sure]
        return rows, products

    def scores(self, query: Vectors, rows: NDArray[Any]) -> Floats:
        """[n] inner products of `query` [d] with the vectors of `rows` [n]."""
        return products_of(self.vectors, rows, query)

    def vectors(self, rows: NDArray[Any]) -> Vectors:
        """[n, d]."""
        if self.rows <= _FEW:
            vectors: Vectors = self._all[rows]
            return vectors
        return self.store.get(rows)

    def cosines(
        self, rows: NDArray[Any], others: NDArray[Any], get: Callable[[NDArray[Any]], Vectors] | None = None
    ) -> Floats:
        """[n, m] inner products, rounded to six digits. `get` gives `vectors`, if somebody keeps some."""
        self._asked += len(rows) * len(others)
        if self.rows <= _FEW and self._asked > self.rows**2:  # all of them are no more work than that was
            cosines: Floats = self._all_cosines[np.ix_(rows, others)]
            return cosines
        get = get or self.vectors
        ours = get(rows)
        alike = np.array_equal(rows[: len(others)], others)
        return _rounded_products(ours, ours[: len(others)] if alike else get(others))

    @cached_property
    def _all(self) -> Vectors:
        return self.store.get(np.arange(self.rows))

    @cached_property
    def _all_cosines(self) -> Floats:
        return _rounded_products(self._all, self._all)


def inner_products(vectors: Vectors, query: Vectors) -> Floats:
    """[n] inner products of `vectors` [n, d] with `query` [d]."""
    # Row by row, so that a paper's score does not depend on the other papers.
    products: Floats = np.einsum("nd,d->n", vectors, query)
    return products


def products_of(get: Callable[[NDArray[Any]], Vectors], rows: NDArray[Any], query: Vectors) -> Floats:
    """[n] the same for the vectors of `rows` [n] that `get` gives, of which few are in memory at once."""
    products = np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        products[some] = inner_products(get(rows[some]), query)
    return products


class Parts(Protocol):
    """The vectors of the parts of papers."""

    def of(self, rows: Rows) -> tuple[NDArray[np.int64], Vectors]:
        """[p] positions in `rows`, ascending, and [p, d] vectors: those of all parts of `rows`."""
        ...


class PartVectors:
    """The vectors of the parts of a library's papers at one generation, in half precision. Thread-safe.

        starts.npy     [R + 1] the parts of row r are those from starts[r] to before starts[r + 1]
        vectors.f16    [P, d]

    They are read from the file, of a few hundred papers for each question, and not mapped into memory, where
    most of a large library would remain.
    """

    def __init__(
        self, folder: Path, generation: int, dimensions: int, proofs: Proofs = lambda _file: None
    ) -> None:
        """What has `proofs` is verified when it is read. Raises OSError or ValueError."""
        self._proof = proofs(_VECTORS)
        self.generation = generation
        self._starts = map_array(folder / _STARTS)
        self._file = os.open(folder / _VECTORS, os.O_RDONLY)
        weakref.finalize(self, os.close, self._file)
        self._dimensions = dimensions
        self._bytes = 2 * dimensions
        if os.fstat(self._file).st_size != self._bytes * int(self._starts[-1]):
            raise ValueError("another number of vectors")

    @property
    def rows(self) -> int:
        return len(self._starts) - 1

    @staticmethod
    def later() -> set[str]:
        """The files that need not be verified when they are opened."""
        return {_VECTORS}

    @property
    def counts(self) -> NDArray[np.int64]:
        """[R] number of parts."""
        counts: NDArray[np.int64] = np.diff(self._starts)
        return counts

    def of(self, rows: Rows) -> tuple[NDArray[np.int64], Vectors]:
        """Gives the vectors as `Parts.of`."""
        positions, codes = self.codes(rows)
        return positions, codes.astype(np.float32)

    def codes(self, rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.float16]]:
        """Gives what `of` gives in the precision in which it is stored."""
        starts, ends = self._starts[rows], self._starts[rows + 1]
        positions, _ = spread(starts, ends)
        read = [self._read(start, end) for start, end in zip(starts, ends, strict=True) if start < end]
        return positions, np.frombuffer(b"".join(read), dtype=np.float16).reshape(-1, self._dimensions)

    def _read(self, start: int, end: int) -> bytes:
        if self._proof is not None:
            self._proof.span(int(start) * self._bytes, int(end) * self._bytes)
        return os.pread(self._file, int(end - start) * self._bytes, int(start) * self._bytes)


def save_parts(folder: Path, starts: NDArray[np.int64], vectors: NDArray[np.float16]) -> None:
    """Writes the files of `PartVectors`. Raises OSError if any byte of them cannot be written."""
    save_array(folder / _STARTS, starts)
    with (folder / _VECTORS).open("wb") as file:
        file.write(vectors.data)


def _rounded_products(vectors: Vectors, others: Vectors) -> Floats:
    # The rounding of a matrix product depends on the other rows, but not in the first six digits of double
    # precision.
    products = np.empty((len(vectors), len(others)))
    rows, columns = vectors.astype(np.float64), others.astype(np.float64).T
    for top in range(0, len(vectors), _TILE[0]):
        for left in range(0, len(others), _TILE[1]):
            tile = np.s_[top : top + _TILE[0], left : left + _TILE[1]]
            np.matmul(rows[tile[0]], columns[:, tile[1]], out=products[tile])
    rounded: Floats = np.round(products, 6).astype(np.float32)
    return rounded

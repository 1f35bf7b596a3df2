"""`FaissStore`, a vector store with faiss: exact up to `MOST_EXACT` rows, with short codes above.

Exact search reads every vector (2 bytes a dimension): `docs/library.md` has its time by size. Above, a search
reads a code of each allowed vector (1 bit a dimension; RaBitQ, Gao and Long 2024), and compares the query
with the vectors of those that are nearest by their codes, several times as many as are asked for. A filter
leaves out what it does not allow before that, so that it costs no recall. Inverted lists did worse: of the
nearest hundred of a million papers, a sentence found .91 in every eighth list (docs/log/engines.md).
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.search.encode.encoder import Vectors
from citewhy.search.index.arrays import Floats, Rows, map_array, save_array
from citewhy.search.index.proved import Proof, Proofs
from citewhy.search.index.vectors import products_of

MOST_EXACT = 250_000
"""Rows up to which every vector is read: in 30 to 40 ms."""

_COMPARED, _LEAST = 6, 2000
"""Vectors that are compared with the query for each that is asked for, and at least."""

_QUERY_BITS = 4
"""Bits of each dimension of a query that is compared with codes."""

_LEARNED = 50_000
"""Vectors of which the mean is taken, from which codes say the direction."""

_BLOCK = 65_536

_FILE, _CODES, _ROTATION, _VECTORS = "vectors.faiss", "codes.faiss", "rotation.npy", "vectors.f16"
"""The file of an exact store; those of one with codes."""

_WRITTEN = 1 << 20
"""Bytes that are written at once."""


class FaissStore:
    """A `VectorStore` in half precision, mapped into memory when it is loaded."""

    def __init__(self, index: Any, coded: _Coded | None = None) -> None:
        """`index` has the vectors or, with `coded`, their codes."""
        self._index = index
        self._coded = coded

    @classmethod
    def build(cls, vectors: NDArray[np.float16], most_exact: int | None = None) -> FaissStore:
        """Makes a store of `vectors` [R, d], exact if there are at most `most_exact` (None: `MOST_EXACT`)."""
        if len(vectors) <= (MOST_EXACT if most_exact is None else most_exact):
            return cls(_exact(vectors))
        rotation = _rotation(vectors.shape[1])
        return cls(_codes(vectors, rotation), _Coded(vectors, rotation))

    @property
    def rows(self) -> int:
        """The number R of vectors."""
        return int(self._index.ntotal)

    @property
    def exact(self) -> bool:
        """Whether a search reads every vector."""
        return self._coded is None

    def search(self, query: Vectors, count: int, allowed: NDArray[np.bool_]) -> tuple[Rows, Floats]:
        """Searches as `VectorStore` says; with codes, nearly all of the nearest are found."""
        among = int(np.count_nonzero(allowed))
        few = min(count, among)
        if not few:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
        if self._coded is None:
            return self._nearest(query, few, allowed)
        compared = max(_COMPARED * count, _LEAST)
        if compared < among:
            rows = np.sort(self._nearest(self._coded.rotation @ query, compared, allowed)[0])
        else:
            rows = np.flatnonzero(allowed)
        products = products_of(self.get, rows, query)
        best = np.argsort(-products, kind="stable")[:few]
        return rows[best], products[best]

    def _nearest(self, query: Vectors, count: int, allowed: NDArray[np.bool_]) -> tuple[Rows, Floats]:
        """The nearest rows as faiss finds them, by vectors or codes; codes by two threads, each its half."""
        if self.exact:
            return self._nearest_of(query, count, allowed)
        middle = len(allowed) // 2
        halves = np.zeros((2, len(allowed)), dtype=np.bool_)
        halves[0, :middle], halves[1, middle:] = allowed[:middle], allowed[middle:]
        other = _second_thread().submit(self._nearest_of, query, count, halves[1])
        found = [self._nearest_of(query, count, halves[0]), other.result()]
        rows = np.concatenate([rows for rows, _ in found])
        scores = np.concatenate([scores for _, scores in found])
        best = np.argsort(-scores, kind="stable")[:count]
        return rows[best], scores[best]

    def _nearest_of(self, query: Vectors, count: int, allowed: NDArray[np.bool_]) -> tuple[Rows, Floats]:
        import faiss

        only: Any = faiss.IDSelectorBitmap(np.packbits(allowed, bitorder="little"))  # type: ignore[call-arg, arg-type, unused-ignore] # as SWIG wraps it
        how: Any = faiss.SearchParameters() if self.exact else faiss.RaBitQSearchParameters()
        how.sel = only
        if not self.exact:
            how.qb = _QUERY_BITS
        # One query is one thread's work; others that OpenMP starts for it would wait, spinning. The setting
        # is that of the calling thread.
        faiss.omp_set_num_threads(1)
        scores, rows = self._index.search(query[None, :], count, params=how)
        present = rows[0] >= 0
        return rows[0][present], scores[0][present]

    def get(self, rows: NDArray[Any]) -> Vectors:
        """[n, d] the vectors of `rows`."""
        if self._coded is not None:
            return self._coded.get(np.asarray(rows, dtype=np.int64))
        vectors: Vectors = self._index.reconstruct_batch(np.asarray(rows, dtype=np.int64))
        return vectors

    def save(self, folder: Path) -> None:
        """Writes files into `folder`. Raises OSError if any byte of them cannot be written."""
        if self._coded is None:
            _write(self._index, folder / _FILE)
            return
        _write(self._index, folder / _CODES)
        self._coded.save(folder)

    @classmethod
    def load(cls, folder: Path) -> FaissStore:
        """Maps the files into memory. Raises RuntimeError if faiss cannot read them; OSError, ValueError."""
        return cls.load_proved(folder, lambda _file: None)

    @classmethod
    def load_proved(cls, folder: Path, proofs: Proofs) -> FaissStore:
        """Loads as `load`; vectors with codes are verified when they are read."""
        if not (folder / _CODES).exists():
            return cls(_read(folder / _FILE))
        codes = _read(folder / _CODES)
        rotation = map_array(folder / _ROTATION)
        vectors = np.asarray(np.memmap(folder / _VECTORS, dtype=np.float16, mode="r"))
        return cls(codes, _Coded(vectors.reshape(codes.ntotal, -1), rotation, proofs(_VECTORS)))

    @staticmethod
    def later() -> set[str]:
        """The files that `load_proved` verifies."""
        return {_VECTORS}


@cache
def _second_thread() -> ThreadPoolExecutor:
    """The thread that searches the other half of codes; faiss holds no lock of Python meanwhile."""
    return ThreadPoolExecutor(1, "codes")


os.register_at_fork(after_in_child=_second_thread.cache_clear)  # a thread does not survive a fork


class _Coded:
    """What codes are made of: vectors [R, d], and the rotation [d, d] after which all dimensions say equally
    much."""

    def __init__(self, vectors: NDArray[np.float16], rotation: Floats, proof: Proof | None = None) -> None:
        self._vectors = vectors
        self.rotation = rotation
        self._proof = proof

    def get(self, rows: NDArray[np.int64]) -> Vectors:
        if self._proof is not None:
            size = 2 * self._vectors.shape[1]
            self._proof.at(rows * size, size)
        return self._vectors[rows].astype(np.float32)

    def save(self, folder: Path) -> None:
        save_array(folder / _ROTATION, self.rotation)
        with (folder / _VECTORS).open("wb") as file:
            for start in range(0, len(self._vectors), _BLOCK):
                file.write(np.ascontiguousarray(self._vectors[start : start + _BLOCK]).data)


def _exact(vectors: NDArray[np.float16]) -> Any:
    """A faiss index of the rows of `vectors` [n, d], by inner product, in half precision."""
    import faiss

    exact = faiss.IndexScalarQuantizer(
        vectors.shape[1], faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
    )
    for start in range(0, len(vectors), _BLOCK):
        exact.add(vectors[start : start + _BLOCK].astype(np.float32))  # type: ignore[call-arg, unused-ignore] # as SWIG wraps it
    return exact


def _codes(vectors: NDArray[np.float16], rotation: Floats) -> Any:
    """A faiss index of the codes of the rows of `vectors` [n, d]."""
    import faiss

    codes: Any = faiss.IndexRaBitQ(vectors.shape[1], faiss.METRIC_INNER_PRODUCT)
    some = np.sort(np.random.default_rng(0).permutation(len(vectors))[:_LEARNED])
    codes.train(vectors[some].astype(np.float32) @ rotation.T)
    for start in range(0, len(vectors), _BLOCK):
        codes.add(vectors[start : start + _BLOCK].astype(np.float32) @ rotation.T)
    return codes


def _rotation(dimensions: int) -> Floats:
    """[d, d] a random rotation."""
    random = np.random.default_rng(0).standard_normal((dimensions, dimensions))
    return np.linalg.qr(random)[0].astype(np.float32)


def _write(index: Any, path: Path) -> None:
    """Raises OSError if any byte cannot be written, which faiss either calls a RuntimeError or, when closing,
    ignores."""
    import faiss

    failed: list[OSError] = []
    with path.open("wb") as file:

        def write(data: bytes) -> int:
            try:
                return file.write(data)
            except OSError as error:
                failed.append(error)
                raise

        try:
            writer: Any = faiss.PyCallbackIOWriter(write, _WRITTEN)  # type: ignore[attr-defined, unused-ignore]
            faiss.write_index(index, writer)
        except RuntimeError as error:
            raise (failed[0] if failed else OSError(str(error))) from error


def _read(path: Path) -> Any:
    """Maps a file into memory."""
    import faiss

    # By its handle, because faiss takes no name that is not UTF-8; the file stays mapped without it.
    with path.open("rb") as file:
        return faiss.read_index(f"/dev/fd/{file.fileno()}", faiss.IO_FLAG_MMAP_IFC)

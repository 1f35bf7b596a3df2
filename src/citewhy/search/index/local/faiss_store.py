"""`FaissStore`, a vector store with faiss: exact up to `MOST_EXACT` rows, inverted lists above.

Exact search reads every vector (2 bytes a dimension): `docs/library.md` has its time by size. Above, vectors
are in lists by their nearest centroid (Sivic and Zisserman 2003), and a search reads as many lists as are
needed to find `RECALL` of the exact neighbours, measured with vectors of the collection when the lists are
built.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.search.encode.encoder import Vectors
from citewhy.search.index.arrays import Floats, Rows

MOST_EXACT = 1_000_000

RECALL, AT = 0.99, 100
"""Share of the exact first `AT` that approximate search must find."""

_ASKED = 200
"""Number of vectors with which recall is measured, among the first 4 · `AT`: as deep as a filter that keeps a
quarter looks."""

_BLOCK = 65_536

_FILE = "vectors.faiss"

_WRITTEN = 1 << 20
"""Bytes that are written at once."""


class FaissStore:
    """A `VectorStore` in half precision, mapped into memory when it is loaded."""

    def __init__(self, index: Any) -> None:
        self._index = index

    @classmethod
    def build(cls, vectors: NDArray[np.float16], most_exact: int = MOST_EXACT) -> FaissStore:
        """Makes a store of `vectors` [R, d], exact if there are at most `most_exact`."""
        return cls(_build(vectors, most_exact))

    @property
    def rows(self) -> int:
        """The number R of vectors."""
        return int(self._index.ntotal)

    @property
    def exact(self) -> bool:
        """Whether a search reads every vector."""
        return not hasattr(self._index, "nprobe")

    def search(self, query: Vectors, count: int, allowed: NDArray[np.bool_]) -> tuple[Rows, Floats]:
        """Searches as `VectorStore` says; what is approximate finds at least `RECALL` of the nearest."""
        import faiss

        few = min(count, int(np.count_nonzero(allowed)))
        if not few:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
        only: Any = faiss.IDSelectorBitmap(np.packbits(allowed, bitorder="little"))  # type: ignore[call-arg, arg-type, unused-ignore] # as SWIG wraps it
        how: Any = (
            faiss.SearchParameters(sel=only)  # type: ignore[call-arg, unused-ignore]
            if self.exact
            else faiss.SearchParametersIVF(sel=only, nprobe=self._index.nprobe)  # type: ignore[call-arg, unused-ignore]
        )
        # One query is one thread's work; others that OpenMP starts for it would wait, spinning. The setting
        # is that of the calling thread.
        faiss.omp_set_num_threads(1)
        scores, rows = self._index.search(query[None, :], few, params=how)
        present = rows[0] >= 0
        return rows[0][present], scores[0][present]

    def get(self, rows: NDArray[Any]) -> Vectors:
        """[n, d] the vectors of `rows`."""
        vectors: Vectors = self._index.reconstruct_batch(np.asarray(rows, dtype=np.int64))
        return vectors

    def save(self, folder: Path) -> None:
        """Writes one file into `folder`. Raises OSError if any byte of it cannot be written, which faiss
        either calls a RuntimeError or, when closing, ignores."""
        import faiss

        failed: list[OSError] = []
        with (folder / _FILE).open("wb") as file:

            def write(data: bytes) -> int:
                try:
                    return file.write(data)
                except OSError as error:
                    failed.append(error)
                    raise

            try:
                writer: Any = faiss.PyCallbackIOWriter(write, _WRITTEN)  # type: ignore[attr-defined, unused-ignore]
                faiss.write_index(self._index, writer)
            except RuntimeError as error:
                raise (failed[0] if failed else OSError(str(error))) from error

    @classmethod
    def load(cls, folder: Path) -> FaissStore:
        """Maps the file into memory. Raises RuntimeError if faiss cannot read it."""
        import faiss

        # By its handle, because faiss takes no name that is not UTF-8; the file stays mapped without it.
        with (folder / _FILE).open("rb") as file:
            return cls(faiss.read_index(f"/dev/fd/{file.fileno()}", faiss.IO_FLAG_MMAP_IFC))


def _build(vectors: NDArray[np.float16], most_exact: int) -> Any:
    """A faiss index of the rows of `vectors` [n, d], by inner product, in half precision."""
    import faiss

    count, dimensions = vectors.shape
    half = faiss.ScalarQuantizer.QT_fp16
    if count <= most_exact:
        exact = faiss.IndexScalarQuantizer(dimensions, half, faiss.METRIC_INNER_PRODUCT)
        _add(exact, vectors)
        return exact
    lists = max(min(int(4 * math.sqrt(count)), count // 40), 1)  # faiss requires 39 vectors for each list
    centroids = faiss.IndexFlatIP(dimensions)
    index = faiss.IndexIVFScalarQuantizer(centroids, dimensions, lists, half, faiss.METRIC_INNER_PRODUCT)
    index.by_residual = False  # so that vectors can be reconstructed exactly
    learned = np.random.default_rng(0).permutation(count)[: 64 * lists]
    index.train(vectors[learned].astype(np.float32))
    _add(index, vectors)
    index.make_direct_map()
    index.nprobe = _lists_to_read(index, vectors, lists)
    return index


def _add(index: Any, vectors: NDArray[np.float16]) -> None:
    for start in range(0, len(vectors), _BLOCK):
        index.add(vectors[start : start + _BLOCK].astype(np.float32))


def _lists_to_read(index: Any, vectors: NDArray[np.float16], lists: int) -> int:
    """The smallest power of two of lists that finds `RECALL` of the exact neighbours, or else all lists."""
    rng = np.random.default_rng(1)
    queries = vectors[rng.permutation(len(vectors))[:_ASKED]].astype(np.float32)
    _, exact = _build(vectors, most_exact=len(vectors)).search(queries, min(4 * AT, len(vectors)))
    read = 8
    while read < lists:
        index.nprobe = read
        _, nearest = index.search(queries, exact.shape[1])
        shared = [len(np.intersect1d(a, b)) for a, b in zip(nearest, exact, strict=True)]
        if sum(shared) >= RECALL * exact.size:
            return read
        read *= 2
    return lists

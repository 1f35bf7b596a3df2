"""Array types shared by indexes and their callers, and arrays in files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

Ints32 = NDArray[np.int32]

Rows = NDArray[np.int64]
"""Papers, by row. A paper's row is its number in the library (`Library.numbers`), which never changes."""


def save_array(path: Path, array: NDArray[Any]) -> None:
    """Writes a ``.npy`` file. Raises OSError if any byte of it cannot be written: `np.save` ignores an error
    of closing, which is where a full disk may be reported."""
    with path.open("wb") as file:
        plain = np.ascontiguousarray(array)
        np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(plain))
        file.write(plain.data)


class ArrayWriter:
    """Writes a ``.npy`` file of a known length in pieces. Raises OSError as `save_array`."""

    def __init__(self, path: Path, length: int, dtype: np.dtype[Any]) -> None:
        self._file = path.open("wb")
        self._dtype = dtype
        header = {"shape": (length,), "fortran_order": False, "descr": np.lib.format.dtype_to_descr(dtype)}
        np.lib.format.write_array_header_1_0(self._file, header)

    def write(self, piece: NDArray[Any]) -> None:
        """Appends the next elements."""
        self._file.write(np.ascontiguousarray(piece, dtype=self._dtype).data)

    def __enter__(self) -> ArrayWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()


_SMALL = 1 << 16
"""Bytes of a file that is read, not mapped: a mapped one stays open, and a process may open few files."""


def map_array(path: Path) -> Any:
    """A memory-mapped array; a small one is read. Raises OSError or ValueError."""
    if path.stat().st_size <= _SMALL:
        return np.load(path, allow_pickle=False)
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        mapped = np.load(path, allow_pickle=False)
    # A plain view: slicing a memmap takes several times as long as slicing an array.
    return np.asarray(mapped).view(np.ndarray)


def offsets(sizes: Sequence[int] | NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """[n + 1] where each of n groups of these sizes begins, and the last ends."""
    return np.concatenate([[0], np.cumsum(np.asarray(sizes, dtype=np.int64))]).astype(np.int64)


def sorted_pairs(pairs: Iterable[tuple[int, int]]) -> Ints32:
    """[n, 2] the pairs in their order."""
    return np.array(sorted(pairs), dtype=np.int32).reshape(-1, 2)


def union(*rows_of: Rows) -> Rows:
    """The union of several lists of papers, ascending, without duplicates."""
    rows = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *rows_of]))  # faster than `np.unique`
    first = np.ones(len(rows), dtype=np.bool_)
    first[1:] = rows[1:] != rows[:-1]
    return rows[first]


def common(rows_of: Sequence[Rows]) -> Rows:
    """The papers that are in all of several lists (at least one), each of which is ascending and without
    duplicates; ascending."""
    shared, *others = sorted(rows_of, key=len)
    for rows in others:
        if len(shared):
            places = np.minimum(np.searchsorted(rows, shared), len(rows) - 1)
            shared = shared[rows[places] == shared]
    return shared


def spread(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All indices in the ranges ``starts[i]:ends[i]``, and for each the number i of its range."""
    sizes = ends - starts
    owners = np.repeat(np.arange(len(sizes)), sizes)
    before = np.cumsum(sizes) - sizes
    return owners, np.arange(len(owners)) + (starts - before)[owners]

"""Large files of an index, of which each block is verified when it is first read.

To verify a whole index before its first answer takes as long as to read it: seconds for a million papers,
minutes on a slow disk. So a manifest has a checksum for every block of a large file, and what has not been
compared with it is never handed out. A damaged block raises DamagedError, and the folder loses its manifest:
it is found damaged at the next opening, and is made again.
"""

from __future__ import annotations

import os
import weakref
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.artifact import BLOCK, MANIFEST
from citewhy.base.errors import DamagedError
from citewhy.search.index.arrays import map_array


class Damage:
    """Whether a damaged block has been found in what an opened index reads."""

    def __init__(self) -> None:
        self.found = False


class Proof:
    """The blocks of a file. They are read, not mapped into memory, where all that was verified would remain.
    Thread-safe: a block may be verified twice."""

    def __init__(self, path: Path, sums: str, damage: Damage) -> None:
        """`sums` are the checksums of its blocks in the manifest. Raises OSError or ValueError."""
        self._path = path
        self._sums = np.frombuffer(bytes.fromhex(sums), dtype=">u4").tolist()
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._file)
        self.size = os.fstat(self._file).st_size
        self._proved = np.zeros(len(self._sums), dtype=np.bool_)
        self._damage = damage
        if len(self._sums) != -(-self.size // BLOCK):
            raise ValueError("another number of blocks")

    def all(self) -> None:
        """Verifies the whole file. Raises DamagedError."""
        self.span(0, self.size)

    def span(self, start: int, end: int) -> None:
        """Verifies the bytes from `start` to before `end`. Raises DamagedError."""
        first, last = start // BLOCK, -(-end // BLOCK)
        if not self._proved[first:last].all():
            self._verify(first + np.flatnonzero(~self._proved[first:last]))

    def at(self, starts: NDArray[np.integer[Any]], size: int) -> None:
        """Verifies `size` bytes, less than a block, from each of `starts` [n]. Raises DamagedError."""
        if not self._proved.all():
            for blocks in (starts // BLOCK, (starts + (size - 1)) // BLOCK):
                new = blocks[~self._proved[blocks]]
                if len(new):
                    self._verify(np.unique(new))

    def spans(self, starts: NDArray[np.integer[Any]], ends: NDArray[np.integer[Any]]) -> None:
        """Verifies the bytes from each of `starts` [n] to before each of `ends` [n]. Raises DamagedError."""
        if not len(starts) or self._proved.all():
            return
        first, last = starts // BLOCK, np.maximum(ends - 1, starts) // BLOCK
        for start, end in np.stack([starts, ends], axis=1)[last - first > 1].tolist():
            self.span(start, end)
        new = np.concatenate([first[~self._proved[first]], last[~self._proved[last]]])
        if len(new):
            self._verify(np.unique(new))

    def _verify(self, blocks: NDArray[np.integer[Any]]) -> None:
        for block in blocks.tolist():
            if zlib.crc32(os.pread(self._file, BLOCK, block * BLOCK)) != self._sums[block]:
                self._damage.found = True
                (self._path.parent / MANIFEST).unlink(missing_ok=True)
                raise DamagedError(
                    "a part of the index has changed since it was written",
                    path=self._path,
                    hint="ask again: it is made again from the library, which is whole",
                )
            self._proved[block] = True


Proofs = Callable[[str], Proof | None]
"""Gives the proof of a file of a folder by its name; None for a file that is verified as a whole."""


def proofs(folder: Path, manifest: Mapping[str, Any], damage: Damage) -> Proofs:
    """The proofs of the large files of a folder with this manifest."""

    def of(name: str) -> Proof | None:
        sums = manifest["files"].get(name, {}).get("blocks")
        return None if sums is None else Proof(folder / name, sums, damage)

    return of


class ProvedArray:
    """An array of one dimension in a ``.npy`` file, mapped into memory, of which what is read is verified."""

    def __init__(self, path: Path, proof: Proof) -> None:
        """Raises OSError or ValueError, and DamagedError."""
        self._array: NDArray[Any] = map_array(path)
        self._proof = proof
        self._header = path.stat().st_size - self._array.nbytes
        proof.span(0, self._header)
        self.dtype = self._array.dtype

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, key: slice | NDArray[np.integer[Any]]) -> NDArray[Any]:
        """The elements in a slice without a step, or at indices from 0."""
        size = self._array.itemsize
        if isinstance(key, slice):
            start, end, _ = key.indices(len(self))
            if start < end:
                self._proof.span(self._header + start * size, self._header + end * size)
        else:
            self._proof.at(self._header + np.asarray(key, dtype=np.int64) * size, size)
        return self._array[key]

    def spans(
        self, starts: NDArray[np.int64], ends: NDArray[np.int64], places: NDArray[np.int64]
    ) -> NDArray[Any]:
        """The elements at `places`, all of which are between `starts` [n] and `ends` [n]: there are far fewer
        blocks to look after than places."""
        size = self._array.itemsize
        wanted = starts < ends
        self._proof.spans(self._header + starts[wanted] * size, self._header + ends[wanted] * size)
        return self._array[places]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self[:], dtype=dtype, copy=copy)

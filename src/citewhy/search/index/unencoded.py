"""An index whose texts are not encoded yet: it answers from words, names, citing sentences and citations, or
also from the vectors of papers and sentences, while the parts of abstracts are encoded.

The vectors of a part of the papers would not help: those that have one would come before those that have
none. Of 300 questions in a library of another field, R@10 is .58 with all vectors, .55 with none, and .42
with those of every second paper (`benchmarks/partial_vectors.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.search.encode.encoder import Encoder, Vectors
from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.index.opened import Index
from citewhy.search.index.vectors import DenseIndex


@dataclass(frozen=True, slots=True)
class _NoVectors:
    """Vectors of zeros, which nothing is near to: `SearchedVectors`."""

    rows: int
    dimensions: int

    def search(self, query: Vectors, count: int, allowed: NDArray[np.bool_]) -> tuple[Rows, Floats]:
        """Finds nothing."""
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)

    def get(self, rows: NDArray[Any]) -> Vectors:
        """[n, d] zeros."""
        return np.zeros((len(rows), self.dimensions), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class _NoParts:
    """No paper has vectors of parts: `Parts`."""

    dimensions: int

    def of(self, rows: Rows) -> tuple[NDArray[np.int64], Vectors]:
        """Gives no position and no vector."""
        return np.zeros(0, dtype=np.int64), np.zeros((0, self.dimensions), dtype=np.float32)


def without_parts(index: Index, encoder: Encoder, *, as_chosen: bool = False) -> Index:
    """The index, as if no abstract had parts, which are not encoded yet, or are not to be (`as_chosen`). A
    draft that asks its own bibliography loses nothing that can be seen by that (docs/log/ranking.md)."""
    none = _NoParts(encoder.dimensions)
    return replace(index, part_vectors=none, lacks_parts=True, as_chosen=as_chosen)


def without_vectors(index: Index, encoder: Encoder, unencoded: int, *, as_chosen: bool = False) -> Index:
    """The index, as if all its texts were without words to the encoder; `unencoded` of them, more than 0, are
    not encoded yet, or are not to be (`as_chosen`)."""
    size, generation = encoder.dimensions, index.generation
    return replace(
        index,
        encoder=encoder.fingerprint,
        paper_vectors=DenseIndex(_NoVectors(index.tables.rows, size), generation),
        part_vectors=_NoParts(size),
        sentence_vectors=DenseIndex(_NoVectors(len(index.tables.context_years), size), generation),
        unencoded=unencoded,
        as_chosen=as_chosen,
    )

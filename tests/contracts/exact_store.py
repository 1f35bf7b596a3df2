"""A vector store that reads every vector."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index.arrays import Floats, Rows


class ExactStore:
    """The vectors as one array."""

    def __init__(self, vectors: NDArray[np.float16]) -> None:
        self._vectors = vectors.astype(np.float32)

    @classmethod
    def build(cls, vectors: NDArray[np.float16]) -> ExactStore:
        return cls(vectors)

    def save(self, folder: Path) -> None:
        np.save(folder / "vectors.npy", self._vectors.astype(np.float16))

    @classmethod
    def load(cls, folder: Path) -> ExactStore:
        return cls(np.load(folder / "vectors.npy"))

    @property
    def rows(self) -> int:
        return len(self._vectors)

    def search(self, query: Floats, count: int, allowed: NDArray[np.bool_]) -> tuple[Rows, Floats]:
        rows = np.flatnonzero(allowed)
        products = np.einsum("nd,d->n", self._vectors[rows], query)
        best = np.argsort(-products)[:count]
        return rows[best], products[best]

    def get(self, rows: NDArray[Any]) -> Floats:
        vectors: Floats = self._vectors[rows]
        return vectors

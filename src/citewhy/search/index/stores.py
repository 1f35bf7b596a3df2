"""`VectorStore`: what searches vectors. Another one is written outside of CiteWhy (`docs/extending.md`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from citewhy.search.encode.encoder import Vectors
from citewhy.search.index.arrays import Floats, Rows


class SearchedVectors(Protocol):
    """Vectors that are searched: row r has that of the paper or sentence with number r."""

    @property
    def rows(self) -> int:
        """The number R of vectors."""
        ...

    def search(self, query: Vectors, count: int, allowed: NDArray[np.bool_]) -> tuple[Rows, Floats]:
        """The `count` rows with the largest inner products with `query` [d] among those that are `allowed`
        [R], and these products, largest first; fewer if fewer are allowed. Ties are in any order."""
        ...

    def get(self, rows: NDArray[Any]) -> Vectors:
        """[n, d] the vectors of `rows` [n], in single precision."""
        ...


class VectorStore(SearchedVectors, Protocol):
    """The vectors of papers, or of citing sentences, in a folder. It never changes, and is thread-safe.

    Row r has the vector of the paper or sentence with number r: of length 1, or zeros where the number is not
    in use or the text has no words. The engine keeps the folder with its checksums and its generation, and
    builds a new store where the library has changed.
    """

    @classmethod
    def build(cls, vectors: NDArray[np.float16]) -> Self:
        """Makes a store of `vectors` [R, d]; this may take long."""
        ...

    def save(self, folder: Path) -> None:
        """Writes files into an empty `folder`. Raises OSError if any byte of them cannot be written."""
        ...

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Opens what `save` wrote. Raises OSError, RuntimeError or ValueError if it is damaged."""
        ...

"""`SearchedByServer`: vectors that a server searches, and that are looked up here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.search.encode.encoder import Vectors
from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.index.milvus.collection import MOST, Collection
from citewhy.search.index.milvus.told import Served
from citewhy.search.index.stores import SearchedVectors

_BEYOND = 16
"""Rows beyond those that are wanted: the server may order differently what is nearly equal."""

_ROUNDING = 1e-5
"""How much the products of a server may differ from ours."""


@dataclass(frozen=True, slots=True)
class SearchedByServer:
    """The vectors of papers, or of citing sentences: `SearchedVectors`."""

    collection: Collection
    served: Served
    local: SearchedVectors
    """The same vectors, of which the products are computed."""

    @property
    def rows(self) -> int:
        """The number R of vectors."""
        return self.local.rows

    def search(self, query: Vectors, count: int, allowed: NDArray[np.bool_]) -> tuple[Rows, Floats]:
        """Searches as `SearchedVectors`, exactly if the server's index is exact. More rows than a server
        returns are searched here."""
        told = self.served.told(allowed)
        if told is None:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
        wanted = min(count, int(np.count_nonzero(self.served.rows & allowed)))
        asked = min(wanted, told.rows) + _BEYOND
        while asked <= MOST:
            found, theirs = self.collection.search("vector", query, asked, told.partitions, told.condition)
            rows = found[(found < self.rows) & allowed[np.minimum(found, self.rows - 1)]]
            products: Floats = np.einsum("nd,d->n", self.get(rows), query)
            best = np.argsort(-products, kind="stable")[:wanted]
            is_all = len(found) < asked
            if is_all or (len(best) == wanted and theirs[-1] < products[best[-1]] - _ROUNDING):
                return rows[best], products[best]
            asked *= 2
        return self.local.search(query, count, allowed)

    def get(self, rows: NDArray[Any]) -> Vectors:
        """[n, d] the vectors of `rows` [n], in single precision."""
        return self.local.get(rows)

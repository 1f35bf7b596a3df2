"""Meaning: how near the vectors of papers are to the vector of the query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.encode.encoder import Encoder, TextKind, Vectors
from citewhy.encode.texts import query_text
from citewhy.index.bm25 import Floats
from citewhy.index.dense import DenseIndex
from citewhy.records import Query

__all__ = ["Meaning", "meaning"]

NEAREST = 500
"""Papers that meaning alone makes candidates."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The query's vector, and the papers nearest to it."""

    index: DenseIndex
    query: Vectors
    """[d]."""
    nearest: NDArray[np.int64]
    """[n] rows, the nearest first."""
    cosines: Floats
    """[n]."""

    def scores(self, rows: NDArray[Any]) -> Floats:
        """[len(rows)] cosines of any rows; 0 for a paper without words."""
        return self.index.scores(self.query, rows)


def meaning(
    index: DenseIndex,
    encoder: Encoder,
    query: Query,
    allowed: NDArray[np.bool_],
    id_ranks: NDArray[np.int32],
    count: int = NEAREST,
) -> Meaning:
    """`allowed` [R] marks the candidates; `id_ranks` [R] settle ties.

    Where more than `count` papers tie for the last places, none of these is among the nearest. Nothing is
    near to a query without words.
    """
    # A whole paper asks at a paper's length.
    kind: TextKind = "paper" if query.kind == "global" else "query"
    vector = encoder.encode([query_text(query)], kind)[0]
    rows, cosines = index.nearest(vector, count + 1 if vector.any() else 0, allowed)
    if len(rows) > count:
        sure = cosines > cosines[-1]
        rows, cosines = rows[sure], cosines[sure]
    order = np.lexsort((id_ranks[rows], -cosines))
    return Meaning(index, vector, rows[order], cosines[order])

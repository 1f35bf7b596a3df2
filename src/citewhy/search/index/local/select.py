"""The best of many papers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index.arrays import Floats
from citewhy.search.index.engine import Hits, best_first

__all__ = ["best"]


def best(rows: NDArray[Any], scores: Floats, id_ranks: NDArray[np.int32], count: int) -> Hits:
    """The `count` papers of `rows` [n] with the largest `scores` [n] above 0, best first, ties by paper id.
    `id_ranks` are those of all papers."""
    if count < len(scores):
        # The smallest negated values: numpy finds them twenty times as fast as the largest values.
        floor = -np.partition(-scores, count - 1)[count - 1]
        kept = np.flatnonzero(scores >= max(floor, np.float32(0)))
        rows, scores = rows[kept], scores[kept]
    kept = np.flatnonzero(scores > 0)
    rows, scores = rows[kept].astype(np.int64), scores[kept]
    order = best_first(scores, id_ranks[rows])[:count]
    return Hits(rows[order], scores[order])

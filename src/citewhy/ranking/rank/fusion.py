"""Reciprocal rank fusion: combines rankings whose scores are not comparable.

Source: Cormack et al. 2009, "Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning
Methods".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from citewhy.search.index import Hits
from citewhy.search.index.arrays import Floats, Rows

RRF = 60
"""The constant k of Σ 1 / (k + rank), as published."""


def reciprocal_ranks(rankings: Sequence[Hits]) -> tuple[Rows, Floats]:
    """[n] the papers of all `rankings`, ascending, and [n] the sums of their reciprocal ranks; higher is
    better. Equal scores share a rank."""
    rows = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *(hits.rows for hits in rankings)]))
    scores = np.zeros(len(rows), dtype=np.float32)
    for hits in rankings:
        ranks = 1 + np.searchsorted(-hits.scores, -hits.scores).astype(np.float32)
        scores[np.searchsorted(rows, hits.rows)] += 1 / (RRF + ranks)
    return rows, scores

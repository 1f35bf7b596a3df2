"""Tables of the features of the last step of ranking."""

from __future__ import annotations

import numpy as np

from citewhy.ranking.rank.last_step_features import LAST_STEP_FEATURES

__all__ = ["table"]


def table(**columns: list[float]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """[candidates, features] zeros, but for the named columns."""
    size = len(next(iter(columns.values())))
    found = np.zeros((size, len(LAST_STEP_FEATURES)), dtype=np.float32)
    for name, values in columns.items():
        found[:, LAST_STEP_FEATURES.index(name)] = values
    return found

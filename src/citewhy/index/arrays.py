"""The arrays that cross the seam between an index and what asks it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Rows"]

Floats = NDArray[np.float32]

Rows = NDArray[np.int64]
"""Papers, by row. A paper's row is its number in the library (`Library.numbers`), which it keeps for life."""

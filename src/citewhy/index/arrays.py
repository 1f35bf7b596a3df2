"""Array types shared by indexes and their callers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Rows"]

Floats = NDArray[np.float32]

Rows = NDArray[np.int64]
"""Papers, by row. A paper's row is its number in the library (`Library.numbers`), which never changes."""

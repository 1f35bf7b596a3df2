"""Where the collections and drafts are that benchmarks use, unless told otherwise."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["DATA", "DRAFTS"]

_SHARED = Path(__file__).parents[2] / "shared"

DATA = Path(os.environ.get("CITEWHY_DATA", _SHARED / "data"))

DRAFTS = Path(os.environ.get("CITEWHY_DRAFTS", _SHARED / "drafts"))

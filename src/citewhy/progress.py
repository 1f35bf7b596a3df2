"""How long work says what it is doing; whoever shows it (a bar, a log, nobody) is not its business."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["Tell", "encoding", "silent"]

Tell = Callable[[str, float | None], None]
"""What is being done, and the share of it that is done, in [0, 1]; None where nobody knows."""


def silent(_what: str, _share: float | None) -> None:
    """Tells nobody."""


def encoding(tell: Tell) -> Callable[[int, int], None]:
    """Tells how many papers are encoded, and how fast."""
    begun, first = time.monotonic(), -1

    def tell_share(done: int, everything: int) -> None:
        nonlocal begun, first
        if first < 0:
            begun, first = time.monotonic(), done  # what was in the cache says nothing about speed
        passed = time.monotonic() - begun
        speed = f", {(done - first) / passed:,.0f} a second" if done > first and passed > 0 else ""
        tell(f"encoding {done:,} of {everything:,} papers{speed}", done / max(everything, 1))

    return tell_share

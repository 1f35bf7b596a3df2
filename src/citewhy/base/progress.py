"""Callbacks by which long operations report their progress, independently of how it is shown."""

from __future__ import annotations

import time
from collections.abc import Callable

Progress = Callable[[str, float | None], None]
"""A function that is called with a description of the current operation, and the finished share in [0, 1]
(None if unknown)."""


def silent(_what: str, _share: float | None) -> None:
    """Ignores the progress."""


def encoding(progress: Progress) -> Callable[[int, int], None]:
    """A callback for encoding, which reports the number of encoded papers and the speed."""
    begun, first = time.monotonic(), -1

    def report(done: int, everything: int) -> None:
        nonlocal begun, first
        if first < 0:
            begun, first = time.monotonic(), done  # texts in the cache do not count towards the speed
        passed = time.monotonic() - begun
        speed = f", {(done - first) / passed:,.0f} a second" if done > first and passed > 0 else ""
        progress(f"encoding {done:,} of {everything:,} papers{speed}", done / max(everything, 1))

    return report

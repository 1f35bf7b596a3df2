"""Checks that time grows linearly with the input, which holds on any machine, unlike a limit in seconds."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

TIMES = 8
"""Ratio of the larger to the smaller input: linear time grows about 8 times, quadratic time 64 times."""

LIMIT = 32.0
"""Largest allowed ratio of times, with room for logarithms, caches and noise."""


def assert_linear(work: Callable[[str], object], unit: str, size: int = 80_000) -> None:
    """Asserts that the time of `work` on `unit`, repeated to `size` characters, grows linearly with `size`.

    Compares the CPU time with that for an eighth of the text; if the ratio is too large, which may be due to
    a disturbance, both are measured again.
    """
    whole = unit * (size // len(unit))
    part = unit * (size // TIMES // len(unit))
    short = long = float("inf")
    for _ in range(5):
        short, long = min(short, _spent(work, part)), min(long, _spent(work, whole))
        if long <= LIMIT * short:
            return
    raise AssertionError(f"{TIMES} times {unit!r} take {long / short:.0f} times as long")


def _spent(work: Callable[[str], object], text: str) -> float:
    """CPU time without garbage collection, whose time grows with everything else in memory."""
    gc.collect()
    gc.disable()
    try:
        begun = time.process_time()
        work(text)
        return time.process_time() - begun
    finally:
        gc.enable()

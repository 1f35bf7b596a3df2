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
    """Asserts that the time of `work` on `unit`, repeated to `size` characters, is linear in `size`."""
    whole = unit * (size // len(unit))
    part = unit * (size // TIMES // len(unit))
    assert_in_proportion(work, part, whole, repr(unit))


def assert_in_proportion(
    work: Callable[[str], object], part: str, whole: str, what: str, floor: float = 0.0
) -> None:
    """Asserts that the `whole`, which is `TIMES` as long as the `part`, does not take much more than `TIMES`
    as much processor time, or less than `floor` seconds.

    If the ratio is too large, which may be due to a disturbance, both are measured again.
    """
    short = long = float("inf")
    for _ in range(5):
        short, long = min(short, _spent(work, part)), min(long, _spent(work, whole))
        if long <= max(floor, LIMIT * short):
            return
    raise AssertionError(f"{TIMES} times {what} take {long / short:.0f} times as long")


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

"""How work grows with its input: a limit that holds on any machine, where one in seconds would not."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

TIMES = 8
"""The larger input over the smaller one: what is linear takes about 8 times as long, a square 64 times."""

LIMIT = 32.0
"""In between: room for logarithms, caches and noise."""


def assert_linear(work: Callable[[str], object], unit: str, size: int = 80_000) -> None:
    """`work` on `size` characters of one thing again and again takes no more than in proportion to `size`.

    Compares the process's own time with that for an eighth of the text; where the machine may have been
    disturbed, both are taken again.
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
    """Without garbage collection, whose time grows with everything else that is in memory."""
    gc.collect()
    gc.disable()
    try:
        begun = time.process_time()
        work(text)
        return time.process_time() - begun
    finally:
        gc.enable()

"""What the torture tests do, in numbers: how many cases each has, and how many were tried and failed.

The share of the full numbers is in the environment: ``TORTURE=1`` is everything (`make torture`), 0.1 a tenth
(`make test-full`), and without it a hundredth (`make test`).
"""

from __future__ import annotations

import math
import os
import resource
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

__all__ = [
    "GENEROUS",
    "LOOPS",
    "MOST_MEMORY",
    "MOST_SECONDS",
    "SHARE",
    "TRIED",
    "cases",
    "children",
    "limited",
    "loop",
]

SHARE = float(os.environ.get("TORTURE", "0.01"))

MOST_SECONDS = 60
"""Processor seconds that a process may take, many times what is promised: a hang, not a slow machine."""

MOST_MEMORY = 4 << 30
"""Address space of a process, many times what is promised."""

TRIED: Counter[str] = Counter()
"""Cases that were tried, by what was tortured; printed at the end."""


def cases(full: int, what: str) -> range:
    """The numbers of the cases of this run, at least one; `full` is the number of all."""
    count = max(1, math.ceil(full * SHARE))
    TRIED[what] += count
    return range(count)


LOOPS = {"input": 15, "draft": 37}
"""What a megabyte may cost, in calibration loops: 2 s for an input, 5 s for a draft, on the processor of
`docs/reliability.md`, where a loop takes 0.135 s."""

GENEROUS = 4
"""How many times the bound a test allows, since other work slows down a processor's caches."""


def loop() -> float:
    """Processor seconds of a loop in plain Python: the measure of this processor."""
    begun, total = time.process_time(), 0
    for number in range(5_000_000):
        total += number % 7
    return time.process_time() - begun


def children() -> float:
    """Processor seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def limited(code: str, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Runs Python code in a process of its own, with limits of processor time and memory."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))

    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        input=text,
        capture_output=True,
        text=True,
        preexec_fn=limit,
        cwd=Path(__file__).parent,
    )

"""Benchmarks: files of queries with known answers; one module for each task, imported when requested."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from citewhy.base.errors import QueryError

if TYPE_CHECKING:
    from citewhy_lab.evaluate.datasets.topics import Benchmark

__all__ = ["TASKS", "task"]

TASKS = {
    "local": "citewhy_lab.evaluate.datasets.local",
    "global": "citewhy_lab.evaluate.datasets.global_",
    "paragraph": "citewhy_lab.evaluate.datasets.paragraphs",
}
"""Name of a task → the module whose `TASK` describes it."""


def task(name: str) -> Benchmark:
    """Raises QueryError for a name that is not in `TASKS`."""
    if name not in TASKS:
        raise QueryError(f"there is no task {name!r}", hint=f"known: {', '.join(TASKS)}")
    benchmark: Benchmark = importlib.import_module(TASKS[name]).TASK
    return benchmark

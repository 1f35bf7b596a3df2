"""Benchmarks: files of queries with known answers; one module for each task, imported when requested."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from citewhy.base.errors import QueryError

if TYPE_CHECKING:
    from citewhy_lab.evaluate.datasets.topics import Task

__all__ = ["TASKS", "task"]

TASKS = {
    "local": "citewhy_lab.evaluate.datasets.local",
    "global": "citewhy_lab.evaluate.datasets.global_",
    "paragraph": "citewhy_lab.evaluate.datasets.paragraphs",
}
"""Task name to the module whose `TASK` describes it."""


def task(name: str) -> Task:
    """Raises QueryError for a name that is not in `TASKS`."""
    if name not in TASKS:
        raise QueryError(f"there is no task {name!r}", hint=f"known: {', '.join(TASKS)}")
    found: Task = importlib.import_module(TASKS[name]).TASK
    return found

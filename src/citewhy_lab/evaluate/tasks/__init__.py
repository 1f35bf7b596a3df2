"""Benchmark tasks: how the queries of a file are answered and scored.

The module of a task has `Settings`, a dataclass whose fields are the options of `citewhy evaluate` that the
task supports, and an `EVALUATOR`. It is imported when the task is requested.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy_lab.evaluate import datasets
from citewhy_lab.evaluate.outcome import Outcome

__all__ = ["EVALUATORS", "Evaluator", "evaluator"]

EVALUATORS = {
    **dict.fromkeys(datasets.TASKS, "citewhy_lab.evaluate.tasks.ranking"),
    "discourse": "citewhy_lab.evaluate.tasks.discourse",
    "linkage": "citewhy_lab.evaluate.tasks.linkage",
    "intent": "citewhy_lab.evaluate.tasks.intent",
    "aspects": "citewhy_lab.evaluate.tasks.aspects",
    "documents": "citewhy_lab.evaluate.tasks.documents",
    "needs": "citewhy_lab.evaluate.tasks.needs",
    "sets": "citewhy_lab.evaluate.tasks.sets",
}
"""Task name to the module whose `EVALUATOR` measures it."""


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Measures a task. `settings` is a dataclass: its fields other than ``task`` and ``file`` are options."""

    settings: type[Any]
    evaluate: Callable[[Any, Progress], Outcome]

    @property
    def options(self) -> frozenset[str]:
        """Names of the options that the task supports."""
        return frozenset(field.name for field in fields(self.settings)) - {"task", "file"}

    def __call__(self, task: str, file: Path, given: Mapping[str, Any], progress: Progress) -> Outcome:
        """Measures `task` on `file`; of `given`, options of other tasks are ignored."""
        return self.evaluate(
            self.settings(task, file, **{name: given[name] for name in self.options}), progress
        )


def evaluator(task: str) -> Evaluator:
    """Raises QueryError for a name that is not in `EVALUATORS`."""
    if task not in EVALUATORS:
        raise QueryError(f"there is no task {task!r}", hint=f"known: {', '.join(EVALUATORS)}")
    found: Evaluator = importlib.import_module(EVALUATORS[task]).EVALUATOR
    return found

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

from citewhy.errors import QueryError
from citewhy.evaluate import datasets
from citewhy.evaluate.outcome import Outcome
from citewhy.progress import Tell

__all__ = ["EVALUATORS", "Evaluator", "evaluator"]

EVALUATORS = {
    **dict.fromkeys(datasets.TASKS, "citewhy.evaluate.tasks.ranking"),
    "discourse": "citewhy.evaluate.tasks.discourse",
    "linkage": "citewhy.evaluate.tasks.linkage",
    "intent": "citewhy.evaluate.tasks.intent",
    "aspects": "citewhy.evaluate.tasks.aspects",
    "documents": "citewhy.evaluate.tasks.documents",
    "needs": "citewhy.evaluate.tasks.needs",
    "sets": "citewhy.evaluate.tasks.sets",
}
"""Task name to the module whose `EVALUATOR` measures it."""


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Measures a task. `settings` is a dataclass: its fields other than ``task`` and ``file`` are options."""

    settings: type[Any]
    evaluate: Callable[[Any, Tell], Outcome]

    @property
    def options(self) -> frozenset[str]:
        """Names of the options that the task supports."""
        return frozenset(field.name for field in fields(self.settings)) - {"task", "file"}

    def __call__(self, task: str, file: Path, given: Mapping[str, Any], tell: Tell) -> Outcome:
        """Measures `task` on `file`; of `given`, options of other tasks are ignored."""
        return self.evaluate(self.settings(task, file, **{name: given[name] for name in self.options}), tell)


def evaluator(task: str) -> Evaluator:
    """Raises QueryError for a name that is not in `EVALUATORS`."""
    if task not in EVALUATORS:
        raise QueryError(f"there is no task {task!r}", hint=f"known: {', '.join(EVALUATORS)}")
    found: Evaluator = importlib.import_module(EVALUATORS[task]).EVALUATOR
    return found

"""Benchmark tasks: how the queries of a file are answered and scored.

A task is a dataclass, whose fields beside ``task`` and ``file`` are the options of `citewhy evaluate` that it
supports (`declared`), with a method that measures. Its module is imported when the task is asked for. Another
package adds tasks by entry points of the group `GROUP`, ``NAME = module:CLASS``.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import fields
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy_lab.evaluate import datasets

if TYPE_CHECKING:
    from citewhy_lab.evaluate.outcome import Outcome

__all__ = ["GROUP", "TASKS", "Task", "find_task", "measure", "options"]

GROUP = "citewhy.tasks"

TASKS: Mapping[str, str] = {
    **dict.fromkeys(datasets.TASKS, "citewhy_lab.evaluate.tasks.ranking:RankingTask"),
    "discourse": "citewhy_lab.evaluate.tasks.discourse:DiscourseTask",
    "linkage": "citewhy_lab.evaluate.tasks.linkage:LinkageTask",
    "intent": "citewhy_lab.evaluate.tasks.intent:IntentTask",
    "aspects": "citewhy_lab.evaluate.tasks.aspects:AspectsTask",
    "documents": "citewhy_lab.evaluate.tasks.documents:DocumentsTask",
    "needs": "citewhy_lab.evaluate.tasks.needs:NeedsTask",
    "sets": "citewhy_lab.evaluate.tasks.sets:SetsTask",
    "audit": "citewhy_lab.evaluate.tasks.audit:AuditTask",
}
"""Name of a task → its class."""


class Task(Protocol):
    """A benchmark task with its options; a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]
    task: Any
    """Its name: a class may measure several tasks."""
    file: Any
    """The file or folder with the queries."""

    def measure(self, progress: Progress) -> Outcome:
        """Answers the queries of the file and scores the answers. Raises InputError with file and line,
        QueryError for options that do not fit."""
        ...


def find_task(name: str) -> type[Task]:
    """Returns the class of a task. Raises QueryError for a name that is neither in `TASKS` nor an entry
    point."""
    others = {point.name: point.value for point in entry_points(group=GROUP)}
    known = {**others, **TASKS}
    if name not in known:
        raise QueryError(f"there is no task {name!r}", hint=f"known: {', '.join([*TASKS, *others])}")
    module, _, attribute = known[name].partition(":")
    task: type[Task] = getattr(importlib.import_module(module), attribute)
    return task


def options(task: type[Task]) -> frozenset[str]:
    """Returns the names of the options that a task supports."""
    return frozenset(field.name for field in fields(task)) - {"task", "file"}


def measure(name: str, file: Path, given: Mapping[str, Any], progress: Progress) -> Outcome:
    """Measures a task on a file; of `given`, options of other tasks are ignored."""
    task: Any = find_task(name)
    outcome: Outcome = task(name, file, **{key: given[key] for key in options(task)}).measure(progress)
    return outcome

"""The registry of tasks: those of the package, and those of others."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress, silent
from citewhy_lab.evaluate import tasks
from citewhy_lab.evaluate.outcome import Column, Outcome
from citewhy_lab.evaluate.parameters import parameters
from citewhy_lab.evaluate.tasks import TASKS, find_task, measure, options
from citewhy_lab.evaluate.tasks.declared import DECLARED


@dataclass(frozen=True)
class LengthTask:
    """How long the file is: a task of another package."""

    task: str
    file: Path
    seed: int

    def measure(self, progress: Progress) -> Outcome:
        size = float(len(self.file.read_text()))
        return Outcome(
            self.task, self.file.name, {"queries": 1}, Column("eye", {"letters": size}, {}), self.seed
        )


@pytest.mark.parametrize("name", TASKS)
def test_every_task_has_options(name: str) -> None:
    """Each name leads to a class, whose options have a seed: intervals are drawn."""
    assert "seed" in options(find_task(name))


def test_an_option_means_the_same_everywhere() -> None:
    """Where several tasks have a field of one name, it is one option, with one default: the command shows it
    once. Every task has the options that are declared for it."""
    declared: dict[str, tuple[object, object]] = {}
    for options_of_task in DECLARED:
        for parameter in parameters(options_of_task):
            known = declared.setdefault(parameter.name, (parameter.option, parameter.default))
            assert known == (parameter.option, parameter.default), (options_of_task, parameter.name)
    assert {task for task in DECLARED for name in TASKS if issubclass(find_task(name), task)} == {*DECLARED}
    assert set().union(*(options(find_task(name)) for name in TASKS)) == {*declared}


def test_a_task_of_another_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point adds a task, which gets the options that it has fields for; a task of the package with
    the same name stays what it is."""
    points = [
        EntryPoint("length", f"{__name__}:LengthTask", tasks.GROUP),
        EntryPoint("sets", f"{__name__}:LengthTask", tasks.GROUP),
    ]
    monkeypatch.setattr(tasks, "entry_points", lambda group: points if group == tasks.GROUP else [])
    (tmp_path / "five.txt").write_text("12345")
    outcome = measure("length", tmp_path / "five.txt", {"seed": 7, "limit": 3}, silent)
    assert outcome.document()["measures"] == {"letters": 5.0}
    assert outcome.text().splitlines()[0] == "length: five.txt"
    assert find_task("sets").__name__ == "SetsTask"
    with pytest.raises(QueryError, match=r"no task 'width'; known: local, .*, audit, length"):
        find_task("width")


def test_what_a_task_does_not_have() -> None:
    """A task that ranks nothing has no run, and one without a diagram no plot; both say so."""
    outcome = Outcome("needs", "a.jsonl", {}, Column("x", {}, {}), 7)
    with pytest.raises(QueryError, match="the task needs has no run: it ranks no papers; omit --run"):
        outcome.run()
    with pytest.raises(QueryError, match="the task needs has no diagram; omit --plot"):
        outcome.plot()

"""docs/evaluation.md says what is so."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

from citewhy.doors.cli import cli
from citewhy_lab.cli.evaluate import command
from citewhy_lab.evaluate.datasets import TASKS, task
from citewhy_lab.evaluate.measures import KNOWN
from citewhy_lab.evaluate.tasks import TASKS as TASK_CLASSES

PAGE = (Path(__file__).parents[3] / "docs" / "evaluation.md").read_text()


def test_example_prints_what_the_page_says() -> None:
    """The Python example runs and prints the lines below it."""
    found = re.search(r"```python\n(.*?)```\n\n((?:    .*\n)+)", PAGE, re.DOTALL)
    assert found
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(found[1], "docs/evaluation.md", "exec"), {})
    assert printed.getvalue() == re.sub("^    ", "", found[2], flags=re.MULTILINE)


def test_commands_parse() -> None:
    """Every command on the page has options that exist."""
    commands = re.findall(r"^    citewhy evaluate (.*)$", PAGE, re.MULTILINE)
    assert len(commands) >= 3
    for line in commands:
        assert (
            command.make_context("evaluate", line.split(), **cli.context_settings).params["task"]
            in TASK_CLASSES
        )


def test_every_option_is_explained() -> None:
    """Options that change a number are on the page."""
    for name in ("--known", "--unseen", "--seed", "--baseline", "--pool", "--measure", "-k", "--out"):
        assert f"`{name}" in PAGE, name
    assert "`--plot" in PAGE


def test_tasks_and_measures() -> None:
    """The table of tasks has each task with its own measures and average; every known measure is named."""
    for name in TASKS:
        found = task(name)
        row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |"))
        assert row.split(" | ")[-2:] == [" ".join(f"`{m}`" for m in found.measures), f"{found.average} |"]
    for measure in KNOWN:
        assert re.search(rf"`{measure}(@k)?`", PAGE), measure

"""Traces: where the time of a command went, by stages within stages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from citewhy.base.errors import StorageError
from citewhy.base.trace import stage, traced, tracing
from citewhy.doors.cli import cli


@traced("inner")
def inner(value: int) -> int:
    return value + 1


def test_stages_within_stages(tmp_path: Path) -> None:
    """What is within a stage is not its own time; a stage that fails is measured."""
    told: list[str] = []
    with tracing(tmp_path / "trace.json", told.append) as trace:
        with stage("outer"):
            assert inner(1) == 2
            inner(2)
        with pytest.raises(ZeroDivisionError), stage("failing"):
            raise ZeroDivisionError
    assert [one.name for one in trace.stages] == ["inner", "inner", "outer", "failing"]
    first, second, outer, failing = trace.stages
    assert outer.own == pytest.approx(outer.seconds - first.seconds - second.seconds)
    assert failing.own == failing.seconds
    assert first.start >= outer.start
    head, *rows = told[0].splitlines()
    assert head.split() == ["stage", "times", "with", "parts", "alone"]
    assert {row.split()[0]: row.split()[1] for row in rows} == {"inner": "2", "outer": "1", "failing": "1"}
    assert max(map(len, told[0].splitlines())) <= 80
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert [(event["name"], event["ph"]) for event in events] == [(one.name, "X") for one in trace.stages]


def test_nothing_is_measured_unasked(tmp_path: Path) -> None:
    with tracing(tmp_path / "trace.json", lambda _: None) as trace:
        pass
    assert inner(1) == 2
    assert trace.stages == []


def test_the_file_cannot_be_written(tmp_path: Path) -> None:
    trace = tracing(tmp_path / "none" / "trace.json", lambda _: None)
    with pytest.raises(StorageError, match="the trace cannot be written"), trace:
        pass


def test_the_command(tmp_path: Path) -> None:
    """A command that fails is traced, too."""
    (tmp_path / "draft.md").write_text("# A\n\nNothing is cited here.\n")
    file = tmp_path / "trace.json"
    asked = CliRunner().invoke(cli, ["--trace", str(file), "suggest", str(tmp_path / "draft.md")])
    assert "draft read" in asked.stderr
    assert "draft read" in [event["name"] for event in json.loads(file.read_text())["traceEvents"]]

"""`citewhy demo`: a first answer, and what to try next."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from citewhy.base.config import CACHE_VARIABLE, LIBRARY_VARIABLE
from citewhy.doors.cli import cli


def test_a_tour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The places of the example draft that have a likely paper, in 80 columns, and three commands that there
    are, on files of one's own; a library of one's own is neither asked nor made."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setenv(LIBRARY_VARIABLE, str(tmp_path / "own"))
    done = CliRunner().invoke(cli, ["demo"], prog_name="citewhy", catch_exceptions=False)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("26 open citations; ")
    assert any(line.startswith("13. sections/retrieval.tex:19") for line in lines)
    assert max(map(len, lines)) <= 80
    named = [shlex.split(line)[1:3] for line in lines if line.startswith("  citewhy ")]
    assert [arguments[0] for arguments in named] == ["suggest", "review", "add"]
    for name, file in named:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        command.make_context(name, [file])
    assert not (tmp_path / "own").exists()

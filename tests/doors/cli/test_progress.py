"""The bar on standard error."""

from __future__ import annotations

import sys

import pytest

from citewhy.doors.cli import progress


def show(monkeypatch: pytest.MonkeyPatch, *, terminal: bool, patience: float, quiet: bool = False) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    monkeypatch.setattr(progress, "_DELAY", patience)
    with progress.progress_bar(quiet) as report:
        report("reading papers.jsonl [1]", None)
        report("indexing", 0.5)


def test_a_bar_for_people(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a terminal, what takes longer than our patience is shown, on standard error alone."""
    show(monkeypatch, terminal=True, patience=-1.0)
    printed = capsys.readouterr()
    assert "indexing" in printed.err
    assert printed.out == ""


@pytest.mark.parametrize(
    ("terminal", "patience", "quiet"),
    [(False, -1.0, False), (True, 60.0, False), (True, -1.0, True)],
    ids=["not a terminal", "soon done", "quiet"],
)
def test_no_bar(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    terminal: bool,
    patience: float,
    quiet: bool,
) -> None:
    """A file, a pipe, a short wait or --quiet get nothing."""
    show(monkeypatch, terminal=terminal, patience=patience, quiet=quiet)
    assert capsys.readouterr() == ("", "")

"""A suggested paper that was taken back: it is said, and not written without a person."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from citewhy import Session
from citewhy.base.records import Notice, Paper
from citewhy.doors.cli import cli
from citewhy.papers.library.store import Library

MOSS = Paper(
    "moss", "Moss on the Northern Walls of Old Towns", authors=("Ann Lee",), year=2004, doi="10.5555/m"
)
FERN = Paper("fern", "Ferns in the Shade of Southern Hedges", authors=("Bo Li",), year=2005, doi="10.5555/f")


@pytest.fixture
def library(tmp_path: Path) -> Path:
    with Library.open(tmp_path / "library", create=True) as library:
        library.add([MOSS, FERN, Notice("retracted", "10.5555/m", date="2010-02-06", reason="Data")])
    return tmp_path / "library"


def test_the_second_reason_says_so(library: Path) -> None:
    with Session(library) as session:
        answer = session.suggest("Moss grows on the northern walls of old towns.")
    first = answer[0]
    assert first.paper.id == "moss"
    assert [(one.kind, one.text) for one in first.reasons[1:2]] == [
        ("retracted", "was retracted: 2010-02-06, Data")
    ]
    others = [one for suggestion in answer[1:] for one in suggestion.reasons]
    assert not [one for one in others if one.kind == "retracted"]


def test_what_was_reinstated_is_not_mentioned(library: Path) -> None:
    with Library.open(library) as opened:
        opened.add([Notice("reinstated", "10.5555/m", date="2011-01-01")])
    with Session(library) as session:
        answer = session.suggest("Moss grows on the northern walls of old towns.")
    assert "retracted" not in [one.kind for one in answer[0].reasons]


def test_it_is_not_written(library: Path, tmp_path: Path) -> None:
    draft = tmp_path / "draft.md"
    text = "# Walls\n\nMoss grows on the northern walls of old towns [@Lee2004moss].\n"
    draft.write_text(text)
    asked = ["suggest", str(draft), "--library", str(library), "--write"]
    written = CliRunner().invoke(cli, asked, input="y\n")
    assert "was retracted: 2010-02-06, Data" in " ".join(written.output.split())
    assert "the paper that fits was taken back" in " ".join(written.output.split())
    assert draft.read_text() == text
    assert not list(tmp_path.glob("*.bib"))

"""Formats of corpora come into the product by entry points."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from citewhy.doors.cli import cli
from citewhy.papers.formats.registry import added_formats
from citewhy.papers.library.store import Library
from citewhy_lab.evaluate.corpora import clscisumm, parscit


def test_the_project_names_them() -> None:
    """Each is what its entry point in pyproject.toml leads to."""
    formats = added_formats().formats
    assert formats["CL-SciSumm"] is clscisumm.FORMAT
    assert formats["ParsCit"] is parscit.FORMAT


def test_they_are_added_to_a_library(toy: Path, tmp_path: Path) -> None:
    """`citewhy add` reads a folder with both, each paper under the name of its file."""
    folders = [str(toy / "clscisumm" / "P02-1040" / "Reference_XML"), str(toy / "full_texts")]
    command = ["add", *folders, "--library", str(tmp_path / "library"), "--no-vectors"]
    assert CliRunner().invoke(cli, command, catch_exceptions=False).exit_code == 0
    with Library.open(tmp_path / "library") as library:
        texts = {name: library.full_text(name) for name in ("P02-1040", "P03-1021", "N03-1017")}
    assert {name: text and len(text.sentences) for name, text in texts.items()} == {
        "P02-1040": 7,
        "P03-1021": 7,
        "N03-1017": 8,
    }

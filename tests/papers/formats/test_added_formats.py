"""Formats of other packages: which are used, for which files, and what is said of those that are broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Paper
from citewhy.papers.formats import detect, read_papers
from citewhy.papers.formats.registry import FORMATS, GROUP, Format, added_formats
from citewhy.text.source import FilePath

Register = Callable[[dict[str, str]], None]


def _read(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    yield Paper("a", "A Title")


ANYTHING = Format("anything", _read, "anything", recognise=lambda head: True)
MARKED = replace(ANYTHING, name="marked files", recognise=lambda head: head.startswith("%MARK"))
MUTE = replace(ANYTHING, recognise=None)
ODD = replace(ANYTHING, kind="oddities")


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Iterator[Register]:
    """A function that makes other packages provide formats: names of entry points, and constants of this
    module."""

    def registered(names: dict[str, str]) -> None:
        points = [EntryPoint(name, f"{__name__}:{target}", GROUP) for name, target in names.items()]
        monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)
        added_formats.cache_clear()

    yield registered
    added_formats.cache_clear()


def test_files_of_a_format(register: Register, tmp_path: Path) -> None:
    """Are recognised by their first characters, behind spaces and a byte order mark."""
    register({"marked": "MARKED"})
    path = tmp_path / "file"
    path.write_bytes(b"\xef\xbb\xbf \n%MARK of mine")
    assert detect(path) is MARKED
    assert read_papers(path) == [Paper("a", "A Title")]
    path.write_text("no %MARK at the beginning")
    with pytest.raises(InputError, match="of no known format"):
        detect(path)


def test_none_replaces_one_of_our_own(register: Register, tmp_path: Path, toy: Path) -> None:
    """A format that recognises everything gets what no reader of CiteWhy knows, also a PDF; one that is
    called like one of CiteWhy's gets nothing."""
    register({"anything": "ANYTHING"})
    assert detect(toy / "refs.bib") is FORMATS["BibTeX"]
    assert detect(toy / "anthology_new.xml") is FORMATS["Anthology"]
    (tmp_path / "paper").write_bytes(b"%PDF-1.7")
    assert detect(tmp_path / "paper") is ANYTHING
    register({"RIS": "ANYTHING", "Crossref works": "ANYTHING"})
    with pytest.raises(InputError, match="the file is a PDF"):
        detect(tmp_path / "paper")


def test_broken_formats(register: Register, tmp_path: Path) -> None:
    """Leave others usable, and are named where a file is of no other format."""
    register({"gone": "GONE", "marked": "MARKED", "mute": "MUTE", "odd": "ODD", "read": "_read"})
    path = tmp_path / "file"
    path.write_text("%MARK")
    assert detect(path) is MARKED
    path.write_text("something else")
    with pytest.raises(InputError, match="of no known format") as caught:
        detect(path)
    hint = str(caught.value)
    assert "the format 'gone' cannot be imported (AttributeError: " in hint
    assert "the format 'mute' does not say how its files are recognised; check the installation" in hint
    assert "the format 'odd' is counted as a kind that does not exist" in hint
    assert "the format 'read' is <function _read" in hint
    assert hint.startswith(f"{path}: ")

"""Each source in the layout that it writes: what is kept, what is not, and that the two are all there is."""

from __future__ import annotations

import gzip
import re
import sqlite3
from pathlib import Path

import pytest
from sample_records import SAMPLES, Sample

from citewhy.formats import detect, read
from citewhy.formats.registry import FORMATS
from citewhy.formats.report import ImportReport
from citewhy.records import Paper

REPOSITORY = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "samples"


def sample_file(name: str, folder: Path) -> Path:
    """A sample as a file of its own; a database is made of the statements that are kept in its place."""
    path = FOLDER / name
    if path.suffix != ".sql":
        return path
    made = folder / "zotero.sqlite"
    connection = sqlite3.connect(made)
    connection.executescript(path.read_text(encoding="utf-8"))
    connection.close()
    return made


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.file)
def test_what_is_kept_and_what_is_not(sample: Sample, tmp_path: Path) -> None:
    """All records of a file in their order, all fields that no record holds with their counts, and what is
    refused."""
    path = sample_file(sample.file, tmp_path)
    report = ImportReport()
    assert detect(path).name == sample.format
    assert tuple(read(path, report)) == sample.records
    left = [names for names in report.not_kept.values() if names]
    assert left == ([dict(sample.left)] if sample.left else [])
    assert report.skipped == sample.refused


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.file)
def test_a_name_does_not_matter_nor_does_a_wrapping(sample: Sample, tmp_path: Path) -> None:
    """Compressed, and under another name, a file of each source is the same."""
    if sample.file.endswith((".sql", ".pdf")):
        pytest.skip("a database is no text")
    path = tmp_path / "download"
    path.write_bytes(gzip.compress((FOLDER / sample.file).read_bytes()))
    assert tuple(read(path, ImportReport())) == sample.records


def test_every_sample_has_its_line() -> None:
    """No file lies in the folder that the table does not know, and no file is missing."""
    assert {sample.file for sample in SAMPLES} == {path.name for path in FOLDER.iterdir()}


def test_every_record_of_a_paper_is_clean() -> None:
    """Titles and names have no markup, no entities and no line ends, whatever the source writes them in."""
    papers = [record for sample in SAMPLES for record in sample.records if isinstance(record, Paper)]
    shown = [text for paper in papers for text in (paper.title, paper.abstract, paper.venue, *paper.authors)]
    assert len(papers) > 40
    assert not [text for text in shown if re.search(r"[<>{}\n]|&\w+;|  ", text)]


def test_the_documentation_names_every_format() -> None:
    """The table of docs/formats.md has a line for each format that is read, and no other."""
    text = (REPOSITORY / "docs" / "formats.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| ([^|]+?) +\|", text, re.MULTILINE)) - {"format", "---"}
    assert documented == {format_.name for format_ in FORMATS.values()}

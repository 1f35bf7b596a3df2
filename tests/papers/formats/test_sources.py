"""Each source in the layout that it writes: what is kept, what is not, and that the two are all there is."""

from __future__ import annotations

import gzip
import re
import sqlite3
from pathlib import Path

import pytest
from sample_records import SAMPLES, Sample

from citewhy.base.errors import InputError, NoPapersError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Alias, Citation, FullText, Header, Identifier, Paper, ReferenceList
from citewhy.papers.formats import detect, read
from citewhy.papers.formats.registry import FORMATS, added_formats
from citewhy.session.importing import add_files

REPOSITORY = Path(__file__).parents[3]
FOLDER = Path(__file__).parent / "samples"
PAGE = REPOSITORY / "docs" / "formats.md"

_SEEN = """
## Fields, as the sources name them

What a test reads in a file of each source, in its true layout (`tests/papers/formats/samples`). These files
have no other fields. A field with a dot is part of another one.

"""
_PAPER = ("id", "title", "abstract", "authors", "year", "venue", "doi", "url")
_KEPT = {
    Alias: "other ids",
    Citation: "citations",
    ReferenceList: "references",
    FullText: "sentences",
    Identifier: "ids to look up",
}


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
    documented = set(re.findall(r"^\| ([^|]+?) +\|", text.partition(_SEEN)[0], re.MULTILINE)) - {
        "format",
        "---",
    }
    formats = [*FORMATS.values(), *added_formats().formats.values()]
    assert documented == {format_.name for format_ in formats}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.file)
def test_the_table_of_an_import_adds_up(sample: Sample, tmp_path: Path) -> None:
    """Of each kind, read = new + updated + unchanged + refused, the first time and when it is added again;
    the library has what it had and what is new, without what was merged. The second time changes nothing."""
    path = sample_file(sample.file, tmp_path)
    for time in (1, 2):
        report = add_files(tmp_path / "library", [path], vectors=False)
        outcomes = (report.new, report.updated, report.unchanged, report.refused)
        for kind in set(report.read).union(*outcomes):
            assert report.read.get(kind, 0) == sum(each.get(kind, 0) for each in outcomes), kind
        new = report.new.get("papers", 0)
        assert report.papers_after == report.papers_before + new - report.merged
        assert time == 1 or not report.changed


NOTHING = {
    "<PubmedArticleSet></PubmedArticleSet>": "PubMed XML",
    "<xml><records></records></xml>": "EndNote XML",
    '<modsCollection xmlns="http://www.loc.gov/mods/v3"/>': "MODS XML",
    "<dblp></dblp>": "DBLP XML",
    "cff-version: 1.2.0\nmessage: Cite us.\n": "Citation File Format (CITATION.cff)",
    '@string{jws = "Journal of Wall Studies"}': "BibTeX",
    "TY  - JOUR\nER  - \n": "RIS",
    "title,author,year\n": "a table with a header (CSV)",
    "PMID- 123\n\n": "PubMed format (.nbib)",
    "%0 Journal Article\n": "EndNote tagged text (.enw)",
}
"""Files of a known format without a record."""


@pytest.mark.parametrize("text", NOTHING, ids=lambda text: NOTHING[text])
def test_a_file_that_gives_nothing(text: str, tmp_path: Path) -> None:
    """It is an error that names the format and what was expected."""
    path = tmp_path / "export"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        add_files(tmp_path / "library", [path], vectors=False)
    assert f"found no records when reading it as {NOTHING[text]}" in str(caught.value)
    assert "; expected " in str(caught.value)


ANSWERS = {
    "[]": "an empty list",
    "[null, null]": "a list of nothing but null",
    "{}": "an empty object",
    '{"meta": {"count": 0}, "results": [], "group_by": []}': "“results” of an answer of OpenAlex is empty",
    '{"status": "ok", "message-type": "work-list", "message": {"total-results": 0, "items": []}}': (
        "“items” of an answer of Crossref is empty"
    ),
    '{"total": 0, "offset": 0, "data": []}': "“data” of an answer of Semantic Scholar is empty",
    '{"total": 0, "token": null, "data": null}': "“data” of an answer of Semantic Scholar is empty",
    '{"items": []}': "the list “items” is empty",
    '{"error": "Paper not found"}': "the error “Paper not found”",
    '{"message": "Too Many Requests", "code": "429"}': "the error “Too Many Requests”",
    '{"status": "failed", "message-type": "validation-failure", "message": [{"message": "No filter"}]}': (
        "the error “No filter”"
    ),
}
"""Answers of services without papers, in their true layouts, and what is said of them."""


@pytest.mark.parametrize("text", ANSWERS, ids=lambda text: ANSWERS[text])
def test_an_answer_without_papers(text: str, tmp_path: Path) -> None:
    """It is recognised, on its own and in a folder, where it does not affect the other files."""
    path = tmp_path / "answers" / "page.json"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    with pytest.raises(NoPapersError, match="the file holds no papers") as caught:
        detect(path)
    assert ANSWERS[text] in str(caught.value)
    (path.parent / "good.json").write_text('[{"id": "a", "type": "book", "title": "A"}]', encoding="utf-8")
    report = add_files(tmp_path / "library", [path.parent], vectors=False)
    assert (report.new, report.files_refused) == ({"papers": 1}, (str(caught.value),))


@pytest.mark.parametrize(
    "text", ['{"results": [{"display_name": "x"}]}', '{"total": 0, "foo": []}', "3", "{"]
)
def test_other_json_is_of_no_known_format(text: str, tmp_path: Path) -> None:
    """A list that has something in it is no empty answer, nor is a document without a list of papers."""
    path = tmp_path / "file"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="of no known format"):
        detect(path)


# The documentation ----------------------------------------------------------------------------------------


def kept(sample: Sample) -> set[str]:
    """What the records of a sample hold, by names of fields of a paper or by kinds."""
    found: set[str] = set()
    for record in sample.records:
        paper = record.paper if isinstance(record, Header) else record
        if isinstance(paper, Paper):
            found |= {name for name in _PAPER if getattr(paper, name)}
        else:
            found.add(_KEPT.get(type(record), ""))
    return found - {""}


def table() -> str:
    """For each format with a sample, what is kept of it, and what is counted and not kept."""
    rows = ["| format | kept | counted, and not kept |", "| --- | --- | --- |"]
    for name in dict.fromkeys(sample.format for sample in SAMPLES):
        samples = [sample for sample in SAMPLES if sample.format == name]
        holds = set().union(*map(kept, samples))
        left = sorted({field.replace("/", ".") for sample in samples for field in sample.left})
        shown = ", ".join(each for each in (*_PAPER, *_KEPT.values()) if each in holds)
        rows.append(f"| {name} | {shown} | {' '.join(f'`{field}`' for field in left)} |")
    return "\n".join(rows) + "\n"


def test_the_documentation_names_every_field() -> None:
    """Its last table has what is kept and lost of the samples, by the names that the sources give."""
    page = PAGE.read_text(encoding="utf-8")
    assert page == page.partition(_SEEN)[0] + _SEEN + table(), f"run: python {Path(__file__).name}"


if __name__ == "__main__":
    PAGE.write_text(PAGE.read_text(encoding="utf-8").partition(_SEEN)[0] + _SEEN + table(), encoding="utf-8")

"""RIS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Name, Paper
from citewhy.papers.formats import Record, read

Take = Callable[..., tuple[list[Record], ImportReport]]


def papers_of(path: Path) -> list[Paper]:
    return [paper for paper in read(path, ImportReport(strict=True)) if isinstance(paper, Paper)]


def record(*lines: str) -> str:
    return "\n".join(("TY  - JOUR", *lines, "ER  - ", ""))


def test_the_toy_library_is_papers_jsonl_again(toy: Path) -> None:
    """Old and new tags, dates with slashes, resolver addresses, abstracts over two lines change nothing."""
    known = {replace(paper, id="") for paper in papers_of(toy / "papers.jsonl")}
    papers = {replace(paper, id="") for paper in papers_of(toy / "refs.ris")}
    assert len(papers) == 13
    assert papers <= known


def test_ids(toy: Path) -> None:
    """The ID tag; else the DOI; else first author, year and first word of the title."""
    ids = [paper.id for paper in papers_of(toy / "refs.ris")]
    assert ids[:4] == ["2020.acl-main.207", "10.18653/v1/2020.acl-main.703", "J93-2003", "marcus1993building"]


def test_made_ids_are_kept_apart(take: Take) -> None:
    """Two papers of one author, year and first word get different ids; the same paper twice does not."""
    first = record("TI  - The One", "AU  - Doe, Jane", "PY  - 2002")
    second = record("TI  - The Other", "AU  - Doe, Jane", "PY  - 2002")
    records, report = take(first + second + first)
    assert [paper.id for paper in records if isinstance(paper, Paper)] == ["doe2002the", "doe2002the-2"]
    assert (report.skipped, report.warned) == (0, 1)


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("AU  - Doe, Jane", "authors", ("Jane Doe",)),
        ("A1  - van der Berg, Jan", "authors", ("Jan van der Berg",)),
        ("AU  - King, Martin Luther, Jr.", "authors", ("Martin Luther King Jr.",)),
        ("AU  - World Health Organization", "authors", ("World Health Organization",)),
        ("PY  - 2002/07/06/", "year", 2002),
        ("Y1  - 2002", "year", 2002),
        ("DA  - 2002/07/06", "year", 2002),
        ("DO  - https://doi.org/10.1000/ABC", "doi", "10.1000/abc"),
        ("UR  - https://doi.org/10.1000/abc", "doi", "10.1000/abc"),
        ("UR  - https://x.org/a;b", "url", "https://x.org/a;b"),
        ("JO  - Journal", "venue", "Journal"),
        ("JF  - Journal", "venue", "Journal"),
        ("T2  - Proceedings", "venue", "Proceedings"),
        ("AB  - One\ntwo\n  three", "abstract", "One two three"),
        ("N2  - Abstract", "abstract", "Abstract"),
        ("XX  - unknown\ncontinued", "abstract", ""),
    ],
)
def test_tags(take: Take, line: str, field: str, value: object) -> None:
    """The tags of several exporters, each to its field."""
    records, report = take(record("ID  - a", "TI  - T", line))
    assert getattr(records[0], field) == value
    assert (report.skipped, report.warned) == (0, 0)


def test_layouts(take: Take) -> None:
    """Carriage returns, one space before the hyphen, text before the first record, no blank line between."""
    text = "Provider: X\nDatabase: Y\n\n" + record("ID  - a", "TI  - A") + record("ID  - b", "T1  - B")
    expected = [Paper("a", "A"), Paper("b", "B")]
    for written in (text, text.replace("\n", "\r\n"), text.replace("\n", "\r"), text.replace("  -", " -")):
        records, report = take(written, strict=True)
        assert records == expected
        assert report.warned == 0


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (record("ID  - x", "AU  - Doe"), "no title"),
        (record("TI  - "), "no title"),
        (record("TI  - ..."), "nothing to make one from"),
        ("AU  - Doe, Jane\n", "is outside of a record"),
    ],
)
def test_a_bad_record_is_skipped_and_named(take: Take, broken: str, why: str) -> None:
    """The records around it are read."""
    records, report = take(record("ID  - a", "TI  - A") + broken + record("ID  - b", "TI  - B"))
    assert records == [Paper("a", "A"), Paper("b", "B")]
    assert report.skipped == 1
    assert report.skips[0].line == 5
    assert why in report.skips[0].why
    with pytest.raises(InputError):
        take(record("ID  - a", "TI  - A") + broken, strict=True)


def test_a_record_without_its_end(take: Take) -> None:
    """It ends where the next begins, or with the file, and the report says so."""
    records, report = take("TY  - JOUR\nID  - a\nTI  - A\nTY  - JOUR\nID  - b\nTI  - B")
    assert records == [Paper("a", "A"), Paper("b", "B")]
    assert [warning.line for warning in report.warnings] == [1, 4]


def test_lines_that_follow_no_tag(take: Take) -> None:
    """What rispy answers with a KeyError costs that record only."""
    records, report = take("TY  - JOUR\nloose\nTI  - A\nER  - \n" + record("ID  - b", "TI  - B"))
    assert [paper.title for paper in records if isinstance(paper, Paper)] == ["A", "B"]
    assert report.skipped == 0


@pytest.mark.parametrize("year", ["n.d.", "in press"])
def test_a_year_that_is_none(take: Take, year: str) -> None:
    """The paper stays, with a warning."""
    records, report = take(record("ID  - a", "TI  - A", f"PY  - {year}", "DO  - none"), strict=True)
    assert records == [Paper("a", "A")]
    assert [warning.line for warning in report.warnings] == [1, 1]


@pytest.mark.parametrize(
    ("lines", "authors"),
    [
        ("AU  - Moor, Lia B.; Ort, Tom; Rue, Ana Maria", ("Lia B. Moor", "Tom Ort", "Ana Maria Rue")),
        ("AU  - Moor, Lia and Ort, Tom", ("Lia Moor", "Tom Ort")),
        ("AU  - Ort, T.\nA1  - Moor, Lia", ("T. Ort", "Lia Moor")),
        ("A1  - Moor, Lia\nAU  - Moor, L.", ("Lia Moor",)),
        ("ED  - Moor, Lia\nED  - Ort, Tom", ("Lia Moor", "Tom Ort")),
        ("AU  - Moor, Lia\nED  - Ort, Tom", ("Lia Moor",)),
        ("AU  - Ministry of Walls, Northland", ("Ministry of Walls, Northland",)),
        ("AU  - Department of Walls and Wells", ("Department of Walls and Wells",)),
    ],
)
def test_people(take: Take, lines: str, authors: tuple[str, ...]) -> None:
    """Several names on a line are several; A1 and AU are both authors; editors stand in for them."""
    records, _ = take(record("ID  - a", "TI  - T", lines))
    assert records == [Paper("a", "T", authors=authors)]


def test_names_have_parts_and_organisations_are_whole(take: Take) -> None:
    """A particle is no part of the family name alone, and an organisation has no family name."""
    records, _ = take(record("TI  - T", "AU  - van der Ort, Tom, Jr.", "AU  - World Wall Organization"))
    assert isinstance(records[0], Paper)
    person, group = records[0].authors
    assert isinstance(person, Name)
    assert (person.given, person.particle, person.family, person.suffix) == ("Tom", "van der", "Ort", "Jr.")
    assert isinstance(group, Name)
    assert group.is_literal


def test_a_record_keeps_how_it_was_published_and_its_own_lines(take: Take) -> None:
    """Type, container, volume, number, pages and date are kept, and the record verbatim."""
    text = record(
        "ID  - a",
        "TI  - Moss on <i>Murus</i> &amp; stone",
        *("T2  - Walls", "VL  - 3", "IS  - 4", "SP  - 5", "EP  - 9", "PY  - 2002", "DA  - 2002/07/06"),
        *("SN  - 1234-5678", "KW  - moss"),
    )
    records, report = take(text)
    paper = records[0]
    assert isinstance(paper, Paper)
    publication = paper.publication
    assert publication is not None
    assert (paper.title, publication.title) == ("Moss on Murus & stone", "Moss on <i>Murus</i> & stone")
    assert (publication.type, publication.container) == ("article-journal", "Walls")
    assert (publication.volume, publication.number, publication.pages) == ("3", "4", "5-9")
    assert (publication.date, publication.issn, publication.keywords) == (
        "2002-07-06",
        "1234-5678",
        ("moss",),
    )
    assert paper.source is not None
    assert (paper.source.format, paper.source.key, paper.source.text) == ("RIS", "a", text)
    assert not any(report.not_kept.values())

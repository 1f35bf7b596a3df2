"""What is written as RIS or CSL-JSON is read again as it was, as far as the format has a place for it."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

from citewhy.base.import_report import ImportReport
from citewhy.base.records import Name, Paper, Publication
from citewhy.papers.formats import csl, tagged
from citewhy.text.person import parts
from citewhy.writers import csl as as_csl
from citewhy.writers import ris as as_ris

ARTICLE = Publication(
    "article-journal",
    translators=(Name("Eva", "Sedge"),),
    container="Journal of Reeds",
    container_short="J. Reeds",
    volume="12",
    number="3",
    pages="311-318",
    publisher="Reed Press",
    place="Marsh",
    date="2004-03-09",
    accessed="2020-11-28",
    issn="0000-0019, 0000-0027",
    pmid="55500001",
    pmcid="PMC5550001",
    arxiv="0403.00001",
    language="en",
    note="With a map.",
    keywords=("reed", "rush"),
)
TALK = Publication(
    "paper-conference",
    editors=(Name("Ed", "Itor"),),
    container="Proceedings of the Reed Meeting",
    pages="e12",
    publisher="Reed Press",
    place="Marsh",
    series="Notes on Reeds",
    series_number="368",
    event="Third Reed Meeting",
    event_place="Fen",
    date="1995-11-27/1995-12-01",
    isbn="978-0-00-000000-2",
    issn="0000-0019",
)
BOOK = Publication(
    "book",
    translators=(Name("Eva", "Sedge"),),
    container="Reeds of the World",
    edition="2",
    series="Notes on Reeds",
    series_number="5168/2008",
    chapter="4",
    date="2001/2003",
    original_date="1888",
    isbn="978-0-00-000000-2",
)
CHAPTER = Publication(
    "chapter",
    editors=(Name("Ed", "Itor"), Name.literal("Board of Reeds")),
    container="Reeds of the World",
    chapter="4",
    pages="1-9",
    series_number="7",
    date="0962",
)
REPORT = Publication("report", number="TR-7", publisher="Reed Society", genre="Technical report", date="1999")
PROGRAM = Publication("software", publisher="Reed Society", version="3.1", date="2019-10")
BY_TYPE = {each.type: each for each in (ARTICLE, TALK, BOOK, CHAPTER, REPORT, PROGRAM)}

NAMES = (
    Name("Ann", "Reed"),
    Name("Jan", "Loon", "van der", "Jr."),
    Name("Lucía", "García Márquez"),
    Name("G.", "Pineau des Forêts"),
    Name("A. M.", "Network Smith"),
    Name.literal("Board of Reeds"),
    Name.literal("UNESCO"),
    Name.literal("Pike and Sons, Ltd."),
)


def read_again(paper: Paper, form: str, folder: Path) -> Paper:
    """The paper that is read from its export."""
    path = folder / "export"
    text = as_ris.entries([paper]) if form == "RIS" else as_csl.entries([paper])
    path.write_text(text, encoding="utf-8")
    read = tagged.read_ris if form == "RIS" else csl.read
    report = ImportReport()
    (again,) = read(path, report)
    assert isinstance(again, Paper)
    assert not report.not_kept
    return again


@pytest.mark.parametrize("form", ["RIS", "CSL-JSON"])
@pytest.mark.parametrize("kind", BY_TYPE)
def test_every_field_of_a_publication_comes_back(kind: str, form: str, tmp_path: Path) -> None:
    """Type, container, numbers, dates with their precision, editors, translators, identifiers."""
    paper = Paper(
        "reed2004", "Reed beds", "We count.", NAMES[:1], 2004, doi="10.5555/r.1", publication=BY_TYPE[kind]
    )
    again = read_again(paper, form, tmp_path)
    assert again.publication == BY_TYPE[kind]
    assert replace(again, venue="", year=2004) == paper


def test_the_records_have_every_field() -> None:
    """The test above has each field of a publication but for marked titles, which RIS has no place for."""
    filled = {each.name for one in BY_TYPE.values() for each in fields(one) if getattr(one, each.name)}
    assert {each.name for each in fields(Publication)} - filled == {"title"}


@pytest.mark.parametrize("form", ["RIS", "CSL-JSON"])
def test_names_come_back_by_their_parts(form: str, tmp_path: Path) -> None:
    """People with particles, suffixes and compound names, also such as organisations have; organisations."""
    again = read_again(Paper("p", "Reed beds", authors=NAMES), form, tmp_path)
    assert [parts(name).__reduce__() for name in again.authors] == [name.__reduce__() for name in NAMES]


@pytest.mark.parametrize(
    "title",
    [
        'Growth of <i>Phragmites</i> at 10<sup>3</sup> m in <span class="nocase">Marsh</span>',
        r"Decay of $\mu$ in reeds",
        r"The $\phi$0 junction",
    ],
)
def test_marked_titles_come_back_from_csl(title: str, tmp_path: Path) -> None:
    """Markup and mathematics of a title."""
    paper = Paper("p", "Reeds", publication=Publication("article-journal", title=title))
    again = read_again(paper, "CSL-JSON", tmp_path)
    assert again.publication is not None
    assert again.publication.title == title
    assert not set("<$\\") & set(again.title)


def test_two_prices_are_no_mathematics(tmp_path: Path) -> None:
    """A title with two dollars stays as it is."""
    paper = Paper("p", "Reeds at $5 to $10", publication=Publication("article-journal"))
    again = read_again(paper, "CSL-JSON", tmp_path)
    assert (again.title, again.publication) == (paper.title, paper.publication)


def test_an_address_is_no_publisher() -> None:
    """Of a source that told an address where the publisher stands, none is written."""
    known = Publication("webpage")
    paper = Paper("p", "Reed beds", venue="available at https://reeds.example", publication=known)
    assert "publisher" not in as_csl.entry(paper)

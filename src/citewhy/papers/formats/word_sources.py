"""The sources of Word: its Sources.xml, and ``customXml/item1.xml`` of a .docx.

The tag, which the citations of a document name, is the id.
"""

from __future__ import annotations

from collections.abc import Iterator

from citewhy.base.import_report import ImportReport
from citewhy.base.publication_types import csl_type
from citewhy.base.records import Name, Paper, Publication
from citewhy.papers.formats.fields import Intake, Warn
from citewhy.text.asked import Node
from citewhy.text.dates import date_of_fields, pages_of, year_in
from citewhy.text.doi import checked_doi, doi_in_url
from citewhy.text.identifiers import serial_numbers
from citewhy.text.person import inverted
from citewhy.text.source import FilePath
from citewhy.text.tidy import tidy
from citewhy.text.xml_files import elements

__all__ = ["read"]

_NAME = "Word sources"
_OF_THE_FILE = ("Guid", "LCID", "RefOrder")
_AUTHORS = (
    *("Author", "Interviewee", "Inventor", "Artist", "Performer", "Composer", "Director", "Writer"),
    *("Compiler", "Editor"),
)
"""Those who made a work, for its kinds; each kind has one of them."""
_CONTAINERS = (
    *("JournalName", "PeriodicalTitle", "BookTitle", "PublicationTitle", "InternetSiteTitle", "AlbumTitle"),
    "BroadcastTitle",
)
_PUBLISHERS = ("Publisher", "Institution", "ProductionCompany", "Distributor", "Broadcaster", "Court")


def read(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Reads the sources with a title."""
    intake = Intake(_NAME, path, report)
    for element in elements(path, ("Source",), ("Sources",), "the sources of Word"):
        source = Node(element)
        for unimportant in (one for name in _OF_THE_FILE for one in source.elements(name)):
            source.keep(unimportant)
        paper = _paper(source, intake.warn(element.sourceline))
        intake.leave(source.not_kept())
        yield from intake.papers(paper, element.sourceline, "the source has no title")


def _paper(source: Node, warn: Warn) -> Paper:
    kind = csl_type(source.text("SourceType"), "word")
    url, year = source.text("URL"), source.text("Year")
    title = source.text("Title")
    of_roles = (_people(source, role) for role in _AUTHORS)
    book = source.text("BookTitle")
    return Paper(
        source.text("Tag"),
        title or book or source.text("InternetSiteTitle"),
        "",
        next(filter(None, of_roles), ()) or _people(source, "BookAuthor"),
        year_in(year),
        source.first(*_CONTAINERS, "ConferenceName", "Institution", "Publisher") if title else "",
        checked_doi(source.text("DOI"), warn) or doi_in_url(url),
        url,
        publication=_publication(source, kind, title, year),
    )


def _publication(source: Node, kind: str, title: str, year: str) -> Publication:
    isbn, issn = serial_numbers(source.texts("StandardNumber"))
    thesis = source.text("ThesisType")
    places = filter(None, map(source.text, ("City", "StateProvince", "CountryRegion")))
    meeting = source.text("ConferenceName")
    return Publication(
        "thesis" if thesis and kind == "report" else kind,
        editors=_people(source, "Editor"),
        translators=_people(source, "Translator"),
        container=(source.first(*_CONTAINERS) or meeting) if title else "",
        volume=source.text("Volume"),
        number=source.first("Issue", "PatentNumber", "CaseNumber"),
        pages=pages_of(source.text("Pages")),
        publisher=source.first(*_PUBLISHERS),
        place=", ".join(places),
        edition=source.text("Edition"),
        chapter=source.text("ChapterNumber"),
        genre=thesis or source.text("Type"),
        event=meeting,
        date=_date(source, year, ""),
        accessed=_date(source, source.text("YearAccessed"), "Accessed"),
        isbn=isbn,
        issn=issn,
        version=source.text("Version"),
        note=source.text("Comments"),
    )


def _date(source: Node, year: str, which: str) -> str:
    return date_of_fields(year, source.text(f"Month{which}"), source.text(f"Day{which}"))


def _people(source: Node, role: str) -> tuple[str, ...]:
    """The people of a role, or the organisation; in a person, given names are ``First`` and ``Middle``."""
    names: list[str] = []
    for person in source.elements(f"Author/{role}/NameList/Person"):
        first, middle = source.texts("First", person), source.texts("Middle", person)
        given, family = " ".join([*first, *middle]), " ".join(source.texts("Last", person))
        if family and given:
            names.append(inverted(family, given))
        elif whole := family or given:
            names.append(Name.literal(whole) if " " in whole else whole)
    return tuple(names) + tuple(Name.literal(tidy(name)) for name in source.texts(f"Author/{role}/Corporate"))

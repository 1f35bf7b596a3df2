"""Crossref's XML: unixref, and unixsd around it, as its services and content negotiation answer.

The DOI is the id. A work stands inside of what it appeared in: an article inside of its journal, a chapter
inside of its book.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from citewhy.base.import_report import ImportReport
from citewhy.base.publication_types import csl_type
from citewhy.base.records import Name, Paper, Publication, Reference, ReferenceList
from citewhy.papers.formats.fields import Intake, Warn
from citewhy.papers.formats.json_services import crossref_reference, crossref_type
from citewhy.text.asked import Node
from citewhy.text.dates import date_of_parts, pages_of, year_of
from citewhy.text.doi import checked_doi, clean_doi
from citewhy.text.identifiers import serial_numbers
from citewhy.text.marked_up import abstract_of, plain, titled
from citewhy.text.person import of_parts
from citewhy.text.source import FilePath
from citewhy.text.tidy import tidy
from citewhy.text.xml_files import Element, elements, markup_of

__all__ = ["read"]

_NAME = "Crossref XML"
_SOURCE = "crossref"
"""Source of the citations, the same as of Crossref's JSON."""

_AROUND = {
    "journal": ("journal_issue", "journal_metadata"),
    "conference": ("proceedings_metadata", "proceedings_series_metadata", "event_metadata"),
    "book": ("book_metadata", "book_series_metadata", "book_set_metadata"),
    "report-paper": ("report-paper_metadata", "report-paper_series_metadata"),
    "standard": ("standard_metadata", "standard_series_metadata"),
    "database": ("database_metadata",),
}
"""What describes the whole, by the kind of what Crossref knows."""
_PARTS = {
    **{"journal_article": "journal-article", "conference_paper": "proceedings-article"},
    **{"content_item": "book-chapter", "dataset": "dataset", "component": "component"},
}
"""Elements of the parts, and Crossref's names of their types."""
_WHOLES = {
    **{"journal": "journal", "conference": "proceedings", "book": "book", "report-paper": "report"},
    **{"standard": "standard", "database": "database", "dissertation": "dissertation"},
    **{"posted_content": "posted-content", "peer_review": "peer-review", "sa_component": "component"},
}
_ENTRIES = ("reference_entry", "reference")
"""Kinds of parts and of books that say that a part is an entry of a work of reference."""
_DATES = (
    *("publication_date", "posted_date", "approval_date", "database_date/publication_date"),
    *("database_date/creation_date", "review_date"),
)
_PERIODICAL = ("article-journal", "periodical")


@dataclass(frozen=True, slots=True)
class _Work:
    """A work in a record, and what is around it: the nearest first, and nothing if it is the whole."""

    record: Node
    type: str
    item: Element
    around: tuple[Element, ...]
    publisher: str
    """As Crossref knows it; only the answers of newer services say it."""

    def own(self, *paths: str) -> str:
        """What it says itself."""
        return next((plain(text) for path in paths if (text := self.record.text(path, self.item))), "")

    def outer(self, *paths: str) -> str:
        """What it is in says."""
        places = ((path, place) for path in paths for place in self.around)
        return next((plain(text) for path, place in places if (text := self.record.text(path, place))), "")

    def any(self, *paths: str) -> str:
        return self.own(*paths) or self.outer(*paths)

    def all(self, path: str) -> list[str]:
        return [text for place in (self.item, *self.around) for text in self.record.texts(path, place)]


def read(path: FilePath, report: ImportReport) -> Iterator[Paper | ReferenceList]:
    """Papers and their reference lists, which are looked up in the library."""
    intake = Intake(_NAME, path, report)
    roots = ("doi_records", "doi_record", "crossref_result")
    for answer in elements(path, ("query", "doi_record"), roots, "XML of Crossref"):
        line = answer.sourceline
        named = answer.find("crm-item[@name='publisher-name']")
        publisher = "" if named is None else tidy(named.text or "")
        for element in answer.iter("crossref"):
            record = Node(element)
            if error := record.text("error"):
                intake.skip(line, f"Crossref answered: {error}")
                continue
            for work in _works(record, publisher):
                yield from _records(work, intake, line)
            intake.leave(record.not_kept())


def _works(record: Node, publisher: str) -> Iterator[_Work]:
    for whole in record.root:
        around = tuple(place for tag in _AROUND.get(whole.tag, ()) for place in whole.findall(tag))
        parts = [part for tag in _PARTS for part in whole.findall(tag)]
        for part in parts:
            yield _Work(record, _type_of_part(whole, part), part, around, publisher)
        if whole.tag in _WHOLES and not parts:
            item, *further = around or (whole,)
            yield _Work(record, _type_of_whole(whole), item, tuple(further), publisher)


def _type_of_part(whole: Element, part: Element) -> str:
    if whole.tag == "report-paper":
        return "report"
    in_reference_work = whole.get("book_type") == "reference" and part.get("component_type") != "section"
    if part.tag == "content_item" and (part.get("component_type") in _ENTRIES or in_reference_work):
        return "entry-encyclopedia"
    return csl_type(_PARTS[part.tag], "crossref")


def _type_of_whole(whole: Element) -> str:
    return crossref_type(_WHOLES[whole.tag], whole.get("type") or "")


def _records(work: _Work, intake: Intake, line: int | None) -> Iterator[Paper | ReferenceList]:
    paper = _paper(work, intake.warn(line))
    references = tuple(_references(work))
    for placed in intake.papers(paper, line, "the work has no title"):
        yield placed
        if references:
            yield ReferenceList(placed.id, references, (), placed.year, _SOURCE)


def _paper(work: _Work, warn: Warn) -> Paper:
    doi = checked_doi(work.own("doi_data/doi"), warn)
    for place in (work.item, *work.around):
        for data in work.record.elements("doi_data", place):
            work.record.keep(data)
    title, marked = _title(work)
    date = _date(work)
    publication = _publication(work, marked, date)
    authors = _people(work, work.item, "author") or tuple(
        name for place in work.around for name in _people(work, place, "author")
    )
    venue = publication.container or publication.series or publication.container_short or _institution(work)
    return Paper(
        doi,
        title,
        _abstract(work),
        authors or publication.editors,
        year_of(date[:4]),
        venue or publication.publisher,
        doi,
        publication=publication,
    )


def _title(work: _Work) -> tuple[str, str]:
    """The title, and the title with its markup, if it has any."""
    names = ("titles/title", "proceedings_title", "full_title", "set_metadata/titles/title")
    own = [one for name in names for one in work.record.elements(name, work.item)]
    outer = [one for place in work.around for one in place.findall("full_title")]
    title = next((one for one in (*own, *outer) if _plain(one)), None)
    if title is None:
        return "", ""
    above = title.getparent()
    subtitles = above.findall("subtitle") if above.tag == "titles" else []
    for element in (title, *subtitles[:1]):
        work.record.keep(element)
    return titled([markup_of(title)], map(markup_of, subtitles))


def _plain(element: Element) -> str:
    return plain(markup_of(element))


def _abstract(work: _Work) -> str:
    """Its own abstract, without the heading that only says that it is one."""
    for abstract in work.record.elements("abstract", work.item):
        work.record.keep(abstract)
        blocks = "".join(f"<p>{markup_of(one)}</p>" for one in abstract.iter("title", "p"))
        if text := abstract_of(blocks or markup_of(abstract)):
            return text
    return ""


def _publication(work: _Work, title: str, date: str) -> Publication:
    in_series = "" if work.type in _PERIODICAL else work.any("series_metadata/titles/title")
    isbn, issn = serial_numbers(
        text for path in ("isbn", "issn", "series_metadata/issn") for text in work.all(path)
    )
    number = work.any("issue", "journal_volume/issue")
    if work.type in ("report", "standard"):
        number = number or work.any("publisher_item/item_number")
    return Publication(
        work.type,
        title,
        _editors(work),
        _people(work, work.item, "translator"),
        container="" if not work.around else work.outer("full_title", "proceedings_title", "titles/title"),
        container_short=work.outer("abbrev_title"),
        volume=work.any("journal_volume/volume", "volume"),
        number=number,
        pages=pages_of(work.own("pages/first_page"), work.own("pages/last_page")) or _article_number(work),
        publisher=work.any("publisher/publisher_name") or work.publisher or _institution(work),
        place=work.any("publisher/publisher_place", "institution/institution_place"),
        edition=work.any("edition_number"),
        series=in_series or work.any("set_metadata/titles/title"),
        chapter=work.own("component_number"),
        genre=work.own("degree"),
        event=work.any("conference_name"),
        event_place=work.any("conference_location"),
        date=date,
        isbn=isbn,
        issn=issn,
        language=next((code for one in (work.item, *work.around) if (code := one.get("language"))), ""),
    )


def _institution(work: _Work) -> str:
    return work.any("institution/institution_name")


def _article_number(work: _Work) -> str:
    """The number that an article has in place of pages."""
    for number in work.record.elements("publisher_item/item_number", work.item):
        if "article" in (number.get("item_number_type") or "") and (text := tidy(number.text or "")):
            work.record.keep(number)
            return text
    return work.own("elocation_id")


def _date(work: _Work) -> str:
    """The earliest date of the work itself, or else of what it is in."""
    earliest = ""
    for place in (work.item, *work.around):
        dates: list[str] = []
        for element in (one for path in _DATES for one in work.record.elements(path, place)):
            parts = [tidy(element.findtext(part) or "") for part in ("year", "month", "day")]
            dates.append(date_of_parts([part for part in parts if part]))
            work.record.keep(element)
        earliest = earliest or min(filter(None, dates), default="")
    return earliest


# People -------------------------------------------------------------------------------------------------


def _editors(work: _Work) -> tuple[str, ...]:
    """Its own editors, or else those of what it is in; those of an issue of a journal are none of an
    article."""
    own = _people(work, work.item, "editor")
    if own or work.type in _PERIODICAL:
        return own
    places = [*work.around]
    if work.around and work.around[0].getparent().tag == "conference":
        places.append(work.around[0].getparent())
    return next(filter(None, (_people(work, place, "editor") for place in places)), ())


def _people(work: _Work, place: Element, role: str) -> tuple[str, ...]:
    """The people and organisations with a role, in order."""
    names: list[str] = []
    for group in (place.find("contributors"), place):
        for person in () if group is None else group.iterchildren("person_name", "organization"):
            if person.get("contributor_role") == role and (name := _name(person)):
                work.record.keep(person)
                names.append(name)
    return tuple(names)


def _name(element: Element) -> str:
    if element.tag == "organization":
        whole = _plain(element)
        return Name.literal(whole) if whole else ""
    given, family, suffix = (
        plain(element.findtext(part) or "") for part in ("given_name", "surname", "suffix")
    )
    return of_parts(family, given, suffix)


# References ---------------------------------------------------------------------------------------------


def _references(work: _Work) -> Iterator[Reference]:
    """References with a DOI or a title; others cannot be looked up."""
    for number, citation in enumerate(work.record.elements("citation_list/citation", work.item), start=1):
        doi = clean_doi(tidy(citation.findtext("doi") or ""))
        titles = map(_plain, citation.iter("article_title", "volume_title"))
        title = next(filter(None, titles), "")
        if doi or title:
            work.record.keep(citation)
            key = tidy(citation.get("key") or "") or f"ref{number}"
            author, year = (citation.findtext(name) or "" for name in ("author", "cYear"))
            yield crossref_reference(key, doi, title, author, year)

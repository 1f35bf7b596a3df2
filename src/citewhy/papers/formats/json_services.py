"""JSON of services that list scholarly works: arXiv's metadata, Crossref, OpenAlex.

| format | id of a paper |
| --- | --- |
| arXiv: the metadata dump as JSON lines | ``arXiv:1706.03762`` |
| Crossref: responses of its API (a work, or a list), and its public data | the DOI |
| OpenAlex: JSON lines of a snapshot, lists from the API, single works | OpenAlex's: ``W2741809807`` |
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.publication_types import csl_type
from citewhy.base.records import (
    Alias,
    Citation,
    Name,
    Notice,
    Paper,
    Publication,
    Reference,
    ReferenceList,
)
from citewhy.papers.formats.fields import MAX_VALUE, Warn
from citewhy.papers.formats.json_objects import Made, read_objects
from citewhy.papers.formats.notices import crossref_notices
from citewhy.text.asked import Row
from citewhy.text.dates import date_of, date_of_parts, pages_of, year_of
from citewhy.text.doi import checked_doi, clean_doi
from citewhy.text.identifiers import arxiv_number, pmcid_of, serial_numbers
from citewhy.text.latex_text import plain as plain_latex
from citewhy.text.marked_up import abstract_of, plain, rich, titled
from citewhy.text.person import inverted, name_of, of_parts
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten, tidy

__all__ = ["crossref_reference", "crossref_type", "read_arxiv", "read_crossref", "read_openalex"]

# arXiv ---------------------------------------------------------------------------------------------------

_ARXIV = "arXiv metadata"


def read_arxiv(path: FilePath, report: ImportReport) -> Iterator[Made]:
    """Objects with `id` and `title`; the authors are `authors_parsed` or else `authors`."""
    return read_objects(_ARXIV, _arxiv_records, path, report)


def _arxiv_records(row: Row, warn: Warn) -> Iterator[Made]:
    number = arxiv_number(row.text("id"))
    if not number:
        raise InputError(f"{shorten(str(row.peek('id')))!r} is no number of arXiv")
    title = _latex(row.text("title"))
    if not title:
        raise InputError(f"paper {number} has no title")
    venue = _latex(row.text("journal-ref"))
    year = _first_version(row) or year_of(row.text("update_date"))
    yield Paper(
        f"arXiv:{number}",
        title,
        _latex(row.text("abstract")),
        tuple(_parsed_names(row) or _listed_names(row.text("authors"))),
        year,
        venue,
        checked_doi(row.text("doi"), warn),
        f"https://arxiv.org/abs/{number}",
        publication=Publication(
            "" if venue else "article", number=row.text("report-no"), date=str(year or ""), arxiv=number
        ),
    )


def _parsed_names(row: Row) -> list[str]:
    """Names that arXiv has split into family name, given name, suffix, and sometimes an affiliation."""
    value = row.peek("authors_parsed")
    if not isinstance(value, list):
        return []
    people = [
        one
        for one in value
        if isinstance(one, list) and len(one) >= 2 and all(isinstance(p, str) for p in one)
    ]
    if people:
        row.drop("authors_parsed", "authors")
    names = (
        inverted(_latex(family), _latex(given), _latex(rest[0]) if rest else "")
        for family, given, *rest in people
    )
    return [name for name in names if name]


def _listed_names(authors: str) -> list[str]:
    return [name for one in authors.replace(" and ", ", ").split(",") if (name := _latex(one))]


def _first_version(row: Row) -> int | None:
    """The year of the first version: when the paper became known."""
    versions = row.rows("versions")
    years = [year for one in versions if (year := year_of(one.text("created")))]
    for version in versions:
        version.drop("version")
    return min(years, default=None)


def _latex(text: str) -> str:
    """The plain text of the LaTeX that authors type into arXiv's forms."""
    return tidy(plain_latex(text)) if text else ""


# Crossref ------------------------------------------------------------------------------------------------

_CROSSREF = "Crossref"
_CROSSREF_SOURCE = "crossref"
"""Source of the citations from these files."""

_CROSSREF_DATES = ("issued", "published", "published-print", "published-online", "created")
_POSTED = {"dissertation": "thesis", "report": "report", "working_paper": "report"}
"""Kinds of posted content that are no preprints."""
_BOOKS = ("book", "monograph", "edited-book", "reference-book", "book-set", "proceedings")
_WHOLES = (*_BOOKS, "report", "standard")
_PARTS = ("book-chapter", "book-part", "book-section", "proceedings-article", "reference-entry")


def read_crossref(path: FilePath, report: ImportReport) -> Iterator[Made]:
    """Papers and their reference lists, which are looked up in the library."""
    return read_objects(_CROSSREF, _crossref_records, path, report)


def _crossref_records(row: Row, warn: Warn) -> Iterator[Made]:
    doi = clean_doi(row.text("DOI"))
    if not doi:
        raise InputError(f"{shorten(str(row.peek('DOI')))!r} is not a DOI")
    title, marked = titled(row.texts("title"), row.texts("subtitle"))
    if not title:
        raise InputError(f"work {doi} has no title")
    date = next((date for name in _CROSSREF_DATES if (date := _crossref_date(row.row(name)))), "")
    year = year_of(date[:4])
    row.drop("URL", "reference-count", "references-count", "isbn-type", "issn-type")  # said elsewhere
    institutions = row.rows("institution")
    publication = _crossref_publication(row, marked, date, institutions)
    yield Paper(
        doi,
        title,
        abstract_of(row.text("abstract")),
        tuple(_crossref_people(row.rows("author"))) or publication.editors,
        year,
        _crossref_venue(publication, institutions),
        doi,
        publication=publication,
    )
    references = tuple(_crossref_references(row))
    if references:
        yield ReferenceList(doi, references, (), year, _CROSSREF_SOURCE)
    yield from crossref_notices(row, doi, title, year)


def crossref_type(kind: str, posted: str) -> str:
    """The type by CSL; of posted content, what it was `posted` as says whether it is a preprint."""
    return (_POSTED.get(posted) if kind == "posted-content" else "") or csl_type(kind, "crossref")


def _crossref_venue(publication: Publication, institutions: list[Row]) -> str:
    titles = (publication.container, publication.series, publication.container_short)
    others = (_crossref_name(institutions), publication.publisher, publication.event)
    return next(filter(None, (*titles, *others)), "")


def _crossref_name(institutions: list[Row]) -> str:
    return next((plain(text) for one in institutions if (text := one.text("name"))), "")


def _crossref_date(date: Row) -> str:
    parts = date.value("date-parts")
    while isinstance(parts, list) and parts and isinstance(parts[0], list):
        parts = parts[0]
    date.drop("date-time", "timestamp")
    return date_of_parts(parts)


def _crossref_publication(row: Row, title: str, date: str, institutions: list[Row]) -> Publication:
    kind, event = crossref_type(row.text("type"), row.text("subtype")), row.row("event")
    isbn, issn = serial_numbers([*row.texts("ISBN"), *row.texts("ISSN")])
    series, container = _crossref_containers(row.text("type"), [*map(plain, row.texts("container-title"))])
    short = plain(next(iter(row.texts("short-container-title")), ""))
    places = (text for one in institutions for text in one.texts("place"))
    return Publication(
        kind,
        title,
        tuple(_crossref_people(row.rows("editor"))),
        tuple(_crossref_people(row.rows("translator"))),
        container=container,
        container_short="" if series else short,
        volume=row.text("volume"),
        number=row.text("issue"),
        pages=pages_of(row.text("page")) or row.text("article-number"),
        publisher=plain(row.text("publisher")) or _crossref_name(institutions),
        place=row.text("publisher-location") or next(places, ""),
        edition=row.text("edition-number"),
        series=series,
        chapter=row.text("component-number"),
        event=plain(event.text("name")),
        event_place=plain(event.text("location")),
        date=date,
        isbn=isbn,
        issn=issn,
        language=row.text("language"),
        genre=next(iter(row.texts("degree")), ""),
        keywords=tuple(map(plain, row.texts("subject"))),
    )


def _crossref_containers(kind: str, titles: list[str]) -> tuple[str, str]:
    """The titles of the series and of the container: a book is in a series, and a part is in a book, after
    whose series it is named."""
    if kind in _WHOLES:
        return next(iter(titles), ""), ""
    if kind in _PARTS and len(titles) > 1:
        return titles[0], titles[-1]
    return "", next(iter(titles), "")


def _crossref_people(people: list[Row]) -> list[str]:
    names: list[str] = []
    for person in people:
        given, family, suffix = (plain(person.text(part)) for part in ("given", "family", "suffix"))
        whole = "" if given or family else plain(person.first("name", "literal"))
        if name := Name.literal(whole) if whole else of_parts(family, given, suffix):
            names.append(name)
        person.drop("sequence")
    return names


def _crossref_references(row: Row) -> Iterator[Reference]:
    """References with a DOI or a title; others cannot be looked up."""
    for number, reference in enumerate(row.rows("reference"), start=1):
        key = reference.text("key") or f"ref{number}"
        doi = clean_doi(reference.text("DOI"))
        title = plain(reference.first("article-title", "volume-title"))
        if doi or title:
            yield crossref_reference(key, doi, title, reference.text("author"), reference.text("year"))


def crossref_reference(key: str, doi: str, title: str, author: str, year: str) -> Reference:
    """A reference of which Crossref knows the first author at most."""
    authors = filter(None, [plain(author)])
    return Reference(key, Paper(key, title, "", tuple(authors), year_of(year), doi=doi))


# OpenAlex ------------------------------------------------------------------------------------------------

_OPENALEX = "OpenAlex"
_OPENALEX_SOURCE = "openalex"
"""Source of the citations from these files."""

_OPENALEX_SITE = "https://openalex.org/"


def read_openalex(path: FilePath, report: ImportReport) -> Iterator[Made]:
    """Papers, their other ids as aliases, and their references as citations."""
    return read_objects(_OPENALEX, _openalex_records, path, report)


def _openalex_records(row: Row, warn: Warn) -> Iterator[Made]:
    identifier = _openalex_id(row.text("id"))
    if not identifier.startswith("W"):
        raise InputError(f"{shorten(identifier)!r} is not a work" if identifier else "no id")
    title = plain(row.first("title", "display_name"))
    if not title:
        raise InputError(f"work {identifier} has no title")
    if row.peek("display_name") == row.peek("title"):
        row.drop("display_name")
    ids = row.row("ids")
    is_retracted = row.value("is_retracted") is True
    place = row.row("primary_location")
    if "primary_location" not in row:
        place = row.row("host_venue")  # until 2023
    given, also = row.text("doi"), ids.text("doi")
    doi = checked_doi(given or also, warn)
    yield Paper(
        identifier,
        title,
        _openalex_abstract(row, warn),
        tuple(_openalex_authors(row)),
        year_of(row.value("publication_year")) or year_of(row.text("publication_date")),
        place.row("source").text("display_name") or place.text("display_name"),
        doi,
        "" if doi else place.first("landing_page_url", "url"),
        publication=_openalex_publication(row, place, ids),
    )
    if is_retracted:
        yield Notice("retracted", doi, ids.text("pmid").rpartition("/")[2], title)
    if ids.text("openalex"):
        ids.drop("openalex")
    if pmid := ids.text("pmid").rpartition("/")[2]:
        yield Alias(identifier, f"PMID:{pmid}")
    for cited in row.texts("referenced_works"):
        if _openalex_id(cited) not in ("", identifier):
            yield Citation(identifier, _openalex_id(cited), _OPENALEX_SOURCE, 0)


def _openalex_publication(row: Row, place: Row, ids: Row) -> Publication:
    kind, numbers, source = row.text("type"), row.row("biblio"), place.row("source")
    issn = ", ".join(source.texts("issn")) or source.text("issn_l")
    date = row.text("publication_date")
    if date.endswith("-01-01"):  # mostly a year alone
        date = date[:4]
    return Publication(
        csl_type(row.text("type_crossref"), "crossref") or csl_type(kind, "openalex"),
        rich(row.first("title", "display_name")),
        container=plain(source.text("display_name") or place.text("display_name")),
        volume=numbers.text("volume"),
        number=numbers.text("issue"),
        pages=pages_of(numbers.text("first_page"), numbers.text("last_page")),
        publisher=source.text("host_organization_name"),
        date=date_of(date or row.text("publication_year")),
        issn=issn,
        pmid=ids.text("pmid").rpartition("/")[2],
        pmcid=pmcid_of(ids.text("pmcid").rpartition("/")[2]),
        language=row.text("language"),
    )


def _openalex_id(address: str) -> str:
    return (
        address.removeprefix("http://openalex.org/")
        .removeprefix(_OPENALEX_SITE)
        .removeprefix("works/")
        .upper()
    )


def _openalex_authors(row: Row) -> Iterator[str]:
    for authorship in row.rows("authorships"):
        name = authorship.row("author").text("display_name") or name_of(authorship.text("raw_author_name"))
        if tidy(name):
            yield tidy(name)


def _openalex_abstract(row: Row, warn: Warn) -> str:
    if written := row.text("abstract"):
        return plain(written)
    index = row.value("abstract_inverted_index")
    if isinstance(index, dict) and isinstance(index.get("InvertedIndex"), dict):
        index = index["InvertedIndex"]  # the format of Microsoft Academic Graph
    if not isinstance(index, dict):
        return ""
    placed: list[tuple[int, Any]] = []
    length = 0
    for word, places in index.items():
        good = [place for place in places if type(place) is int] if isinstance(places, list) else []
        length += len(good) * (len(word) + 1)
        if length > MAX_VALUE:
            warn(f"the abstract has more than {MAX_VALUE:,} characters; left out")
            return ""
        placed.extend((place, word) for place in good)
    return plain(" ".join(word for _, word in sorted(placed)))

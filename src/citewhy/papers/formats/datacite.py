"""DataCite's JSON: what its API answers for one DOI or many, a line of its public data, the metadata alone.

The DOI is the id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.publication_types import csl_type
from citewhy.base.records import Name, Paper, Publication, Reference, ReferenceList
from citewhy.papers.formats.fields import Warn
from citewhy.papers.formats.json_objects import Made, read_objects
from citewhy.text.asked import Row
from citewhy.text.dates import date_of, pages_of, year_in
from citewhy.text.doi import clean_doi
from citewhy.text.identifiers import arxiv_number, serial_numbers
from citewhy.text.marked_up import abstract_of, plain, titled
from citewhy.text.person import name_of, of_parts
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten

__all__ = ["is_datacite", "read"]

_NAME = "DataCite"
_SOURCE = "datacite"
"""Source of the citations from these files."""

_SCHEMA = "datacite.org/schema/"
_OF_THE_SERVICE = (
    *("prefix", "suffix", "xml", "schemaVersion", "metadataVersion", "source", "agency", "isActive", "state"),
    *("reason", "created", "registered", "published", "updated", "viewCount", "viewsOverTime"),
    *("downloadCount", "downloadsOverTime", "referenceCount", "citationCount", "citationsOverTime"),
    *("partCount", "partOfCount", "versionCount", "versionOfCount", "contentUrl", "providerId", "clientId"),
)
_DATES = ("issued", "available", "accepted", "submitted", "created", "updated")
"""Kinds of dates, the best one first."""
_NONE = re.compile(r"\(?:(?:un(?:ac|al|ap|as|av|kn)|none|null|tba|tbc)\)?\W*", re.IGNORECASE)
"""DataCite's codes for values that are not given."""
_WHOLES = ("book", "collection", "report", "thesis", "dataset", "software", "standard")
"""Types of works whose container is a series."""
_GENRES = ("thesis", "report")
"""Types of works whose kind is printed."""
_CITES = ("cites", "references")


def is_datacite(row: object) -> bool:
    """Whether an object is a DOI of the API, an answer with one, or the metadata alone."""
    if not isinstance(row, dict):
        return False
    if isinstance(inner := row.get("data"), dict):
        row = inner
    if isinstance(inner := row.get("attributes"), dict):
        row = inner
    if not isinstance(titles := row.get("titles"), list):
        return False
    if _SCHEMA in str(row.get("schemaVersion")):
        return True
    named = any(isinstance(title, dict) and "title" in title for title in titles)
    return named and "creators" in row and bool({"publicationYear", "types"} & row.keys())


def read(path: FilePath, report: ImportReport) -> Iterator[Made]:
    """Works with a title, and the DOIs that they cite, which are looked up in the library."""
    return read_objects(_NAME, _records, path, report)


def _records(answer: Row, warn: Warn) -> Iterator[Made]:
    row = answer.row("data") if isinstance(answer.peek("data"), dict) else answer
    outer = row
    if isinstance(row.peek("attributes"), dict):
        outer.drop("id", "type", "relationships")
        row = row.row("attributes")
    row.drop("id", *_OF_THE_SERVICE)
    doi = next(filter(None, map(clean_doi, _dois(row, outer))), "")
    if not doi:
        raise InputError(f"{shorten(str(row.peek('doi')))!r} is not a DOI")
    title, marked = _title(row)
    if not title:
        raise InputError(f"work {doi} has no title")
    publication = _publication(row, doi, marked)
    yield Paper(
        doi,
        title,
        _abstract(row),
        _people(row.rows("creators")) or publication.editors,
        year_in(publication.date),
        publication.container or publication.series or publication.publisher,
        doi,
        row.text("url"),
        publication=publication,
    )
    references = tuple(_references(row))
    if references:
        yield ReferenceList(doi, references, (), year_in(publication.date), _SOURCE)


def _dois(row: Row, outer: Row) -> Iterator[str]:
    """What may be its DOI; files of older versions have it as ``identifier``."""
    yield row.text("doi")
    for one in (*row.rows("identifier"), *row.rows("identifiers")):
        if one.text("identifierType").lower() == "doi":
            yield one.text("identifier")
    for owner in (outer, row):
        if isinstance(given := owner.peek("id"), str):
            yield given


def _title(row: Row) -> tuple[str, str]:
    """The main title and the subtitle as text, and with their markup, if they have any."""
    given = [(one.text("titleType").lower(), one.text("title")) for one in row.rows("titles")]
    main = [text for kind, text in given if kind == "" and plain(text)] or [text for _, text in given]
    return titled(main, (text for kind, text in given if kind == "subtitle"))


def _abstract(row: Row) -> str:
    abstracts = [one for one in row.rows("descriptions") if one.text("descriptionType").lower() == "abstract"]
    return next((text for one in abstracts if (text := abstract_of(one.text("description")))), "")


def _publication(row: Row, doi: str, title: str) -> Publication:
    kind, genre = _type(row.row("types"))
    whole, contributors = _container(row), row.rows("contributors")
    container = plain(whole.text("title"))
    publisher = _given(row.row("publisher").text("name") or row.text("publisher"))
    kind_of_number, number = whole.text("numberType").lower(), whole.text("number")
    isbn, issn = serial_numbers([*_numbers(row, whole)])
    series = container if kind in _WHOLES else ""
    return Publication(
        kind,
        title,
        _people(contributors, "editor") or _people(whole.rows("contributors"), "editor"),
        _people(contributors, "translator"),
        container="" if series else container,
        volume=whole.text("volume"),
        number=whole.text("issue") or ("" if kind_of_number in ("article", "chapter") else number),
        pages=pages_of(whole.text("firstPage"), whole.text("lastPage"))
        or (number if kind_of_number == "article" else ""),
        publisher=publisher,
        edition=whole.text("edition"),
        series=series,
        chapter=whole.text("chapterNumber") or (number if kind_of_number == "chapter" else ""),
        genre=genre if kind in _GENRES else "",
        date=_date(row),
        isbn=isbn,
        issn=issn,
        pmid=next((number for number in _identifiers(row, "pmid") if number.isdecimal()), ""),
        arxiv=arxiv_number(doi.removeprefix("10.48550/arxiv.")),
        language=row.text("language"),
        version=row.text("version"),
        keywords=tuple([plain(text) for one in row.rows("subjects") if (text := one.text("subject"))]),
    )


def _type(types: Row) -> tuple[str, str]:
    """The type by CSL, and what the work calls itself. Where DataCite only says that it is a text, this
    tells."""
    general, own = types.text("resourceTypeGeneral"), types.text("resourceType")
    kind = csl_type(general, "datacite") or csl_type(own.replace(" ", ""), "datacite")
    kind = kind or csl_type(types.text("bibtex"), "bibtex")
    types.drop("citeproc", "schemaOrg", "ris", "bibtex")
    return kind or "document", "" if own.lower() == general.lower() else own


def _container(row: Row) -> Row:
    """What the work appeared in: the related item that says so, or the summary of the service."""
    listed = [one for one in row.rows("relatedItems") if one.text("relationType") == "IsPublishedIn"]
    if not listed:
        return row.row("container")
    row.drop("container")
    item = listed[0]
    titles = [text for one in item.rows("titles") if (text := one.text("title"))]
    named = item.row("relatedItemIdentifier")
    values = {name: item.value(name) for name in item.names()}
    values["title"] = next(iter(titles), "")
    values["identifier"] = named.text("relatedItemIdentifier")
    values["identifierType"] = named.text("relatedItemIdentifierType")
    return Row(values)


def _numbers(row: Row, container: Row) -> Iterator[str]:
    """Its ISBN and ISSN, and those of what it is part of."""
    if container.text("identifierType") in ("ISSN", "ISBN", "EISSN", "LISSN"):
        yield container.text("identifier")
    for kind in ("isbn", "issn"):
        yield from _identifiers(row, kind)
    for related in row.rows("relatedIdentifiers"):
        of_whole = related.text("relationType") in ("IsPartOf", "IsPublishedIn")
        if of_whole and related.text("relatedIdentifierType").upper() in ("ISSN", "ISBN", "EISSN", "LISSN"):
            yield related.text("relatedIdentifier")


def _identifiers(row: Row, kind: str) -> Iterator[str]:
    lists = (("identifiers", "identifier"), ("alternateIdentifiers", "alternateIdentifier"))
    for name, value in lists:
        for one in row.rows(name):
            if one.text(f"{value}Type").lower() == kind:
                yield one.text(value)


def _date(row: Row) -> str:
    """The first date by `_DATES` of the year of publication, or else this year alone."""
    given = {one.text("dateType").lower(): one.text("date") for one in reversed(row.rows("dates"))}
    dates = [date_of(given[kind].partition("T")[0]) for kind in _DATES if given.get(kind)]
    year = _given(row.text("publicationYear"))
    if not year:
        return next(iter(dates), "")
    return next((date for date in dates if date.startswith(year)), year)


# People and references ----------------------------------------------------------------------------------


def _people(people: Iterable[Row], role: str = "") -> tuple[str, ...]:
    """The people, or those with a role."""
    chosen = (one for one in people if not role or one.text("contributorType").lower() == role)
    return tuple(name for one in chosen if (name := _person(one)))


def _person(person: Row) -> str:
    family, given = (_given(person.text(name)) for name in ("familyName", "givenName"))
    name = _given(person.text("name") or person.text("creatorName") or person.text("contributorName"))
    if person.text("nameType") == "Organizational":
        return Name.literal(name) if name else ""
    return of_parts(family, given) if family else name_of(name)


def _given(text: str) -> str:
    """A plain text; empty for a code for a value that is not given."""
    return "" if _NONE.fullmatch(text) else plain(text)


def _references(row: Row) -> Iterator[Reference]:
    for number, related in enumerate(row.rows("relatedIdentifiers"), start=1):
        cites = related.text("relationType").lower() in _CITES
        kind = related.text("relatedIdentifierType").lower() if cites else ""
        arxiv = arxiv_number(related.text("relatedIdentifier")) if kind == "arxiv" else ""
        doi = clean_doi(related.text("relatedIdentifier")) if cites else ""
        if doi or arxiv:
            key = f"ref{number}"
            yield Reference(key, Paper(f"arXiv:{arxiv}" if arxiv else key, "", doi=doi))

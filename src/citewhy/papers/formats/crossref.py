"""Works of Crossref: responses of its API (a work, or a list) and its public data. The id is the DOI."""

from __future__ import annotations

from collections.abc import Iterator

from citewhy.base.errors import InputError
from citewhy.base.records import Paper, Reference, ReferenceList
from citewhy.papers.formats.asked import Row
from citewhy.papers.formats.doi import clean_doi
from citewhy.papers.formats.fields import year_of
from citewhy.papers.formats.json_source import Made, Warn, read_objects
from citewhy.papers.formats.marked_up import plain
from citewhy.papers.formats.report import ImportReport
from citewhy.text.person import Name
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten

__all__ = ["NAME", "SOURCE", "read"]

NAME = "Crossref"
SOURCE = "crossref"
"""Source of the citations from these files."""

_DATES = ("issued", "published", "published-print", "published-online", "created")


def read(path: FilePath, report: ImportReport) -> Iterator[Made]:
    """Papers and their reference lists, which are looked up in the library."""
    return read_objects(NAME, _records, path, report)


def _records(row: Row, warn: Warn) -> Iterator[Made]:
    doi = clean_doi(row.text("DOI"))
    if not doi:
        raise InputError(f"{shorten(str(row.peek('DOI')))!r} is not a DOI")
    title = _title(row)
    if not title:
        raise InputError(f"work {doi} has no title")
    year = next((found for name in _DATES if (found := _year(row.row(name)))), None)
    row.drop("URL", "reference-count", "references-count")  # repeats the DOI and the list
    yield Paper(
        doi,
        title,
        plain(row.text("abstract")).removeprefix("Abstract ").strip(),
        tuple(_people(row.rows("author")) or _people(row.rows("editor"))),
        year,
        _venue(row),
        doi,
    )
    references = tuple(_references(row))
    if references:
        yield ReferenceList(doi, references, (), year, SOURCE)


def _title(row: Row) -> str:
    title = plain(next(iter(row.texts("title")), ""))
    subtitle = plain(next(iter(row.texts("subtitle")), ""))
    if subtitle and subtitle.casefold() not in title.casefold():
        return f"{title}: {subtitle}" if title else subtitle
    return title


def _venue(row: Row) -> str:
    for name in ("container-title", "short-container-title", "institution", "publisher"):
        if name == "institution":
            found = next((text for one in row.rows(name) if (text := one.text("name"))), "")
        else:
            found = next(iter(row.texts(name)), "")
        if found:
            return plain(found)
    return row.row("event").text("name")


def _year(date: Row) -> int | None:
    parts = date.value("date-parts")
    while isinstance(parts, list) and parts:
        parts = parts[0]
    date.drop("date-time", "timestamp")
    return year_of(parts)


def _people(people: list[Row]) -> list[str]:
    names = []
    for person in people:
        name = str(Name(person.text("given"), person.text("family"), "", person.text("suffix")))
        if name := name or person.text("name") or person.text("literal"):
            names.append(plain(name))
        person.drop("sequence")
    return names


def _references(row: Row) -> Iterator[Reference]:
    """References with a DOI or a title; others cannot be looked up."""
    for number, reference in enumerate(row.rows("reference"), start=1):
        key = reference.text("key") or f"ref{number}"
        doi = clean_doi(reference.text("DOI"))
        title = plain(reference.first("article-title", "volume-title"))
        if doi or title:
            author = reference.text("author")
            year = year_of(reference.text("year"))
            yield Reference(key, Paper(key, title, "", (author,) if author else (), year, doi=doi))

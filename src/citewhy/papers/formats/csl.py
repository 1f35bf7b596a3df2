"""CSL-JSON: the input of citation processors, as Zotero, Pandoc and Crossref write it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from citewhy.base.errors import InputError
from citewhy.base.records import Name, Paper
from citewhy.papers.formats.asked import Row
from citewhy.papers.formats.doi import checked_doi, doi_in_url
from citewhy.papers.formats.fields import year_of
from citewhy.papers.formats.json_objects import Made, Warn, read_objects
from citewhy.papers.formats.marked_up import plain
from citewhy.papers.formats.report import ImportReport
from citewhy.text.source import FilePath, invalid_utf8
from citewhy.text.tidy import shorten, tidy

__all__ = ["MAX_CSL", "NAME", "items_of", "paper_of", "read"]

NAME = "CSL-JSON"

MAX_CSL = 64 << 20
"""Maximum bytes of a CSL-JSON file that is parsed in memory (`items_of`), which takes many times its size."""

_VENUES = ("container-title", "event-title", "event", "collection-title", "publisher")


def read(path: FilePath, report: ImportReport) -> Iterator[Made]:
    """Items with an id and a title. Errors give the number of an item, since lines are not meaningful in
    JSON."""
    return read_objects(NAME, _records, path, report)


def paper_of(item: dict[str, Any], number: int, path: FilePath, report: ImportReport) -> Paper:
    """Item `number` of a parsed file as a paper; id and title may be empty. `path` names the file in the
    report."""
    return _paper(Row(item), lambda why: report.warn(path, None, f"item {number}: {why}"))


def items_of(data: bytes, path: FilePath) -> list[Any]:
    """The items of a CSL-JSON file with the content `data`. Raises InputError for any other content."""
    try:
        value = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        if wrong := invalid_utf8(data, path):
            raise wrong from error
        line = None if error.lineno < 1 else error.lineno
        raise InputError(f"not JSON: {error.msg}", path=path, line=line, hint="expected CSL-JSON") from error
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        items = value.get("items", [value])
        return items if isinstance(items, list) else [items]
    raise InputError("expected a list of CSL-JSON items", path=path, line=1)


def _records(row: Row, warn: Warn) -> Iterator[Made]:
    paper = _paper(row, warn)
    if not paper.id or not paper.title:
        raise InputError(f"no {'title' if paper.id else 'id'}")
    yield paper


def _paper(row: Row, warn: Warn) -> Paper:
    identifier = row.text("id")
    if not identifier or "://" in identifier:  # Zotero puts an address there, and the key elsewhere
        identifier = row.first("citation-key", "citekey") or identifier
    title = _plain(row, "title")
    if not identifier or not title:
        return Paper(identifier, title)
    row.drop("type")
    url = row.text("URL")
    authors = _authors(row, warn)
    doi = checked_doi(row.text("DOI"), warn)
    return Paper(
        identifier,
        title,
        _plain(row, "abstract"),
        authors,
        _year(row, warn),
        next((venue for field in _VENUES if (venue := _plain(row, field))), ""),
        doi or doi_in_url(url),
        url,
    )


def _plain(row: Row, name: str) -> str:
    """A title or an abstract without markup; Crossref has lists of titles."""
    return plain(next(iter(row.texts(name)), ""))


def _authors(row: Row, warn: Warn) -> tuple[str, ...]:
    field = "author" if "author" in row else "editor"
    people = row.value(field) or []
    names = [_name(person) for person in (people if isinstance(people, list) else [people])]
    if not all(names):
        warn("an author has no name; left out")
    return tuple([name for name in names if name])


def _name(person: object) -> str:
    if isinstance(person, str):
        return plain(person)
    if not isinstance(person, dict):
        return ""
    if literal := _word(person.get("literal")):
        return plain(literal)
    particles = f"{_word(person.get('dropping-particle'))} {_word(person.get('non-dropping-particle'))}"
    given, family, suffix = (plain(_word(person.get(part))) for part in ("given", "family", "suffix"))
    return str(Name(given, family, particles, suffix))


def _word(value: object) -> str:
    return tidy(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _year(row: Row, warn: Warn) -> int | None:
    issued = row.value("issued")
    if issued is None or issued == {}:
        return year_of(_first_date(row.value("original-date"))) if "original-date" in row else None
    year = year_of(_first_date(issued))
    if year is None:
        warn(f"issued {shorten(str(issued))!r} names no year; left empty")
    return year


def _first_date(issued: object) -> object:
    """The year of ``{"date-parts": [[2002, 7]]}``, or the text of one of the looser forms."""
    if isinstance(issued, list) and issued:  # CSL-YAML of older versions of Pandoc: [{"year": 2002}]
        issued = issued[0]
    if not isinstance(issued, dict):
        return issued
    value: object = issued.get("date-parts")
    while isinstance(value, list) and value:
        value = value[0]
    if year_of(value) is not None:
        return value
    return next((issued[form] for form in ("raw", "literal", "string", "year") if form in issued), value)

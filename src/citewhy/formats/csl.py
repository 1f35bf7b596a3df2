"""CSL-JSON: the items of a citation processor, as Zotero, Pandoc and Crossref write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from citewhy.errors import InputError
from citewhy.formats.fields import Seen, clean_doi, doi_in_url, year_of
from citewhy.formats.report import ImportReport
from citewhy.records import Paper
from citewhy.text.person import Name
from citewhy.text.source import FilePath, invalid_utf8, read_bytes
from citewhy.text.tidy import shorten, tidy

__all__ = ["MARKUP", "MAX_CSL", "items_of", "paper_of", "read"]

MAX_CSL = 64 << 20
"""Bytes of a CSL-JSON file. It is one value, which has to be in memory whole, at many times its size."""

MARKUP = re.compile(
    r"</?(?:i|b|em|strong|sub|sup|sc|p|jats:[a-z-]+|span)>|<(?:p|span|jats:[a-z-]+) [a-z][^<>]*>"
)
"""The formatting that titles and abstracts may have; a literal ``<i>`` cannot be told from it."""

_VENUES = ("container-title", "event-title", "event", "collection-title", "publisher")


def read(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Items with an id and a title. Places are numbers of items: a JSON value has no lines worth naming."""
    return _papers(items_of(read_bytes(path, MAX_CSL), path), path, report)


def _papers(items: Iterable[object], path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """The papers of parsed items; `path` is what the report calls their file."""
    seen = Seen(path, report)
    for number, item in enumerate(items, start=1):
        if not isinstance(item, dict):
            report.skip(path, None, f"item {number}: expected an object, found {shorten(str(item))!r}")
            continue
        paper = paper_of(item, number, path, report)
        if not paper.id or not paper.title:
            report.skip(path, None, f"item {number} has no {'title' if paper.id else 'id'}")
        elif not seen.again(paper.id, paper.title, None):
            yield paper


def paper_of(item: dict[str, Any], number: int, path: FilePath, report: ImportReport) -> Paper:
    """The paper of item `number` of a file, as far as it says one: id and title may be empty."""
    identifier = _word(item.get("id")) or _word(item.get("citation-key"))
    title = _plain(item.get("title"))
    if not identifier or not title:
        return Paper(identifier, title)
    url = _word(item.get("URL"))
    year = _year(item, number, path, report)
    doi = _doi(item, number, path, report)
    return Paper(
        identifier,
        title,
        _plain(item.get("abstract")),
        _authors(item, number, path, report),
        year,
        next((venue for field in _VENUES if (venue := _plain(item.get(field)))), ""),
        doi or doi_in_url(url),
        url,
    )


def items_of(data: bytes, path: FilePath) -> list[Any]:
    """The items of a CSL-JSON file that holds `data`. Raises InputError for anything else."""
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


def _word(value: object) -> str:
    """An id or an address: text or a number."""
    return tidy(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _plain(value: object) -> str:
    """A title or an abstract without its markup; Crossref has lists of titles."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, str):
        return ""
    return tidy(MARKUP.sub("", value) if "<" in value else value)


def _authors(item: dict[str, Any], number: int, path: FilePath, report: ImportReport) -> tuple[str, ...]:
    people = item.get("author") or item.get("editor") or []
    if not isinstance(people, list):
        people = [people]
    names = [_name(person) for person in people]
    if not all(names):
        report.warn(path, None, f"item {number}: an author has no name; left out")
    return tuple([name for name in names if name])


def _name(person: object) -> str:
    if isinstance(person, str):
        return tidy(person)
    if not isinstance(person, dict):
        return ""
    if literal := _word(person.get("literal")):
        return literal
    particles = f"{_word(person.get('dropping-particle'))} {_word(person.get('non-dropping-particle'))}"
    given, family, suffix = (_word(person.get(part)) for part in ("given", "family", "suffix"))
    return str(Name(given, family, particles, suffix))


def _year(item: dict[str, Any], number: int, path: FilePath, report: ImportReport) -> int | None:
    issued = item.get("issued")
    if issued is None or issued == {}:
        return None
    year = year_of(_first_date(issued))
    if year is None:
        report.warn(path, None, f"item {number}: issued {shorten(str(issued))!r} names no year; left empty")
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


def _doi(item: dict[str, Any], number: int, path: FilePath, report: ImportReport) -> str:
    given = _word(item.get("DOI"))
    doi = clean_doi(given)
    if given and not doi:
        report.warn(path, None, f"item {number}: {shorten(given)!r} is not a DOI; left empty")
    return doi

"""EndNote: its XML (which Mendeley and other programs also write), and its tagged text (.enw, the "EndNote"
of Google Scholar and of publishers)."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from citewhy.base.records import Paper
from citewhy.papers.formats.asked import Node, Row
from citewhy.papers.formats.doi import clean_doi, doi_in_url
from citewhy.papers.formats.fields import MadeIds, Seen, renamed, year_of
from citewhy.papers.formats.report import ImportReport
from citewhy.papers.formats.tagged import Tagged, records
from citewhy.papers.formats.xml_stream import elements
from citewhy.text.person import from_inverted
from citewhy.text.source import FilePath, read_text
from citewhy.text.tidy import shorten, tidy

__all__ = ["TEXT", "XML", "read_text_file", "read_xml"]

XML = "EndNote XML"
TEXT = "EndNote tagged text"

_KEY = re.compile(r"[^\s{}(),\"]{1,100}")
_TAG = re.compile(r"%([0-9A-Z@!#$&>?\[\]^~+*()<=:;./|{}_-]) ?(.*)")
_WEB = re.compile(r"https?://", re.IGNORECASE)


def read_xml(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Records with a title. The id is the label if it is a key, or else the DOI, or else generated."""
    seen, made = Seen(path, report), MadeIds()
    for element in elements(path, ("record",), ("xml", "records", "record"), "XML of EndNote"):
        line = element.sourceline
        record = Node(element)
        paper = _from_xml(record, line, path, report)
        report.leave(XML, record.not_kept())
        yield from _placed(paper, line, seen, made, path, report)


def _from_xml(record: Node, line: int | None, path: FilePath, report: ImportReport) -> Paper:
    for place in ("rec-number", "ref-type", "foreign-keys", "database", "source-app"):
        for one in record.found(place):
            record.keep(one)  # of the file, not of the paper
    people = next((found for role in _ROLES if (found := record.texts(f"contributors/{role}/author"))), [])
    urls = [url for place in _URLS for url in record.texts(place) if _WEB.match(url)]
    given = record.text("electronic-resource-num")
    doi = _doi(given, line, path, report)
    titled = record.text("titles/title")
    return Paper(
        _key(record.text("label")),
        titled or record.text("titles/secondary-title"),
        record.text("abstract"),
        tuple([name for person in people if (name := tidy(from_inverted(person)))]),
        year_of(record.text("dates/year")) or year_of(record.text("dates/pub-dates/date")),
        record.first(*_VENUES) if titled else "",
        doi or doi_in_url(urls[0] if urls else ""),
        urls[0] if urls else "",
    )


_ROLES = ("authors", "secondary-authors", "tertiary-authors")
_URLS = ("urls/web-urls/url", "urls/related-urls/url")
_VENUES = (
    *("titles/secondary-title", "periodical/full-title", "periodical/abbr-1", "alt-periodical/full-title"),
    *("titles/alt-title", "titles/tertiary-title", "publisher"),
)


def read_text_file(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Records of lines such as ``%T A title``; a record starts with ``%0``, or after an empty line."""
    seen, made = Seen(path, report), MadeIds()
    text = read_text(path, notice=functools.partial(report.warn, path))
    for record in records(text, _TAG, begins="0", path=path, report=report):
        row = Row(record.values)
        row.drop("0")
        paper = _from_tags(row, record, path, report)
        report.leave(TEXT, (f"%{name}" for name in row.not_kept()))
        yield from _placed(paper, record.line, seen, made, path, report)


def _from_tags(row: Row, record: Tagged, path: FilePath, report: ImportReport) -> Paper:
    def one(*tags: str) -> str:
        return next((texts[0] for tag in tags if (texts := row.texts(tag))), "")

    people = row.texts("A") or row.texts("E")
    url = next((url for url in row.texts("U") if _WEB.match(url)), "")
    title = one("T")
    return Paper(
        _key(one("F")),
        title or one("B"),
        one("X"),
        tuple([name for person in people if (name := tidy(from_inverted(person.rstrip(","))))]),
        year_of(one("D")) or year_of(one("8")),
        one("J", "B", "S", "I") if title else "",
        _doi(one("R"), record.line, path, report) or doi_in_url(url),
        url,
    )


def _placed(
    paper: Paper, line: int | None, seen: Seen, made: MadeIds, path: FilePath, report: ImportReport
) -> Iterator[Paper]:
    identifier = paper.id or paper.doi or made.make(paper)
    if not paper.title or not identifier:
        report.skip(path, line, "the record has no title")
    elif placed := seen.placed(renamed(paper, identifier), line):
        yield placed


def _key(label: str) -> str:
    return label if _KEY.fullmatch(label) else ""


def _doi(given: str, line: int | None, path: FilePath, report: ImportReport) -> str:
    doi = clean_doi(given)
    if given and not doi:
        report.warn(path, line, f"{shorten(given)!r} is not a DOI; left empty")
    return doi

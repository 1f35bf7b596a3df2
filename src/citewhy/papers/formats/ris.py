"""RIS, as reference managers and publishers export it. Each record is parsed alone, by rispy."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

import rispy
from rispy.config import LIST_TYPE_TAGS, TAG_KEY_MAPPING

from citewhy.base.records import Paper
from citewhy.papers.formats.asked import Row
from citewhy.papers.formats.doi import clean_doi, doi_in_url
from citewhy.papers.formats.fields import MadeIds, Seen, renamed, year_of
from citewhy.papers.formats.report import ImportReport
from citewhy.text.person import from_inverted
from citewhy.text.source import FilePath, read_text
from citewhy.text.tidy import shorten, tidy

__all__ = ["NAME", "papers_of", "read"]

NAME = "RIS"

_START = re.compile(r"TY  ?-")
_END = re.compile(r"ER  ?-")
_ONE_SPACE = re.compile(r"^([A-Z][A-Z0-9]) -(?=\s|$)", re.MULTILINE)

_TAGS = {**TAG_KEY_MAPPING, "BT": "book_title", "CT": "caption_title", "DI": "digital_identifier"}
_NO_TAG = " " * 5
"""At the start of a line that has no tag, whatever follows."""

_TITLES = ("title", "primary_title", "caption_title")
_PEOPLE = ("authors", "first_authors", "secondary_authors")
_VENUES = (
    *("secondary_title", "alternate_title3", "journal_name", "alternate_title2", "alternate_title1"),
    "tertiary_title",
)


def read(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Records with a title. The id is the ID tag, or else the DOI, or else made of first author, year and
    title."""
    return papers_of(read_text(path, notice=functools.partial(report.warn, path)), path, report)


def papers_of(text: str, path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Reads the text of a file as `read` does; `path` is its name in messages."""
    seen = Seen(path, report)
    made = MadeIds()
    for line, record in _records(text, path, report):
        tags = _tags(record)
        if tags is None:
            report.skip(path, line, "the record does not parse as RIS")
            continue
        row = Row(tags)
        paper = _paper(row, line, path, report)
        report.leave(NAME, row.not_kept())
        if not paper.title:
            report.skip(path, line, "the record has no title (TI or T1)")
            continue
        identifier = paper.id or paper.doi or made.make(paper)
        if not identifier:
            report.skip(path, line, "the record has no ID, and nothing to make one from")
        elif placed := seen.placed(renamed(paper, identifier), line):
            yield placed


def _records(text: str, path: FilePath, report: ImportReport) -> Iterator[tuple[int, str]]:
    """The number of the first line and the text of each record; one without ER ends where the next starts."""
    lines: list[str] = []
    start = 0
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for number, line in enumerate(text.split("\n"), start=1):
        if _START.match(line):
            if lines:
                report.warn(path, start, "the record has no end (ER); it ends where the next begins")
                yield start, "\n".join(lines)
            lines, start = [line], number
        elif lines and _END.match(line):
            yield start, "\n".join(lines)
            lines = []
        elif lines:
            lines.append(line)
        elif line.strip() and re.match(r"[A-Z][A-Z0-9]  ?- ", line):
            report.skip(path, number, f"{shorten(line)!r} is outside of a record, which starts with TY")
    if lines:
        report.warn(path, start, "the record has no end (ER); the file ends first")
        yield start, "\n".join(lines)


def _tags(text: str) -> dict[str, Any] | None:
    """The values of a record by rispy's names; None if rispy fails, which it does with any exception."""
    closed = (_ONE_SPACE.sub(r"\1  -", text) if text.startswith("TY -") else text) + "\nER  - \n"
    try:
        found = rispy.loads(
            _unfolded(closed), mapping=_TAGS, delimiter_tags_mapping={}, skip_unknown_tags=True
        )
    except (LookupError, TypeError, ValueError, AttributeError, StopIteration):
        return None
    return found[0] if len(found) == 1 else None


def _unfolded(text: str) -> str:
    """The lines that continue a value as one line: rispy copies the whole value for each of them."""
    lines: list[str] = []
    more: list[str] = []
    tag = ""
    for line in text.split("\n"):
        tagged = line[2:5] == "  -" and line[:2].isupper()  # as rispy sees it
        if tagged or tag in LIST_TYPE_TAGS:  # in a list, each line is a value
            if more:
                lines.append(_NO_TAG + " ".join(more))
                more = []
            lines.append(line)
            tag = line[:2] if tagged else tag
        else:
            more.append(line.strip())
    return "\n".join([*lines, _NO_TAG + " ".join(more)] if more else lines)


def _paper(row: Row, line: int, path: FilePath, report: ImportReport) -> Paper:
    def value(*names: str) -> str:
        return next((texts[0] for name in names if (texts := row.texts(name))), "")

    row.drop("type_of_reference")
    date = value("year", "publication_year", "date")
    year = year_of(date)
    if date and year is None:
        report.warn(path, line, f"year {shorten(date)!r} is not a year; left empty")
    given = value("doi", "digital_identifier")
    url = value("urls")
    doi = clean_doi(given)
    if given and not doi:
        report.warn(path, line, f"{shorten(given)!r} is not a DOI; left empty")
    people = next((found for role in _PEOPLE if (found := row.texts(role))), [])
    title, book = (
        value(*_TITLES),
        value("book_title"),
    )  # BT is the title of the book, or of the book that contains it
    return Paper(
        value("id"),
        title or book,
        value("abstract", "notes_abstract"),
        tuple([name for person in people if (name := tidy(from_inverted(person)))]),
        year,
        value(*_VENUES) or (book if title else "") or value("publisher"),
        doi or doi_in_url(url),
        url,
    )

"""Says what is written of a paper: its publication with what is guessed where the record says nothing, and
the texts of its entry in another language."""

from __future__ import annotations

import re
from dataclasses import replace

from citewhy.base.records import Paper, Publication
from citewhy.writers.venues import PublicationKind, publication_kind

_TYPES: dict[PublicationKind, str] = {
    "journal": "article-journal",
    "proceedings": "paper-conference",
    "chapter": "chapter",
    "book": "book",
    "other": "document",
}
_WEB = re.compile(r"https?:|www\.", re.IGNORECASE)
PERIODICAL = ("article-journal", "article-magazine", "article-newspaper", "review", "review-book")
"""Types of what appears in a journal, a magazine or a newspaper."""
IN_BOOKS = ("paper-conference", "chapter", "entry-encyclopedia", "entry-dictionary")
"""Types of what appears in proceedings or another book."""


def publication_of(paper: Paper) -> Publication:
    """How a paper was published, with a type and, where it is known, a date.

    Without a publication the type is guessed from the venue (`venues.publication_kind`), which is then what
    the work appeared in or, for a book and the like, who published it.
    """
    known = paper.publication or Publication()
    date = known.date or ("" if paper.year is None else iso_year(paper.year))
    kind = publication_kind(paper)
    type_ = known.type or _TYPES[kind]
    address = known.type and _WEB.search(paper.venue)
    of_none = not paper.venue or paper.venue in (known.event, known.series) or address
    if known.container or known.publisher or of_none:
        return replace(known, type=type_, date=date)
    contained = (
        type_ in (*PERIODICAL, *IN_BOOKS) if known.type else kind in ("journal", "proceedings", "chapter")
    )
    if contained:
        return replace(known, type=type_, date=date, container=paper.venue)
    return replace(known, type=type_, date=date, publisher=paper.venue)


def iso_year(year: int) -> str:
    """The year as ISO 8601 has it: four digits at least, 0 for 1 BC."""
    return f"{'-' if year < 0 else ''}{abs(year):04d}"


def date_parts(date: str) -> list[list[int]]:
    """The years, months and days of a date or of both ends of a range; empty if it is in words.

    >>> date_parts("2002-07"), date_parts("2001/2003"), date_parts("-0044"), date_parts("in press")
    ([[2002, 7]], [[2001], [2003]], [[-44]], [])
    """
    parts = []
    for one in date.split("/"):
        sign, digits = (-1, one[1:]) if one.startswith("-") else (1, one)
        numbers = digits.split("-")
        if len(numbers) > 3 or not all(number.isascii() and number.isdigit() for number in numbers):
            return []
        parts.append([sign * int(numbers[0]), *map(int, numbers[1:])])
    return parts if len(parts) <= 2 else []


def source_text(paper: Paper, *formats: str) -> str:
    """The entry from which a paper was read, if it is in one of the `formats` of the registry; else empty."""
    source = paper.source
    return source.text if source is not None and source.format in formats else ""

"""Papers as RIS, which every reference manager reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from citewhy.base.publication_types import type_in
from citewhy.base.records import Name, Paper, Publication
from citewhy.text.person import can_invert, is_company, parts
from citewhy.text.tidy import in_one_direction, tidy
from citewhy.writers.described import IN_BOOKS, PERIODICAL, date_parts, iso_year, publication_of, source_text

FORMAT = "RIS"
"""Its name in the registry of formats."""

_ID = re.compile(r"^ID {1,2}-.*$", re.MULTILINE)
_END = re.compile(r"^ER {1,2}-", re.MULTILINE)
_WHOLE_WORKS = ("book", "report", "thesis", "collection", "classic", "pamphlet", "standard")
"""Types of works whose second title is that of a series."""


def entries(papers: Iterable[Paper]) -> str:
    """A whole .ris file, one record after the other."""
    return "\n".join(entry(paper) for paper in papers)


def entry(paper: Paper) -> str:
    """One record, from TY to ER, ending with a line feed: that of the source, with the id of the paper, if it
    was read from RIS; or else every value on one line."""
    if (given := source_text(paper, FORMAT)) and _END.search(given):
        line = f"ID  - {tidy(paper.id)}"
        if _ID.search(given):
            return _ID.sub(lambda _: line, given, count=1).rstrip("\r\n") + "\n"
        return _END.sub(lambda end: f"{line}\n{end[0]}", given, count=1).rstrip("\r\n") + "\n"
    lines = "".join(f"{tag}  - {tidy(value)}\n" for tag, value in _tags(paper) if value)
    return in_one_direction(lines) + "ER  - \n"


def _tags(paper: Paper) -> Iterator[tuple[str, str]]:
    known = publication_of(paper)
    yield "TY", type_in(known.type, "ris")
    yield "ID", paper.id
    yield "TI", paper.title
    for author in paper.authors if paper.authors != known.editors else ():
        yield "AU", _person(author)
    for editor in known.editors:
        yield ("A2" if known.type in IN_BOOKS else "ED"), _person(editor)
    for translator in known.translators:
        yield "A4", _person(translator)
    yield from _dates(known)
    yield from _containers(known)
    first, _, last = known.pages.partition("-")
    yield "VL", known.volume
    yield "IS", known.number
    yield "M1", known.series_number
    yield "SE", "" if known.type in PERIODICAL else known.chapter
    yield "SP", first if last.isalnum() else known.pages
    yield "EP", last if last.isalnum() else ""
    yield "PB", known.publisher
    at_meeting = known.type == "paper-conference" and known.event_place
    yield "CY", known.event_place if at_meeting else known.place
    yield "C1", known.place if at_meeting else ""
    yield "ET", known.version if known.type == "software" else known.edition
    yield "M3", known.genre
    yield "SN", known.isbn
    yield "SN", known.issn
    yield "DO", paper.doi
    yield "UR", paper.url
    yield "AN", known.pmid
    yield "DB", "PubMed" if known.pmid else ""
    yield "C2", known.pmcid
    yield "LA", known.language
    yield "N1", known.note
    yield "N1", f"arXiv: {known.arxiv}" if known.arxiv else ""
    for keyword in known.keywords:
        yield "KW", keyword
    yield "AB", paper.abstract


def _dates(known: Publication) -> Iterator[tuple[str, str]]:
    dates = date_parts(known.date)
    yield "PY", iso_year(dates[0][0]) if dates else known.date
    if len(dates) == 1 and len(dates[0]) > 1:
        yield "DA", "/".join(f"{number:02d}" for number in dates[0])
    elif len(dates) > 1:  # what follows the day is other information
        begin = [f"{number:02d}" for number in dates[0]]
        yield "DA", "/".join([*begin, *[""] * (3 - len(begin)), known.date.partition("/")[2]])
    accessed = date_parts(known.accessed)
    yield "OP", known.original_date
    yield "Y2", "/".join(f"{number:02d}" for number in accessed[0]) if accessed else ""


def _containers(known: Publication) -> Iterator[tuple[str, str]]:
    """Yields what the work appeared in, and the series; of a book, the series is the second title."""
    whole = known.type in _WHOLE_WORKS
    yield "T2", known.series if whole else known.container or known.event
    yield "C3", known.event
    yield "BT", known.container if whole else ""
    yield "T3", "" if whole else known.series
    yield "J2", known.container_short


def _person(author: str) -> str:
    """ "Last, First, Suffix". A comma within a name is lost, since RIS cannot represent it, but for one of a
    company ("Microsoft, Inc."); one at the end of a name tells that it is an organisation."""
    if not can_invert(author):
        if is_company(author.rpartition(", ")[2]) and author.count(",") == 1:
            return str(author)
        name = " ".join(author.replace(",", " ").split())
        return f"{name}," if isinstance(author, Name) else name
    person = parts(author)
    last = f"{person.particle} {person.family}".strip()
    given = f"{person.given} {person.dropping}".strip()
    return ", ".join(part for part in (last, given, person.suffix) if part)

"""Papers as RIS, which every reference manager reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from citewhy.base.records import Paper
from citewhy.papers.writers.venues import PublicationKind, publication_kind
from citewhy.text.person import can_invert, parts
from citewhy.text.tidy import in_one_direction, tidy

__all__ = ["entries", "entry"]


_KINDS: dict[PublicationKind, tuple[str, str]] = {
    "journal": ("JOUR", "T2"),
    "proceedings": ("CPAPER", "T2"),
    "chapter": ("CHAP", "T2"),
    "book": ("BOOK", "PB"),
    "other": ("GEN", "PB"),
}
"""The type of a record, and the tag of its venue."""


def entries(papers: Iterable[Paper]) -> str:
    """A whole .ris file, one record after the other."""
    return "\n".join(entry(paper) for paper in papers)


def entry(paper: Paper) -> str:
    """One record, from TY to ER, ending with a line feed; every value on one line."""
    lines = "".join(f"{tag}  - {tidy(value)}\n" for tag, value in _tags(paper) if value)
    return in_one_direction(lines) + "ER  - \n"


def _tags(paper: Paper) -> Iterator[tuple[str, str]]:
    kind, venue_tag = _KINDS[publication_kind(paper)]
    yield "TY", kind
    yield "ID", paper.id
    yield "TI", paper.title
    for author in paper.authors:
        yield "AU", _person(author)
    yield "PY", "" if paper.year is None else str(paper.year)
    yield venue_tag, paper.venue
    yield "DO", paper.doi
    yield "UR", paper.url
    yield "AB", paper.abstract


def _person(author: str) -> str:
    """ "Last, First, Suffix". A comma within a name is lost, since RIS cannot represent it."""
    if not can_invert(author):
        return " ".join(author.replace(",", " ").split())
    name = parts(author)
    last = f"{name.particle} {name.family}".strip()
    return ", ".join(part for part in (last, name.given, name.suffix) if part)

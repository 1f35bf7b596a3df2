"""Papers as CSL-JSON, for citation processors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from citewhy.base.records import Paper
from citewhy.papers.writers.venues import PublicationKind, publication_kind
from citewhy.text.person import can_invert, parts
from citewhy.text.tidy import in_one_direction

__all__ = ["entries", "entry"]


_KINDS: dict[PublicationKind, tuple[str, str]] = {
    "journal": ("article-journal", "container-title"),
    "proceedings": ("paper-conference", "container-title"),
    "chapter": ("chapter", "container-title"),
    "book": ("book", "publisher"),
    "other": ("document", "publisher"),
}
"""The type of an item, and the field of its venue."""


def entries(papers: Iterable[Paper]) -> str:
    """A whole CSL-JSON file: a list of items, ending with a line feed."""
    import orjson

    items = orjson.dumps([entry(paper) for paper in papers], option=orjson.OPT_INDENT_2)
    return in_one_direction(items.decode()) + "\n"


def entry(paper: Paper) -> dict[str, Any]:
    """One item; missing fields are omitted."""
    kind, venue_field = _KINDS[publication_kind(paper)]
    item = {
        "id": paper.id,
        "type": kind,
        "title": paper.title,
        "author": [_person(author) for author in paper.authors],
        "issued": {} if paper.year is None else {"date-parts": [[paper.year]]},
        venue_field: paper.venue,
        "DOI": paper.doi,
        "URL": paper.url,
        "abstract": paper.abstract,
    }
    return {field: value for field, value in item.items() if value}


def _person(author: str) -> dict[str, str]:
    if not can_invert(author):
        return {"literal": author}
    name = parts(author)
    person = {
        "given": name.given,
        "non-dropping-particle": name.particle,
        "family": name.family,
        "suffix": name.suffix,
    }
    return {part: value for part, value in person.items() if value}

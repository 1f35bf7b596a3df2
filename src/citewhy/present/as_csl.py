"""Papers as CSL-JSON, for citation processors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from citewhy.present.venues import is_proceedings
from citewhy.records import Paper
from citewhy.text.person import can_invert, parts
from citewhy.text.tidy import in_one_direction

__all__ = ["entries", "entry"]


def entries(papers: Iterable[Paper]) -> str:
    """A whole CSL-JSON file: a list of items, ending with a line feed."""
    import orjson

    items = orjson.dumps([entry(paper) for paper in papers], option=orjson.OPT_INDENT_2)
    return in_one_direction(items.decode()) + "\n"


def entry(paper: Paper) -> dict[str, Any]:
    """One item; missing fields are omitted."""
    item = {
        "id": paper.id,
        "type": _kind(paper.venue),
        "title": paper.title,
        "author": [_person(author) for author in paper.authors],
        "issued": {} if paper.year is None else {"date-parts": [[paper.year]]},
        "container-title": paper.venue,
        "DOI": paper.doi,
        "URL": paper.url,
        "abstract": paper.abstract,
    }
    return {field: value for field, value in item.items() if value}


def _kind(venue: str) -> str:
    if not venue:
        return "document"
    return "paper-conference" if is_proceedings(venue) else "article-journal"


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

"""Papers as CSL-JSON, for citation processors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from citewhy.base.records import Paper
from citewhy.text.person import can_invert, parts
from citewhy.text.tidy import in_one_direction, tidy
from citewhy.writers.described import PERIODICAL, date_parts, publication_of, source_text

FORMAT = "CSL-JSON"
"""Its name in the registry of formats."""


def entries(papers: Iterable[Paper]) -> str:
    """A whole CSL-JSON file: a list of items, ending with a line feed."""
    import orjson

    items = orjson.dumps([entry(paper) for paper in papers], option=orjson.OPT_INDENT_2)
    return in_one_direction(items.decode()) + "\n"


def entry(paper: Paper) -> dict[str, Any]:
    """One item: that of the source, with the id of the paper, if it was read from CSL-JSON; missing fields
    are omitted."""
    if given := _source(paper):
        return {**given, "id": paper.id}
    known = publication_of(paper)
    arxiv = f"arXiv: {known.arxiv}" if known.arxiv else ""
    item = {
        "id": paper.id,
        "type": known.type,
        "title": tidy(known.title or paper.title),  # a control character before mathematics would change it
        "author": [_person(author) for author in paper.authors if paper.authors != known.editors],
        "editor": [_person(editor) for editor in known.editors],
        "translator": [_person(translator) for translator in known.translators],
        "container-title": known.container,
        "container-title-short": known.container_short,
        "volume": known.volume,
        "issue" if known.type in PERIODICAL else "number": known.number,
        "page": known.pages,
        "publisher": known.publisher,
        "publisher-place": known.place,
        "edition": known.edition,
        "collection-title": known.series,
        "collection-number": known.series_number,
        "chapter-number": known.chapter,
        "genre": known.genre,
        "event-title": known.event,
        "event-place": known.event_place,
        "issued": _date(known.date),
        "original-date": _date(known.original_date),
        "accessed": _date(known.accessed),
        "DOI": paper.doi,
        "URL": paper.url,
        "ISBN": known.isbn,
        "ISSN": known.issn,
        "PMID": known.pmid,
        "PMCID": known.pmcid,
        "language": known.language,
        "version": known.version,
        "note": "\n".join(filter(None, (known.note, arxiv))),
        "keyword": ", ".join(known.keywords),
        "abstract": paper.abstract,
    }
    return {field: value for field, value in item.items() if value}


def _source(paper: Paper) -> dict[str, Any] | None:
    import orjson

    text = source_text(paper, FORMAT)
    item = orjson.loads(text) if text else None
    return item if isinstance(item, dict) else None


def _date(date: str) -> dict[str, Any]:
    """A date of numbers, or of words, such as ``in press``; empty for an empty one."""
    if numbers := date_parts(date):
        return {"date-parts": numbers}
    return {"literal": date} if date else {}


def _person(author: str) -> dict[str, str]:
    if not can_invert(author):
        return {"literal": str(author)}
    name = parts(author)
    person = {
        "given": name.given,
        "dropping-particle": name.dropping,
        "non-dropping-particle": name.particle,
        "family": name.family,
        "suffix": name.suffix,
    }
    return {part: value for part, value in person.items() if value}

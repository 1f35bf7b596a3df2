"""Items in Zotero's own fields, as its database, its web API and Better BibTeX's JSON have them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewhy.base.errors import InputError
from citewhy.base.records import Paper
from citewhy.papers.formats.asked import Row
from citewhy.papers.formats.doi import clean_doi, doi_in_url
from citewhy.papers.formats.fields import MadeIds, year_of
from citewhy.papers.formats.json_source import Made, Warn, read_objects
from citewhy.papers.formats.marked_up import plain
from citewhy.papers.formats.report import ImportReport
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten, tidy

__all__ = ["NOT_ITEMS", "paper_of", "read", "read_api"]

JSON = "Better BibTeX JSON"
API = "Zotero API"

NOT_ITEMS = ("attachment", "note", "annotation")

_TITLES = ("title", "caseName", "nameOfAct", "subject", "shortTitle")
_DATES = ("date", "dateDecided", "dateEnacted", "issueDate", "filingDate", "year")
_VENUES = (
    *("publicationTitle", "proceedingsTitle", "bookTitle", "conferenceName", "encyclopediaTitle"),
    *(
        "dictionaryTitle",
        "websiteTitle",
        "blogTitle",
        "forumTitle",
        "programTitle",
        "meetingName",
        "university",
    ),
    *("institution", "repository", "reporter", "code", "seriesTitle", "series", "publisher"),
)
_AUTHORS = (
    *("author", "inventor", "artist", "programmer", "presenter", "podcaster", "director", "composer"),
    *("cartographer", "interviewee", "sponsor", "editor", "seriesEditor", "contributor"),
)
"""Roles that count as author; the first one that the item has is used."""

_EXTRA = re.compile(
    r"^[ \t]*(citation key|bibtex|doi)[ \t]*:[ \t]*(\S.*?)[ \t]*$", re.IGNORECASE | re.MULTILINE
)


def read(path: FilePath, report: ImportReport) -> Iterator[Made]:
    """Better BibTeX JSON: items under their citation keys."""
    made = MadeIds()
    return read_objects(JSON, lambda row, warn: _items(row, warn, made), path, report)


def read_api(path: FilePath, report: ImportReport) -> Iterator[Made]:
    """Responses of Zotero's web API: items under ``data``."""
    made = MadeIds()
    return read_objects(API, lambda row, warn: _items(row.row("data"), warn, made), path, report)


def _items(row: Row, warn: Warn, made: MadeIds) -> Iterator[Made]:
    if (kind := row.peek("itemType")) in NOT_ITEMS:
        row.leave_whole(f"({kind}s)")
        return
    yield paper_of(row, warn, made)


def paper_of(row: Row, warn: Warn, made: MadeIds) -> Paper:
    """An item as a paper under its citation key, or else Zotero's. Raises InputError without a title."""
    row.drop("itemType")
    extra = _extra(row)
    title = plain(row.first(*_TITLES))
    if not title:
        name = row.first("citationKey", "itemKey", "key")
        raise InputError(f"item {shorten(name)!r} has no title")
    url = row.text("url")
    given = row.text("DOI") or extra.get("doi", "")
    doi = clean_doi(given)
    if given and not doi:
        warn(f"{shorten(given)!r} is not a DOI; left empty")
    key = row.first("citationKey", "citekey", "citation-key") or extra.get("citation key", "")
    paper = Paper(
        key or extra.get("bibtex", "") or row.first("itemKey", "key"),
        title,
        plain(row.text("abstractNote")),
        tuple(_people(row)),
        _year(row, warn),
        plain(row.first(*_VENUES)),
        doi or doi_in_url(url),
        url,
    )
    if paper.id:
        return paper
    identifier = paper.doi or made.make(paper)
    return Paper(
        identifier, title, paper.abstract, paper.authors, paper.year, paper.venue, paper.doi, paper.url
    )


def _extra(row: Row) -> dict[str, str]:
    """The citation key and the DOI that the field "extra" may contain; other content is kept."""
    value = row.peek("extra")
    lines = "\n".join(one for one in value if isinstance(one, str)) if isinstance(value, list) else value
    if not isinstance(lines, str):
        return {}
    found = {match[1].lower(): tidy(match[2]) for match in _EXTRA.finditer(lines)}
    if not _EXTRA.sub("", lines).strip():
        row.drop("extra")
    return found


def _year(row: Row, warn: Warn) -> int | None:
    given = row.first(*_DATES)
    year = year_of(given)
    if given and year is None:
        warn(f"date {shorten(given)!r} names no year; left empty")
    return year


def _people(row: Row) -> list[str]:
    creators = row.rows("creators")
    roles = [creator.text("creatorType") for creator in creators]
    role = next((one for one in _AUTHORS if one in roles), next(iter(roles), ""))
    names = []
    for creator, its_role in zip(creators, roles, strict=True):
        if its_role == role:
            creator.drop("fieldMode", "multi")
            whole = " ".join((creator.text("firstName"), creator.text("lastName"))).strip()
            if name := whole or creator.text("name"):
                names.append(plain(name))
    return names

"""Works of OpenAlex: JSON lines of a snapshot, lists from the API, single works. The id is OpenAlex's
(``W2741809807``).

Referenced works become citations, even if they are not in the library yet. Abstracts are inverted indexes
(word → positions) and are converted to text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from citewhy.base.errors import InputError
from citewhy.base.records import Alias, Citation, Paper
from citewhy.papers.formats.asked import Row
from citewhy.papers.formats.bounds import MAX_VALUE
from citewhy.papers.formats.doi import clean_doi
from citewhy.papers.formats.fields import year_of
from citewhy.papers.formats.json_source import Made, Warn, read_objects
from citewhy.papers.formats.marked_up import plain
from citewhy.papers.formats.report import ImportReport
from citewhy.text.person import from_inverted
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten, tidy

__all__ = ["NAME", "SOURCE", "read"]

NAME = "OpenAlex"
SOURCE = "openalex"
"""Source of the citations from these files."""

_SITE = "https://openalex.org/"


def read(path: FilePath, report: ImportReport) -> Iterator[Made]:
    """Papers, their other ids as aliases, and their references as citations."""
    return read_objects(NAME, _records, path, report)


def _records(row: Row, warn: Warn) -> Iterator[Made]:
    identifier = _id(row.text("id"))
    if not identifier.startswith("W"):
        raise InputError(f"{shorten(identifier)!r} is not a work" if identifier else "no id")
    title = plain(row.first("title", "display_name"))
    if not title:
        raise InputError(f"work {identifier} has no title")
    if row.peek("display_name") == row.peek("title"):
        row.drop("display_name")
    ids = row.row("ids")
    place = row.row("primary_location")
    if "primary_location" not in row:
        place = row.row("host_venue")  # until 2023
    doi = _doi(row, ids, warn)
    yield Paper(
        identifier,
        title,
        _abstract(row, warn),
        tuple(_authors(row)),
        year_of(row.value("publication_year")) or year_of(row.text("publication_date")),
        place.row("source").text("display_name") or place.text("display_name"),
        doi,
        "" if doi else place.first("landing_page_url", "url"),
    )
    if ids.text("openalex"):
        ids.drop("openalex")
    if pmid := ids.text("pmid").rpartition("/")[2]:
        yield Alias(identifier, f"PMID:{pmid}")
    for cited in row.texts("referenced_works"):
        if _id(cited) not in ("", identifier):
            yield Citation(identifier, _id(cited), SOURCE, 0)


def _id(address: str) -> str:
    return address.removeprefix("http://openalex.org/").removeprefix(_SITE).removeprefix("works/").upper()


def _doi(row: Row, ids: Row, warn: Warn) -> str:
    given = row.text("doi")
    also = ids.text("doi")
    doi = clean_doi(given or also)
    if (given or also) and not doi:
        warn(f"{shorten(given or also)!r} is not a DOI; left empty")
    return doi


def _authors(row: Row) -> Iterator[str]:
    for authorship in row.rows("authorships"):
        name = authorship.row("author").text("display_name") or from_inverted(
            authorship.text("raw_author_name")
        )
        if tidy(name):
            yield tidy(name)


def _abstract(row: Row, warn: Warn) -> str:
    if written := row.text("abstract"):
        return plain(written)
    index = row.value("abstract_inverted_index")
    if isinstance(index, dict) and isinstance(index.get("InvertedIndex"), dict):
        index = index["InvertedIndex"]  # the format of Microsoft Academic Graph
    if not isinstance(index, dict):
        return ""
    placed: list[tuple[int, Any]] = []
    length = 0
    for word, places in index.items():
        good = [place for place in places if type(place) is int] if isinstance(places, list) else []
        length += len(good) * (len(word) + 1)
        if length > MAX_VALUE:
            warn(f"the abstract has more than {MAX_VALUE:,} characters; left out")
            return ""
        placed.extend((place, word) for place in good)
    return plain(" ".join(word for _, word in sorted(placed)))

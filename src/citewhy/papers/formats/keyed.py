"""One JSON object with a paper, or a citing sentence, for each id: the layout of the data sets of local
citation recommendation (ACL-200, ACL-600, FullTextPeerRead, RefSeer, arXiv) are passed on.

    papers.json    {"N04-1019": {"title": …, "abstract": …}, …}, also with "authors_ids": [12, …]
    contexts.json  {"P15-2138_N04-1019_0": {"masked_text": "… TARGETCIT …", "citing_id": …, "refid": …}, …}

The largest of these files have some gigabytes, so that they are read entry by entry.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import orjson

from citewhy.base.errors import InputError
from citewhy.base.records import Context, Paper
from citewhy.papers.formats.fields import Seen, year_of_collection
from citewhy.papers.formats.json_objects import CONTAINERS, Reading
from citewhy.papers.formats.jsonlines import context_of, paper_of
from citewhy.papers.formats.report import ImportReport
from citewhy.text.source import FilePath, open_blocks
from citewhy.text.tidy import shorten

__all__ = ["TARGET", "entries", "kind_of", "read_contexts", "read_papers"]

TARGET = "TARGETCIT"
"""The placeholder of the cited papers."""

_CITED = ("refid", "ref_id", "cited_id")
"""Names of the field with the cited paper, oldest first."""

PAPERS = "papers as one JSON object"
CONTEXTS = "contexts as one JSON object"

_CITING = ("citing_id", "citing_paper_id")

_OF_PAPERS = frozenset({"id", "title", "abstract", "authors", "authors_ids", "year", "venue", "doi", "url"})
_OF_CONTEXTS = frozenset({"masked_text", *_CITING, *_CITED, "context_id"})

_ANTHOLOGY_ID = re.compile(r"([A-Z]\d\d)-\d{4,5}|(\d{4}\.[A-Za-z]\w*)-\w+\.\d+")
_UNKNOWN = ("", "NULL", "null", "None")
"""Values that mean an unknown year in dumps of databases."""

T = TypeVar("T")
Row = dict[str, Any]
Warn = Callable[[str], None]


def kind_of(head: str) -> str | None:
    """``papers`` or ``contexts``, by the first entry; None for anything else. `head` is the beginning of a
    file, and long enough for an entry."""
    try:
        reading = Reading("", iter(()), head)
        reading.expect("{")
        key = reading.value()
        if not isinstance(key, str):
            return None
        reading.expect(":")
        row = reading.value()
    except (InputError, RecursionError):
        return None
    if not isinstance(row, dict):
        return None
    if row.keys() & {*_CITING} and row.keys() & {"masked_text", *_CITED}:
        return "contexts"
    if key in CONTAINERS:
        return None
    # An entry with an id other than its key is part of something else.
    return "papers" if "title" in row and row.get("id", key) == key else None


def read_papers(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Papers with a title. If the file has no year, it is taken from an ACL Anthology id."""
    seen = Seen(path, report)
    for paper in _records(path, report, _paper, PAPERS, _OF_PAPERS):
        if placed := seen.placed(paper, None):
            yield placed


def read_contexts(path: FilePath, report: ImportReport) -> Iterator[Context]:
    """Masked citing texts. One without a placeholder of the cited paper is kept with a warning."""
    seen = Seen(path, report)
    for context in _records(path, report, _context, CONTEXTS, _OF_CONTEXTS):
        if not seen.again(context.id, context.text, None):
            yield context


def _records(
    path: FilePath,
    report: ImportReport,
    make: Callable[[str, Row, Warn], T],
    source: str,
    fields: frozenset[str],
) -> Iterator[T]:
    """Records whose position is their key, since such a file is often a single line. Names other than
    `fields` are counted under `source`."""
    key = ""

    def warn(why: str) -> None:
        report.warn(path, None, f"{shorten(key)!r}: {why}")

    for key, row in entries(path):
        try:
            if not isinstance(row, dict):
                raise InputError(f"expected an object, found {shorten(str(row))!r}")
            cleaned = _clean(key, row)
            record = make(key, cleaned, warn)
        except InputError as error:
            report.skip(path, None, f"{shorten(key)!r}: {error}")
            continue
        strange = cleaned.keys() - fields
        report.leave(source, (name for name in strange if cleaned[name] not in (None, "", [], {})))
        yield record


def _clean(key: str, row: Row) -> Row:
    """Raises InputError for lone surrogates, which cannot be written to a file."""
    try:
        found: Row = orjson.loads(orjson.dumps([key, row]))[1]
    except orjson.JSONEncodeError as error:
        raise InputError(f"not text: {error}") from error
    return found


def _paper(key: str, row: Row, warn: Warn) -> Paper:
    year = None if row.get("year") in _UNKNOWN else row.get("year")
    if year is None and (found := _ANTHOLOGY_ID.fullmatch(key)):
        year = year_of_collection(found[1] or found[2])
    authors = row.get("authors")
    if not authors and isinstance(row.get("authors_ids"), list):  # the archives have no names
        authors = [f"author {number}" for number in row["authors_ids"]]
    return paper_of({**row, "id": key, "year": year, "authors": authors}, warn)


def _context(key: str, row: Row, warn: Warn) -> Context:
    text = row.get("masked_text")
    if not text:
        hint = ": mask the marker in citation_context first" if row.get("citation_context") else ""
        raise InputError(f"no masked_text{hint}")
    cited = next((row[name] for name in _CITED if row.get(name) is not None), None)
    if cited is None:
        raise InputError(f"no cited paper, expected it as {_CITED[0]}")
    if isinstance(text, str) and TARGET not in text:
        warn(f"no {TARGET} in its text")
    citing = next((row[name] for name in _CITING if row.get(name) is not None), None)
    return context_of({"context_id": key, "citing_id": citing, "cited_ids": [str(cited)], "text": text}, warn)


def entries(path: FilePath) -> Iterator[tuple[str, Any]]:
    """Keys and values of a file that is one JSON object, in its order.

    Raises InputError if the file is not UTF-8, not JSON or not an object, TooLargeError for an entry of more
    than `json_reading.MAX_LINE` characters.
    """
    reading = Reading(path, open_blocks(path))
    for key in reading.entry_keys():
        yield key, reading.value()
    reading.end()

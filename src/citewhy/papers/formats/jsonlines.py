"""Papers, citing contexts and full texts as JSON in the fields of CiteWhy's records.

A file has one object a line, or a list; or it is one object with an entry for each id. The latter is the
layout in which the data sets of local citation recommendation (ACL-200, ACL-600, FullTextPeerRead, RefSeer,
arXiv) are passed on. The largest of these files have some gigabytes, so that they are read entry by entry.

    papers.json    {"N04-1019": {"title": …, "abstract": …}, …}, also with "authors_ids": [12, …]
    contexts.json  {"P15-2138_N04-1019_0": {"masked_text": "… TARGETCIT …", "citing_id": …, "refid": …}, …}
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, TypeVar

import orjson

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Context, FullText, Paper, Sentence
from citewhy.papers.formats.fields import Seen, Warn, year_of_collection
from citewhy.papers.formats.json_objects import CONTAINERS, objects
from citewhy.text.dates import year_of
from citewhy.text.doi import clean_doi
from citewhy.text.json_files import Reading, parse
from citewhy.text.source import FilePath, open_blocks
from citewhy.text.tidy import shorten, tidy

__all__ = [
    "TARGET",
    "context_of",
    "entries",
    "kind_of",
    "kind_of_entries",
    "paper_of",
    "parse",
    "read_contexts",
    "read_contexts_by_id",
    "read_full_texts",
    "read_papers",
    "read_papers_by_id",
]

PAPERS = "papers as JSON lines"
CONTEXTS = "contexts as JSON lines"
FULL_TEXTS = "full texts as JSON lines"

_PAPER_FIELDS = frozenset({"id", "title", "abstract", "authors", "year", "venue", "doi", "url"})
_CONTEXT_FIELDS = frozenset(
    {"context_id", "citing_id", "cited_ids", "text", "citing_year", "section", "intent"}
)
_FULL_TEXT_FIELDS = frozenset({"id", "sentences"})
_EMPTY: tuple[object, ...] = (None, "", [], {})

Row = dict[str, Any]
T = TypeVar("T")


def kind_of(row: object) -> str | None:
    """``papers``, ``contexts`` or ``full texts``, by the fields of a row; None for anything else."""
    if not isinstance(row, dict):
        return None
    if "cited_ids" in row and "text" in row:
        return "contexts"
    if "sentences" in row:
        return None if "tags" in row else "full texts"  # rows of annotated paragraphs have sentences, too
    if "title" in row or ("id" in row and row.keys() & {"abstract", "authors", "year", "venue"}):
        return "papers"
    return None


def read_papers(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Papers, which need at least `id` and `title`."""
    seen = Seen(path, report)
    for line, paper in _records(path, report, paper_of, PAPERS, _PAPER_FIELDS):
        if placed := seen.placed(paper, line):
            yield placed


def read_contexts(path: FilePath, report: ImportReport) -> Iterator[Context]:
    """Citing sentences, which need at least `context_id`, `citing_id`, `cited_ids` and `text`."""
    seen = Seen(path, report)
    for line, context in _records(path, report, context_of, CONTEXTS, _CONTEXT_FIELDS):
        if not seen.again(context.id, context.text, line):
            yield context


def read_full_texts(path: FilePath, report: ImportReport) -> Iterator[FullText]:
    """Full texts: `id` and `sentences`, each with `sid` and `text`."""
    seen = Seen(path, report)
    for line, full_text in _records(path, report, _full_text, FULL_TEXTS, _FULL_TEXT_FIELDS):
        if not seen.again(full_text.paper_id, full_text.sentences[0].text, line):
            yield full_text


def _records(
    path: FilePath,
    report: ImportReport,
    make: Callable[[Row, Warn], T],
    source: str,
    fields: frozenset[str],
) -> Iterator[tuple[int | None, T]]:
    """The records that `make` returns for each object; it raises InputError for one to be skipped.

    Names other than `fields` are counted under `source`.
    """
    for json_object in objects(path, source, report):
        line, row = json_object.line, json_object.value
        try:
            record = make(row, functools.partial(report.warn, path, line))
        except InputError as error:
            report.skip(path, line, str(error) if line else f"item {json_object.number}: {error}")
            continue
        if strange := row.keys() - fields:
            report.leave(source, (name for name in strange if row[name] not in _EMPTY))
        yield line, record


def paper_of(row: Row, warn: Warn) -> Paper:
    """A row as a paper. Raises InputError for one to be skipped."""
    identifier = _identifier(row, "id")
    title = _text(row, "title", warn)
    if not title:
        raise InputError(f"paper {shorten(identifier)!r} has no title")
    year = row.get("year")
    if year is not None and not (type(year) is int and 1500 <= year <= 2099):
        year = _year(year, warn)
    doi = row.get("doi")
    return Paper(
        identifier,
        title,
        _text(row, "abstract", warn),
        _authors(row.get("authors"), warn),
        year,
        _text(row, "venue", warn),
        _doi(doi, warn) if doi else "",
        _text(row, "url", warn),
    )


def context_of(row: Row, warn: Warn) -> Context:
    """A row as a citing sentence. Raises InputError for one to be skipped."""
    identifier = _identifier(row, "context_id")
    cited = row.get("cited_ids")
    if not isinstance(cited, list) or not cited or not all(isinstance(one, str) and one for one in cited):
        raise InputError(f"context {shorten(identifier)!r}: cited_ids is not a list of paper ids")
    text = _text(row, "text", warn)
    if not text:
        raise InputError(f"context {shorten(identifier)!r} has no text")
    year = row.get("citing_year")
    return Context(
        identifier,
        _identifier(row, "citing_id"),
        tuple(dict.fromkeys(cited)),
        text,
        None if year is None else _year(year, warn),
        _text(row, "section", warn),
        _text(row, "intent", warn),
    )


def _full_text(row: Row, warn: Warn) -> FullText:
    identifier = _identifier(row, "id")
    sentences = row.get("sentences")
    if not isinstance(sentences, list) or not sentences:
        raise InputError(f"full text {shorten(identifier)!r} has no sentences")
    made = [_sentence(sentence, identifier, warn) for sentence in sentences]
    made.sort(key=lambda sentence: sentence.sid)
    if any(one.sid == following.sid for one, following in pairwise(made)):
        raise InputError(f"full text {shorten(identifier)!r} has two sentences with the same number")
    return FullText(identifier, tuple(made))


def _sentence(row: object, identifier: str, warn: Warn) -> Sentence:
    if not isinstance(row, dict) or type(row.get("sid")) is not int or not isinstance(row.get("text"), str):
        raise InputError(f"full text {shorten(identifier)!r}: a sentence needs a number `sid` and a `text`")
    if not 0 <= row["sid"] < 2**31:
        raise InputError(f"full text {shorten(identifier)!r}: no sentence has the number {row['sid']}")
    paragraph = row.get("paragraph")
    if paragraph is not None and type(paragraph) is not int:
        warn(f"paragraph is not a number but {shorten(str(paragraph))!r}; left empty")
        paragraph = None
    return Sentence(row["sid"], _text(row, "section", warn), tidy(row["text"]), paragraph)


def _identifier(row: Row, field: str) -> str:
    value = row.get(field)
    if type(value) is int:
        value = str(value)  # corpus ids are numbers in some collections
    if not isinstance(value, str) or not (cleaned := tidy(value)):
        raise InputError(f"no {field}" if value in (None, "") else f"{field} is {shorten(str(value))!r}")
    return cleaned


def _text(row: Row, field: str, warn: Warn) -> str:
    value = row.get(field)
    if value is None:
        return ""
    if type(value) is str:
        return tidy(value)
    warn(f"{field} is not text but {shorten(str(value))!r}; left empty")
    return ""


def _authors(value: object, warn: Warn) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(type(one) is str for one in value):
        warn(f"authors is not a list of names but {shorten(str(value))!r}; left empty")
        return ()
    return tuple([name for one in value if (name := tidy(one))])


def _year(value: object, warn: Warn) -> int | None:
    year = year_of(value)
    if year is None:
        warn(f"year {shorten(str(value))!r} is not a year; left empty")
    return year


def _doi(value: object, warn: Warn) -> str:
    doi = clean_doi(value) if isinstance(value, str) else ""
    if not doi:
        warn(f"{shorten(str(value))!r} is not a DOI; left empty")
    return doi


# By id --------------------------------------------------------------------------------------------------

TARGET = "TARGETCIT"
"""The placeholder of the cited papers."""

_CITED = ("refid", "ref_id", "cited_id")
"""Names of the field with the cited paper, oldest first."""

PAPERS_BY_ID = "papers as one JSON object"
CONTEXTS_BY_ID = "contexts as one JSON object"

_CITING = ("citing_id", "citing_paper_id")

_PAPER_FIELDS_BY_ID = frozenset(
    {"id", "title", "abstract", "authors", "authors_ids", "year", "venue", "doi", "url"}
)
_CONTEXT_FIELDS_BY_ID = frozenset({"masked_text", *_CITING, *_CITED, "context_id"})

_ANTHOLOGY_ID = re.compile(r"([A-Z]\d\d)-\d{4,5}|(\d{4}\.[A-Za-z]\w*)-\w+\.\d+")
_UNKNOWN = ("", "NULL", "null", "None")
"""Values that mean an unknown year in dumps of databases."""


def kind_of_entries(head: str) -> str | None:
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


def read_papers_by_id(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Papers with a title. If the file has no year, it is taken from an ACL Anthology id."""
    seen = Seen(path, report)
    for paper in _records_by_id(path, report, _paper_by_id, PAPERS_BY_ID, _PAPER_FIELDS_BY_ID):
        if placed := seen.placed(paper, None):
            yield placed


def read_contexts_by_id(path: FilePath, report: ImportReport) -> Iterator[Context]:
    """Masked citing texts. One without a placeholder of the cited paper is kept with a warning."""
    seen = Seen(path, report)
    for context in _records_by_id(path, report, _context_by_id, CONTEXTS_BY_ID, _CONTEXT_FIELDS_BY_ID):
        if not seen.again(context.id, context.text, None):
            yield context


def _records_by_id(
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
        report.leave(source, (name for name in strange if cleaned[name] not in _EMPTY))
        yield record


def _clean(key: str, row: Row) -> Row:
    """Raises InputError for lone surrogates, which cannot be written to a file."""
    try:
        cleaned: Row = orjson.loads(orjson.dumps([key, row]))[1]
    except orjson.JSONEncodeError as error:
        raise InputError(f"not text: {error}") from error
    return cleaned


def _paper_by_id(key: str, row: Row, warn: Warn) -> Paper:
    year = None if row.get("year") in _UNKNOWN else row.get("year")
    if year is None and (match := _ANTHOLOGY_ID.fullmatch(key)):
        year = year_of_collection(match[1] or match[2])
    authors = row.get("authors")
    if not authors and isinstance(row.get("authors_ids"), list):  # the archives have no names
        authors = [f"author {number}" for number in row["authors_ids"]]
    return paper_of({**row, "id": key, "year": year, "authors": authors}, warn)


def _context_by_id(key: str, row: Row, warn: Warn) -> Context:
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
    than `source.MAX_LINE` characters.
    """
    reading = Reading(path, open_blocks(path))
    for key in reading.entry_keys():
        yield key, reading.value()
    reading.end()

"""Papers, citing contexts and full texts as JSON in the fields of CiteWhy's records: one object a line, or a
list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, TypeVar

from citewhy.base.errors import InputError
from citewhy.base.records import Context, FullText, Paper, Sentence
from citewhy.papers.formats.doi import clean_doi
from citewhy.papers.formats.fields import Seen, year_of
from citewhy.papers.formats.json_objects import objects, parse
from citewhy.papers.formats.report import ImportReport
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten, tidy

__all__ = ["context_of", "kind_of", "paper_of", "parse", "read_contexts", "read_full_texts", "read_papers"]

PAPERS = "papers as JSON lines"
CONTEXTS = "contexts as JSON lines"
FULL_TEXTS = "full texts as JSON lines"

_OF_PAPERS = frozenset({"id", "title", "abstract", "authors", "year", "venue", "doi", "url"})
_OF_CONTEXTS = frozenset({"context_id", "citing_id", "cited_ids", "text", "citing_year", "section", "intent"})
_OF_FULL_TEXTS = frozenset({"id", "sentences"})
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
    for line, paper in _records(path, report, paper_of, PAPERS, _OF_PAPERS):
        if placed := seen.placed(paper, line):
            yield placed


def read_contexts(path: FilePath, report: ImportReport) -> Iterator[Context]:
    """Citing sentences, which need at least `context_id`, `citing_id`, `cited_ids` and `text`."""
    seen = Seen(path, report)
    for line, context in _records(path, report, context_of, CONTEXTS, _OF_CONTEXTS):
        if not seen.again(context.id, context.text, line):
            yield context


def read_full_texts(path: FilePath, report: ImportReport) -> Iterator[FullText]:
    """Full texts: `id` and `sentences`, each with `sid` and `text`."""
    seen = Seen(path, report)
    for line, full_text in _records(path, report, _full_text, FULL_TEXTS, _OF_FULL_TEXTS):
        if not seen.again(full_text.paper_id, full_text.sentences[0].text, line):
            yield full_text


def _records(
    path: FilePath,
    report: ImportReport,
    make: Callable[[Row, Callable[[str], None]], T],
    source: str,
    fields: frozenset[str],
) -> Iterator[tuple[int | None, T]]:
    """The records that `make` returns for each object; it raises InputError for one to be skipped.

    Names other than `fields` are counted under `source`.
    """
    place: int | None = None

    def warn(why: str) -> None:
        report.warn(path, place, why)

    for found in objects(path, source, report):
        place = found.line
        try:
            record = make(found.value, warn)
        except InputError as error:
            report.skip(path, place, str(error) if place else f"item {found.number}: {error}")
            continue
        if strange := found.value.keys() - fields:
            report.leave(source, (name for name in strange if found.value[name] not in _EMPTY))
        yield place, record


def paper_of(row: Row, warn: Callable[[str], None]) -> Paper:
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


def context_of(row: Row, warn: Callable[[str], None]) -> Context:
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


def _full_text(row: Row, warn: Callable[[str], None]) -> FullText:
    identifier = _identifier(row, "id")
    sentences = row.get("sentences")
    if not isinstance(sentences, list) or not sentences:
        raise InputError(f"full text {shorten(identifier)!r} has no sentences")
    made = [_sentence(sentence, identifier, warn) for sentence in sentences]
    made.sort(key=lambda sentence: sentence.sid)
    if any(one.sid == following.sid for one, following in pairwise(made)):
        raise InputError(f"full text {shorten(identifier)!r} has two sentences with the same number")
    return FullText(identifier, tuple(made))


def _sentence(row: object, identifier: str, warn: Callable[[str], None]) -> Sentence:
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


def _text(row: Row, field: str, warn: Callable[[str], None]) -> str:
    value = row.get(field)
    if value is None:
        return ""
    if type(value) is str:
        return tidy(value)
    warn(f"{field} is not text but {shorten(str(value))!r}; left empty")
    return ""


def _authors(value: object, warn: Callable[[str], None]) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(type(one) is str for one in value):
        warn(f"authors is not a list of names but {shorten(str(value))!r}; left empty")
        return ()
    return tuple([name for one in value if (name := tidy(one))])


def _year(value: object, warn: Callable[[str], None]) -> int | None:
    year = year_of(value)
    if year is None:
        warn(f"year {shorten(str(value))!r} is not a year; left empty")
    return year


def _doi(value: object, warn: Callable[[str], None]) -> str:
    doi = clean_doi(value) if isinstance(value, str) else ""
    if not doi:
        warn(f"{shorten(str(value))!r} is not a DOI; left empty")
    return doi

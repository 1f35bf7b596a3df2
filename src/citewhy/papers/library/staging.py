"""Staging: the records of an import are read, collected and sorted before the library is locked.

Reading files takes longer than storing their records, and a writer blocks other writers, so everything is
read first; each file is staged completely or not at all. The records are kept in a temporary database (in
memory while it is small, otherwise on disk) and returned in the order of their ids: a library does not depend
on the order in which files are given."""

from __future__ import annotations

import itertools
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from citewhy.base.errors import CiteWhyError, InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.progress import Progress
from citewhy.base.records import (
    Alias,
    Citation,
    Context,
    FullText,
    Header,
    Identifier,
    Notice,
    Paper,
    ReferenceList,
    Writing,
)
from citewhy.papers.formats.files import Files, records
from citewhy.papers.formats.registry import KINDS, Record
from citewhy.papers.library.database import Database, typed_errors
from citewhy.text.codec import (
    context_data,
    paper_data,
    read_paper,
    read_references,
    read_writing,
    references_data,
    text_data,
    writing_data,
)
from citewhy.text.dedupe import work_key

__all__ = [
    "Map",
    "Reading",
    "Source",
    "StagedCitation",
    "StagedContext",
    "StagedPaper",
    "StagedRow",
    "StagedText",
    "Staging",
    "read_source",
    "rows_of",
    "sources_of",
    "stage",
]

StagedRow = tuple[str, str, tuple[Any, ...]]
"""The kind of a record, the table to which it goes, and its row there. It can be sent to another process."""

_IDENTIFIERS = "identifiers"
"""In place of a table, for papers that are only named."""


class StagedPaper(NamedTuple):
    id: str
    source: int
    doi: str | None
    work: int | None
    data: bytes
    weak: int = 0
    """1 for the header of a full text; 2 for one without a title, which makes no paper; else 0."""


class StagedContext(NamedTuple):
    citing_id: str
    id: str
    source: int
    cited_ids: str
    """Joined by line feeds, which no id contains."""
    data: bytes


class StagedCitation(NamedTuple):
    citing_id: str
    cited_id: str
    claimed_by: str
    source: int
    n_contexts: int


class StagedText(NamedTuple):
    paper_id: str
    source: int
    data: bytes


_ROWS_AT_ONCE = 1000
_CACHE_KIB = 64 << 10
_COLUMNS = {
    "papers": StagedPaper._fields,
    "aliases": ("id", "same_as", "source"),
    "contexts": StagedContext._fields,
    "citations": StagedCitation._fields,
    "texts": StagedText._fields,
    "reference_lists": ("citing_id", "source", "data"),
    "writings": ("paper_id", "source", "data"),
    "notices": tuple(field.name for field in fields(Notice)),
    "placed": ("source", "id"),
}

_STRONG_FIRST = "min(weak) OVER (PARTITION BY id), id, weak"

_PAIRS = "SELECT id, same_as, min(source) FROM aliases WHERE id <> same_as GROUP BY 1, 2 ORDER BY 1, 2"


class Staging:
    """Records to be added to a library. Use as a context manager.

    `sources` are the names given to `take`; the `source` of a staged row is an index into it. `taken` counts
    the staged records by kind.
    """

    def __init__(self, report: ImportReport) -> None:
        self.sources: list[str] = []
        self.taken: Counter[str] = Counter()
        self.identifiers: list[tuple[Identifier, int]] = []
        """Papers that are only named, each with its source."""
        self.refused: set[str] = set()
        """Names of sources of which nothing is staged."""
        self._report = report
        path = Path("(records being read)")  # for error messages: the database has no path
        with typed_errors(path):
            self._db = Database(lambda: sqlite3.connect("", isolation_level=None), path)
        self._db.run(f"PRAGMA cache_size = -{_CACHE_KIB}")
        for table, columns in _COLUMNS.items():
            self._db.run(f"CREATE TABLE {table} (sequence INTEGER PRIMARY KEY, {', '.join(columns)})")
        self._db.run("BEGIN")
        self._waiting: dict[str, list[tuple[object, ...]]] = {table: [] for table in _COLUMNS}

    def __enter__(self) -> Staging:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def take(self, records: Iterable[Record], source: str, report: ImportReport | None = None) -> None:
        """Stages records from `source`. Records that cannot be stored are skipped, and warned about in
        `report` (default: the one of all sources).

        If `records` raises, nothing from this source stays staged.
        """
        self.put(rows_of(records, source, len(self.sources), report or self._report), source)

    def put(self, rows: Iterable[StagedRow], source: str) -> None:
        """Stages what `rows_of` made of the records of `source`, whose number is that of the sources staged
        so far. If `rows` raises, nothing from this source stays staged."""
        taken, named = self.taken.copy(), len(self.identifiers)
        self.sources.append(source)
        self._db.run("SAVEPOINT source")
        try:
            self._put(rows)
        except BaseException:
            for waiting in self._waiting.values():
                waiting.clear()
            self._db.run("ROLLBACK TO source")
            self.taken = taken
            del self.identifiers[named:]
            self.refused.add(source)
            raise
        finally:
            self._db.run("RELEASE source")

    def _put(self, rows: Iterable[StagedRow]) -> None:
        for kind, table, row in rows:
            self.taken[kind] += 1
            if table == _IDENTIFIERS:
                self.identifiers.append(row)
                continue
            waiting = self._waiting[table]
            waiting.append(row)
            if len(waiting) >= _ROWS_AT_ONCE:
                self._write(table)
        for table in _COLUMNS:
            self._write(table)

    def papers(self) -> Iterator[tuple[str, list[StagedPaper]]]:
        """The ids and their records, in the order of addition. Headers of full texts come last: after the
        other records of their id, and ids that have only headers after all others."""
        rows = itertools.starmap(StagedPaper, self._sorted("papers", _STRONG_FIRST))
        for identifier, group in itertools.groupby(rows, key=itemgetter(0)):
            yield identifier, list(group)

    def aliases(self) -> Iterator[tuple[str, str, int]]:
        """Pairs of different ids, the smaller one first, and the source that gives them first."""
        yield from self._db.rows(_PAIRS)

    def contexts(self) -> Iterator[StagedContext]:
        """The last context with each id of each citing paper."""
        return itertools.starmap(StagedContext, self._last("contexts", "citing_id, id", 2))

    def citations(self) -> Iterator[StagedCitation]:
        """The last citation between each pair of papers by each source."""
        return itertools.starmap(
            StagedCitation, self._last("citations", "citing_id, cited_id, claimed_by", 3)
        )

    def texts(self) -> Iterator[StagedText]:
        """The last full text of each paper."""
        return itertools.starmap(StagedText, self._last("texts", "paper_id", 1))

    def reference_lists(self) -> Iterator[tuple[ReferenceList, str]]:
        """The last reference list of each paper, and the name of its source."""
        for citing_id, source, data in self._last("reference_lists", "citing_id", 1):
            yield read_references(citing_id, data), self.sources[source]

    def writings(self) -> Iterator[tuple[Writing, str]]:
        """Every writing, and the name of its source; two may have one id."""
        for paper_id, source, data in self._sorted("writings", "paper_id"):
            yield read_writing(paper_id, data), self.sources[source]

    def notices(self) -> Iterator[Notice]:
        """All notices; one may occur twice."""
        return itertools.starmap(Notice, self._sorted("notices", "doi, pmid, title"))

    def place(self, source: int, paper_id: str) -> None:
        """Remembers the id under which a paper of a source is stored."""
        waiting = self._waiting["placed"]
        waiting.append((source, paper_id))
        if len(waiting) >= _ROWS_AT_ONCE:
            self._write("placed")

    def placed(self, name: str) -> Iterator[str]:
        """The ids under which papers of the source of this name are stored, in order."""
        return self._placed(name, "1 ORDER BY id", ())

    def placed_among(self, name: str, ids: Collection[str]) -> set[str]:
        """Gives those of `placed` that are among the `ids`, of which there may be some thousand."""
        return set(self._placed(name, f"id IN ({', '.join('?' * len(ids))})", ids))

    def _placed(self, name: str, condition: str, values: Collection[str]) -> Iterator[str]:
        self._write("placed")
        self._db.run("CREATE INDEX IF NOT EXISTS placed_by_source ON placed (source, id)")
        numbers = [number for number, source in enumerate(self.sources) if source == name]
        sql = f"SELECT DISTINCT id FROM placed WHERE source IN ({', '.join('?' * len(numbers))})"
        return (row[0] for row in self._db.rows(f"{sql} AND {condition}", [*numbers, *values]))

    def paper(self, paper_id: str) -> Paper | None:
        """Returns what was said last of a paper so far; None where nothing was."""
        self._db.run("CREATE INDEX IF NOT EXISTS papers_by_id ON papers (id)")
        rows = self._db.rows(
            "SELECT data FROM papers WHERE id = ? ORDER BY sequence DESC LIMIT 1", [paper_id]
        )
        for (data,) in rows:
            return read_paper(paper_id, data)
        return None

    def _sorted(self, table: str, key: str) -> Iterator[tuple[Any, ...]]:
        columns = ", ".join(_COLUMNS[table])
        return self._db.rows(f"SELECT {columns} FROM {table} ORDER BY {key}, sequence")

    def _last(self, table: str, key: str, width: int) -> Iterator[tuple[Any, ...]]:
        rows = self._sorted(table, key)
        if (last := next(rows, None)) is None:
            return
        own = last[:width]
        for row in rows:
            if (key_now := row[:width]) != own:
                yield last
                own = key_now
            last = row
        yield last

    def _write(self, table: str) -> None:
        columns = _COLUMNS[table]
        marks = ", ".join("?" * len(columns))
        self._db.run_many(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", self._waiting[table]
        )
        self._waiting[table].clear()


def rows_of(records: Iterable[Record], source: str, number: int, report: ImportReport) -> Iterator[StagedRow]:
    """The rows of records from the `source` with this `number` among those of an import. Records that cannot
    be stored are skipped, and warned about in `report`."""
    for record in records:
        kind = KINDS[type(record)]
        if isinstance(record, Identifier):
            yield kind, _IDENTIFIERS, (record, number)
            continue
        try:
            table, row = _row(record, number)
        except (TypeError, ValueError) as error:
            report.skip(source, None, f"{_name(record)} cannot be stored: {error}")
            report.refused[kind] += 1
            continue
        yield kind, table, row


def _row(record: Record, source: int) -> tuple[str, tuple[object, ...]]:
    """The table and row for a record. Raises TypeError or ValueError if it cannot be stored."""
    match record:
        case Paper():
            return "papers", _staged(record, source)
        case Alias():
            one, other = sorted((_id(record.id), _id(record.same_as)))
            return "aliases", (one, other, source)
        case Context():
            cited_ids = "\n".join(map(_id, record.cited_ids))
            return "contexts", StagedContext(
                _id(record.citing_id), _id(record.id), source, cited_ids, context_data(record)
            )
        case Citation():
            if not 0 <= record.n_contexts < 1 << 63:
                raise ValueError(f"invalid number of citing sentences: {record.n_contexts}")
            return "citations", StagedCitation(
                _id(record.citing_id), _id(record.cited_id), _text(record.source), source, record.n_contexts
            )
        case FullText():
            return "texts", StagedText(_id(record.paper_id), source, text_data(record))
        case Header():
            return "papers", _staged(record.paper, source)._replace(weak=1 if record.paper.title else 2)
        case ReferenceList():
            return "reference_lists", (_id(record.citing_id), source, references_data(record))
        case Writing():
            return "writings", (_id(record.paper.id), source, writing_data(record))
        case Notice():
            return "notices", tuple(map(_text_or_year, astuple(record)))
        case Identifier():
            raise TypeError("a name alone is no record")


def _staged(paper: Paper, source: int) -> StagedPaper:
    return StagedPaper(_id(paper.id), source, paper.doi or None, work_key(paper), paper_data(paper))


def _id(identifier: str) -> str:
    if not identifier or "\n" in identifier:
        raise ValueError("an id is empty or contains a line break")
    return _text(identifier)


def _text(text: str) -> str:
    text.encode()  # UnicodeEncodeError, a ValueError, for a lone surrogate
    return text


def _text_or_year(value: str | int | None) -> str | int | None:
    return _text(value) if isinstance(value, str) else value


def _name(record: Record) -> str:
    if isinstance(record, Header | Writing):
        record = record.paper
    kind = {
        Paper: "a paper",
        Alias: "an alias",
        Context: "a citing sentence",
        Citation: "a citation",
        ReferenceList: "a reference list",
        Notice: "a notice",
    }
    identifier = (
        getattr(record, "id", "") or getattr(record, "paper_id", "") or getattr(record, "citing_id", "")
    )
    return f"{kind.get(type(record), 'a full text')} ({identifier!r})"


# Files --------------------------------------------------------------------------------------------------

_REPORTED = 1000
"""Number of records after which progress is reported."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or a draft of several. `name` is what people call it. It can be sent to another process."""

    name: str
    path: Path
    records: Callable[[ImportReport], Iterable[Record]]


@dataclass(frozen=True, slots=True)
class Reading:
    """Holds what was read from a source: rows to be staged, and a report; or why it is refused."""

    rows: list[StagedRow]
    report: ImportReport
    error: InputError | None = None


Map = Callable[
    [Callable[[tuple[Source, int, bool]], Reading], Iterable[tuple[Source, int, bool]]], Iterable[Reading]
]
"""Calls a function for each source, in other processes or on other machines, and gives the results in order,
as `concurrent.futures.Executor.map` does."""


def sources_of(files: Files) -> list[Source]:
    """The files in order."""
    macros = files.macros() if len(files.known) > 1 else None
    return [Source(file.name, file.path, partial(records, file, macros=macros)) for file in files.known]


def read_source(task: tuple[Source, int, bool]) -> Reading:
    """Reads a source, given with its number among all sources of the import and whether the first bad record
    is an error. Depends on nothing else, and changes nothing."""
    source, number, strict = task
    report = ImportReport(strict=strict)
    try:
        return Reading(list(rows_of(source.records(report), source.name, number, report)), report)
    except InputError as error:
        return Reading([], report, error)


def stage(
    staging: Staging,
    sources: Sequence[Source],
    refused: Sequence[CiteWhyError],
    report: ImportReport,
    progress: Progress,
    mapper: Map | None = None,
    *,
    needs_one: bool = True,
) -> list[CiteWhyError]:
    """Stages the records of the sources; returns the errors of all files that were refused: `refused`, then
    those of the sources, in order.

    A refused file does not stop the others; none of its records are staged or reported. Raises InputError for
    the first refused file if the import is strict, and if it `needs_one` and every file was refused. `mapper`
    reads whole files elsewhere (`read_source`); None: they are read here, one record after another. The
    result is the same.
    """
    errors = list(refused)
    if report.strict and errors:
        raise errors[0]
    added = 0
    tasks = [(source, len(staging.sources) + number, report.strict) for number, source in enumerate(sources)]
    readings = iter(mapper(read_source, tasks)) if mapper is not None else None
    for source, number, strict in tasks:
        own = ImportReport(strict=strict)
        try:
            if readings is None:
                read = _with_progress(source.records(own), source.path, progress)
                staging.put(rows_of(read, source.name, number, own), source.name)
            else:
                progress(f"reading {source.path.name}", None)
                own = _stage_reading(staging, next(readings), source.name)
        except InputError as error:
            if strict:
                raise
            errors.append(error)
            continue
        report.absorb(own, {str(source.path): source.name})
        added += 1
    if errors and needs_one and not added:
        raise errors[0]
    return errors


def _stage_reading(staging: Staging, reading: Reading, name: str) -> ImportReport:
    """Stages what was read elsewhere, and returns its report. Raises the error of a refused source, which
    has a number like the others."""

    def rows() -> Iterator[StagedRow]:
        yield from reading.rows
        if reading.error is not None:
            raise reading.error

    staging.put(rows(), name)
    return reading.report


def _with_progress(read: Iterable[Record], path: Path, progress: Progress) -> Iterator[Record]:
    for number, record in enumerate(read):
        if number % _REPORTED == 0:
            progress(f"reading {path.name} {number:,}", None)
        yield record

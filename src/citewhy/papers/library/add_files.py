"""Reads files and stages their records for a library; each file is staged completely or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from citewhy.base.errors import CiteWhyError, InputError
from citewhy.base.progress import Progress
from citewhy.papers.formats import Record
from citewhy.papers.formats.files import Files, records
from citewhy.papers.formats.report import ImportReport
from citewhy.papers.library.staging import StagedRow, Staging, rows_of

__all__ = ["Map", "Reading", "Source", "read_source", "sources_of", "stage"]

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
    """What was read from a source: rows to be staged, and a report; or why it is refused."""

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
) -> list[CiteWhyError]:
    """Stages the records of the sources; returns the errors of all files that were refused: `refused`, then
    those of the sources, in order.

    A refused file does not stop the others; none of its records are staged or reported. Raises InputError for
    the first refused file if the import is strict, and if every file was refused. `mapper` reads whole files
    elsewhere (`read_source`); None: they are read here, one record after another. The result is the same.
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
    if errors and not added:
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

"""Reads files and stages their records for a library; each file is staged completely or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from citewhy.base.errors import CiteWhyError, InputError
from citewhy.base.progress import Progress
from citewhy.papers.formats import Record
from citewhy.papers.formats.files import Files, records
from citewhy.papers.formats.report import ImportReport
from citewhy.papers.library.staging import Staging

__all__ = ["Source", "sources_of", "stage"]

_TELL_EVERY = 1000


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or a draft of several. `name` is what people call it."""

    name: str
    path: Path
    records: Callable[[ImportReport], Iterable[Record]]


def sources_of(files: Files) -> list[Source]:
    """The files in order."""
    macros = files.macros() if len(files.known) > 1 else None
    return [
        Source(file.name, file.path, lambda report, file=file: records(file, report, macros))  # type: ignore[misc]
        for file in files.known
    ]


def stage(
    staging: Staging,
    sources: Sequence[Source],
    refused: Sequence[CiteWhyError],
    report: ImportReport,
    progress: Progress,
) -> list[CiteWhyError]:
    """Stages the records of the sources; returns the errors of all files that were refused: `refused`, then
    those of the sources, in order.

    A refused file does not stop the others; none of its records are staged or reported. Raises InputError for
    the first refused file if the import is strict, and if every file was refused.
    """
    errors = list(refused)
    if report.strict and errors:
        raise errors[0]
    added = 0
    for source in sources:
        own = ImportReport(strict=report.strict)
        try:
            staging.take(_with_progress(source.records(own), source.path, progress), source.name, own)
        except InputError as error:
            if report.strict:
                raise
            errors.append(error)
            continue
        report.absorb(own, {str(source.path): source.name})
        added += 1
    if errors and not added:
        raise errors[0]
    return errors


def _with_progress(found: Iterable[Record], path: Path, progress: Progress) -> Iterator[Record]:
    for number, record in enumerate(found):
        if number % _TELL_EVERY == 0:
            progress(f"reading {path.name} {number:,}", None)
        yield record

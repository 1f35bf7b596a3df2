"""Files on their way into a library: each is set aside whole, or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from citewhy.errors import InputError
from citewhy.formats import Record
from citewhy.formats.files import File, Files, records
from citewhy.formats.report import ImportReport
from citewhy.library.staging import Staging
from citewhy.progress import Tell

__all__ = ["stage_files"]

_TELL_EVERY = 1000


def stage_files(staging: Staging, files: Files, report: ImportReport, tell: Tell) -> list[InputError]:
    """Sets aside what the files say, and returns the errors of those that were refused, in order.

    A refused file does not stop the others, and nothing of it is set aside or reported. Raises InputError at
    the first one where the import is strict, and where no file is left.
    """
    refused = list(files.refused)
    if report.strict and refused:
        raise refused[0]
    macros = files.macros()
    added = 0
    for file in files.known:
        own = ImportReport(strict=report.strict)

        try:
            staging.take(_told(records(file, own, macros), file, tell), file.name, own)
        except InputError as error:
            if report.strict:
                raise
            refused.append(error)
            continue
        report.absorb(own, {str(file.path): file.name})
        added += 1
    if refused and not added:
        raise refused[0]
    return refused


def _told(found: Iterable[Record], file: File, tell: Tell) -> Iterator[Record]:
    for number, record in enumerate(found):
        if number % _TELL_EVERY == 0:
            tell(f"reading {file.path.name} {number:,}", None)
        yield record

"""Readers of foreign formats, one module a format, chosen by a file's content and never by its name.

Every reader takes a path and an ImportReport, and yields records. A record with an error is noted in the
report and reading continues; InputError means that the file as a whole cannot be read. Fields that are not
kept are counted in the report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from citewhy.base.records import Paper
from citewhy.papers.formats.bounds import bounded
from citewhy.papers.formats.recognise import detect
from citewhy.papers.formats.registry import FORMATS, KINDS, Format, Record
from citewhy.papers.formats.report import ImportReport
from citewhy.text.source import FilePath

__all__ = ["Format", "Record", "detect", "read", "read_papers"]


def read(path: FilePath, report: ImportReport, macros: Mapping[str, str] | None = None) -> Iterator[Record]:
    """The records of a file of any known format; `report.read` counts them by kind.

    `macros` are ``@string`` definitions of other .bib files (lower-case name to LaTeX), for those that the
    file itself does not define.
    """
    found = detect(path)
    if macros and found is FORMATS["BibTeX"]:
        from citewhy.papers.formats import bibtex

        records: Iterator[Record] = bibtex.read(path, report, macros)
    else:
        records = found.read(path, report)
    kind = found.kind
    skipped, again = report.skipped, report.again
    for record in records:
        kept = bounded(record, path, report)
        if kept is not None:
            report.read[KINDS[type(record)]] += 1
            yield kept
    for counts, more in ((report.refused, report.skipped - skipped), (report.repeated, report.again - again)):
        if more:
            counts[kind] += more
            report.read[kind] += more


def read_papers(path: FilePath) -> list[Paper]:
    """The papers of a file of any known format, without a report. Raises InputError."""
    return [each for each in read(path, ImportReport()) if isinstance(each, Paper)]

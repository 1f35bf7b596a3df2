"""Readers of foreign formats, one module a format, chosen by a file's content and never by its name.

Every reader takes a path and an ImportReport, and yields records. A record with an error is noted in the
report and reading continues; InputError means that the file as a whole cannot be read. Fields that are not
kept are counted in the report.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterator, Mapping

from citewhy.base.import_report import ImportReport
from citewhy.base.records import Context, FullText, Header, Paper
from citewhy.base.unforeseen import of_file
from citewhy.papers.formats.fields import MAX_VALUE
from citewhy.papers.formats.recognise import detect
from citewhy.papers.formats.registry import FORMATS, KINDS, Format, Record
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten

__all__ = ["Format", "Record", "detect", "read", "read_papers"]


@of_file
def read(path: FilePath, report: ImportReport, macros: Mapping[str, str] | None = None) -> Iterator[Record]:
    """The records of a file of any known format; `report.read` counts them by kind.

    `macros` are ``@string`` definitions of other .bib files (lower-case name to LaTeX), for those that the
    file itself does not define.
    """
    format_ = detect(path)
    if macros and format_ is FORMATS["BibTeX"]:
        from citewhy.papers.formats import bibtex

        records: Iterator[Record] = bibtex.read(path, report, macros)
    else:
        records = format_.read(path, report)
    kind = format_.kind
    skipped, again = report.skipped, report.again
    for record in records:
        kept = _bounded(record, path, report)
        if kept is not None:
            report.read[KINDS[type(record)]] += 1
            yield kept
    for counts, more in ((report.refused, report.skipped - skipped), (report.repeated, report.again - again)):
        if more:
            counts[kind] += more
            report.read[kind] += more


def read_papers(path: FilePath) -> list[Paper]:
    """The papers of a file of any known format, without a report. Raises InputError."""
    return [record for record in read(path, ImportReport()) if isinstance(record, Paper)]


# Limits on the length of values: longer ones are omitted with a warning --------------------------------

_TEXTS = tuple(
    field.name
    for field in dataclasses.fields(Paper)
    if field.type == "str" and field.name not in ("id", "title")
)
_values = operator.attrgetter("id", "title", *_TEXTS)


def _bounded(record: Record, path: FilePath, report: ImportReport) -> Record | None:
    """The record without values longer than `MAX_VALUE`; None if it is useless without them."""
    if isinstance(record, Paper):
        return _bounded_paper(record, path, report)
    if isinstance(record, Header):
        paper = _bounded_paper(record.paper, path, report)
        return None if paper is None else Header(paper)
    long = ""
    if isinstance(record, Context) and len(record.text) > MAX_VALUE:
        long = f"the text of {shorten(record.id)!r}"
    if isinstance(record, FullText) and any(len(one.text) > MAX_VALUE for one in record.sentences):
        long = f"a sentence of {shorten(record.paper_id)!r}"
    if long:
        report.skip(path, None, f"{long} has more than {MAX_VALUE:,} characters")
        return None
    return record


def _bounded_paper(paper: Paper, path: FilePath, report: ImportReport) -> Paper | None:
    if sum(map(len, _values(paper))) + sum(map(len, paper.authors)) <= MAX_VALUE:
        return paper
    if len(paper.title) > MAX_VALUE or len(paper.id) > MAX_VALUE:
        what = "id" if len(paper.id) > MAX_VALUE else "title"
        report.skip(path, None, f"the {what} of {shorten(paper.id)!r} has more than {MAX_VALUE:,} characters")
        return None
    long: dict[str, object] = {name: "" for name in _TEXTS if len(getattr(paper, name)) > MAX_VALUE}
    if sum(map(len, paper.authors)) > MAX_VALUE:
        long["authors"] = ()
    if not long:
        return paper
    for name in long:
        what = f"{name} of {shorten(paper.id)!r}"
        report.warn(path, None, f"{what} has more than {MAX_VALUE:,} characters; left out")
    return dataclasses.replace(paper, **long)  # type: ignore[arg-type]

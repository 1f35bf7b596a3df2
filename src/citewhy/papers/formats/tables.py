"""Tab-separated tables with a header line: aliases of papers, edges of the citation graph."""

from __future__ import annotations

from collections.abc import Iterator

from citewhy.base.errors import InputError
from citewhy.base.records import Alias, Citation
from citewhy.papers.formats.report import ImportReport
from citewhy.text.numbers import small_number
from citewhy.text.source import FilePath, invalid_utf8, open_raw_lines
from citewhy.text.tidy import shorten, tidy

__all__ = ["kind_of", "read_aliases", "read_citations"]

_ALIASES = ("id", "same_as")
_CITATIONS = ("citing_id", "cited_id")
_ABOUT = ("source", "n_contexts")


def kind_of(header: str) -> str | None:
    """``aliases`` or ``citations``, by the header line; None for anything else."""
    columns = header.strip("\r\n").split("\t")
    if all(column in columns for column in _CITATIONS):
        return "citations"
    if all(column in columns for column in _ALIASES):
        return "aliases"
    return None


def read_aliases(path: FilePath, report: ImportReport) -> Iterator[Alias]:
    """Rows of `id` and `same_as`."""
    for _, row in _rows(path, report, "a table of aliases", _ALIASES):
        yield Alias(row["id"], row["same_as"])


def read_citations(path: FilePath, report: ImportReport) -> Iterator[Citation]:
    """Rows of `citing_id` and `cited_id`, optionally `source` and `n_contexts` (default 1)."""
    for line, row in _rows(path, report, "a table of citations", _CITATIONS, _ABOUT):
        written = row.get("n_contexts") or "1"
        count = small_number(written)
        if count is None:
            report.warn(path, line, f"n_contexts is {shorten(written)!r}, expected a number; counted as 1")
            count = 1
        yield Citation(row["citing_id"], row["cited_id"], row.get("source", ""), count)


def _rows(
    path: FilePath,
    report: ImportReport,
    source: str,
    required: tuple[str, ...],
    optional: tuple[str, ...] = (),
) -> Iterator[tuple[int, dict[str, str]]]:
    columns: list[str] | None = None
    known: tuple[str, ...] = ()
    for line, raw in open_raw_lines(path):
        if not raw or raw.isspace():
            continue
        try:
            values = raw.decode().split("\t")
        except UnicodeDecodeError:
            report.skip(path, line, str(invalid_utf8(raw)))
            continue
        if columns is None:
            columns = [value.strip() for value in values]
            known = (*required, *optional)
            if missing := [name for name in required if name not in columns]:
                raise InputError(
                    f"the header has no column {missing[0]!r}",
                    path=path,
                    line=line,
                    hint=f"expected the columns {', '.join(required)}, separated by tabs",
                )
            continue
        if len(values) != len(columns):
            report.skip(path, line, f"expected {len(columns)} columns, found {len(values)}")
            continue
        row = {name: tidy(value) for name, value in zip(columns, values, strict=True)}
        if empty := [name for name in required if not row[name]]:
            report.skip(path, line, f"no {empty[0]}")
            continue
        if len(columns) > len(required):
            report.leave(source, (name for name in columns if name not in known and row[name]))
        yield line, row

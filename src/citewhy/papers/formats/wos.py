"""Web of Science: its plain text (``FN Clarivate Analytics Web of Science``) and its tab-delimited table.

The id is the accession number, ``WOS:000…``. Cited references with a DOI are looked up in the library.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from citewhy.base.records import Paper, Reference, ReferenceList
from citewhy.papers.formats.asked import Row
from citewhy.papers.formats.doi import clean_doi
from citewhy.papers.formats.fields import MadeIds, Seen, renamed, year_of
from citewhy.papers.formats.people import turned
from citewhy.papers.formats.report import ImportReport
from citewhy.papers.formats.tagged import records
from citewhy.text.person import from_inverted
from citewhy.text.source import FilePath, read_text
from citewhy.text.tidy import shorten, tidy

__all__ = ["NAME", "SOURCE", "read", "read_table"]

NAME = "Web of Science"
SOURCE = "web of science"
"""Source of the citations from these files."""

_TAG = re.compile(r"([A-Z][A-Z0-9])(?: (.*)|$)")
_LISTS = ("AU", "AF", "BA", "BE", "BF", "CA", "GP", "ED", "CR", "C1", "C3", "EM", "OI", "RI")
"""Tags with one value a line; the values of other tags continue on the next line."""

_CITED_DOI = re.compile(r"\bDOI (?:DOI )?\[?([^\s,\]]+)")


def read(path: FilePath, report: ImportReport) -> Iterator[Paper | ReferenceList]:
    """Records from PT to ER."""
    text = read_text(path, notice=functools.partial(report.warn, path)).lstrip("\ufeff")
    reading = _Reading(path, report)
    for record in records(
        text, _TAG, begins="PT", ends="ER", header=("FN", "VR", "EF"), path=path, report=report
    ):
        values: dict[str, object] = {}
        for tag, texts in record.values.items():
            joined = "\n".join(texts)
            values[tag] = joined.split("\n") if tag in _LISTS else tidy(joined)
        yield from reading.records(values, record.line)


def read_table(path: FilePath, report: ImportReport) -> Iterator[Paper | ReferenceList]:
    """The same as a table with a column for each tag; lists are separated by semicolons."""
    text = read_text(path, notice=functools.partial(report.warn, path)).lstrip("\ufeff")
    reading = _Reading(path, report)
    first, *lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    columns = first.split("\t")
    for number, line in enumerate(lines, start=2):
        if not line.strip():
            continue
        values: dict[str, object] = {}
        for tag, cell in zip(columns, line.split("\t"), strict=False):
            if not cell.strip():
                continue
            values[tag.strip()] = [one.strip() for one in cell.split(";")] if tag in _LISTS else tidy(cell)
        yield from reading.records(values, number)


class _Reading:
    def __init__(self, path: FilePath, report: ImportReport) -> None:
        self._path, self._report = path, report
        self._seen, self._made = Seen(path, report), MadeIds()

    def records(self, values: dict[str, object], line: int) -> Iterator[Paper | ReferenceList]:
        row = Row(values)
        row.drop("PT", "NR")
        paper = self._paper(row, line)
        references = tuple(_references(row))
        self._report.leave(NAME, row.not_kept())
        identifier = paper.id or paper.doi or self._made.make(paper)
        if not paper.title or not identifier:
            self._report.skip(self._path, line, "the record has no title (TI)")
        elif placed := self._seen.placed(renamed(paper, identifier), line):
            yield placed
            if references:
                yield ReferenceList(placed.id, references, (), placed.year, SOURCE)

    def _paper(self, row: Row, line: int) -> Paper:
        people = row.texts("AF")
        if people:
            row.drop("AU")  # the same with initials
        people = (
            people
            or row.texts("AU")
            or row.texts("BF")
            or row.texts("BA")
            or row.texts("CA")
            or row.texts("BE")
        )
        given = row.text("DI")
        doi = clean_doi(given)
        if given and not doi:
            self._report.warn(self._path, line, f"{shorten(given)!r} is not a DOI; left empty")
        return Paper(
            row.text("UT"),
            row.text("TI"),
            row.text("AB"),
            tuple([name for person in people if (name := tidy(from_inverted(person)))]),
            year_of(row.text("PY")) or year_of(row.first("EY", "EA")),
            row.first("SO", "CT", "BS", "SE"),
            doi,
        )


def _references(row: Row) -> Iterator[Reference]:
    """References with a DOI; author, year and abbreviated journal do not identify a paper reliably."""
    cited = row.peek("CR")
    if not isinstance(cited, list):
        return
    named = [found for one in cited if (found := _CITED_DOI.search(one))]
    if len(named) == len([one for one in cited if one.strip()]):
        row.drop("CR")
    for number, found in enumerate(named, start=1):
        if doi := clean_doi(found[1]):
            author, _, rest = found.string.partition(",")
            yield Reference(
                f"cr{number}",
                Paper(f"cr{number}", "", authors=(turned(tidy(author)),), year=year_of(rest[:8]), doi=doi),
            )

"""Reading JSON files of other services: invalid objects are skipped with a note, unused fields are
counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from citewhy.base.errors import InputError
from citewhy.base.records import Alias, Citation, Context, FullText, Header, Paper, ReferenceList
from citewhy.papers.formats.asked import Row
from citewhy.papers.formats.fields import Seen
from citewhy.papers.formats.json_objects import Found, objects
from citewhy.papers.formats.report import ImportReport
from citewhy.text.source import FilePath

__all__ = ["Made", "Make", "Warn", "made_of", "read_objects"]

Made = Paper | Alias | Citation | Context | FullText | Header | ReferenceList
Warn = Callable[[str], None]
Make = Callable[[Row, Warn], Iterable[Made]]
"""Makes the records of an object. Raises InputError for an object to be skipped."""


def read_objects(source: str, make: Make, path: FilePath, report: ImportReport) -> Iterator[Made]:
    """The records that `make` returns for each object of a file. Fields that it does not ask for are counted
    under `source`."""
    return made_of(source, make, objects(path, source, report), path, report)


def made_of(
    source: str, make: Make, found_objects: Iterable[Found], path: FilePath, report: ImportReport
) -> Iterator[Made]:
    """Reads objects in memory as `read_objects` does; `path` names their file in the report."""
    seen = Seen(path, report)
    for found in found_objects:

        def warn(why: str, found: Found = found) -> None:
            report.warn(path, found.line, _placed(found, why))

        row = Row(found.value)
        try:
            made = list(make(row, warn))
        except InputError as error:
            report.skip(path, found.line, _placed(found, str(error)))
            continue
        report.leave(source, row.not_kept())
        yield from _each_once(made, seen, found)


def _each_once(made: list[Made], seen: Seen, found: Found) -> Iterator[Made]:
    """The records of an object. If its paper's id belongs to another paper, they all get the paper's new
    id."""
    renamed: dict[str, str] = {}
    for record in made:
        if isinstance(record, Paper):
            paper = seen.placed(record, found.line)
            if paper is None:
                return
            if paper.id != record.id:
                renamed[record.id] = paper.id
            yield paper
        elif isinstance(record, Alias) and record.id in renamed:
            yield replace(record, id=renamed[record.id])
        elif isinstance(record, Citation | ReferenceList) and record.citing_id in renamed:
            yield replace(record, citing_id=renamed[record.citing_id])
        else:
            yield record


def _placed(found: Found, why: str) -> str:
    return why if found.line is not None else f"item {found.number}: {why}"

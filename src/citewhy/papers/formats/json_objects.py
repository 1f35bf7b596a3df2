"""The records of a JSON file in any layout: one a line, a list, a list within the response of a service
(``{"results": […]}``), or a single record. Files of up to several gigabytes are read value by value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import orjson

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Alias, Citation, Context, FullText, Header, Notice, Paper, ReferenceList
from citewhy.papers.formats.fields import Seen, Warn
from citewhy.text.asked import Row
from citewhy.text.json_files import Reading, one_a_line, parse
from citewhy.text.source import FilePath, open_blocks, open_raw_lines
from citewhy.text.tidy import shorten

__all__ = [
    "CONTAINERS",
    "JsonObject",
    "Made",
    "Make",
    "Warn",
    "first_objects",
    "made_of",
    "objects",
    "read_objects",
]

# Objects ------------------------------------------------------------------------------------------------

CONTAINERS = ("items", "results", "data", "message")
"""Keys under which services and exports put their list; Crossref's ``message`` has ``items``, or is itself a
work."""

_EXPECTED = "expected a list of records"


@dataclass(frozen=True, slots=True)
class JsonObject:
    """A record and its position: the line, if records have lines, or else its number (from 1)."""

    line: int | None
    number: int
    value: dict[str, Any]


def objects(path: FilePath, source: str, report: ImportReport) -> Iterator[JsonObject]:
    """The records of a file.

    A value that is not an object is skipped with a note. Fields beside a list are counted as not kept, under
    the name of its format, `source`.
    """
    number = 0
    for line, value in _lines(path, report) if one_a_line(path) else _document(path, source, report):
        number += 1
        if not isinstance(value, dict):
            shown = "null" if value is None else repr(shorten(str(value)))
            report.skip(path, line, f"{_at(line, number)}expected an object, found {shown}")
            continue
        yield JsonObject(line, number, value)


def first_objects(path: FilePath, count: int) -> Iterator[dict[str, Any]]:
    """The first objects of a file, as far as it can be read."""
    try:
        for json_object in islice(objects(path, "", ImportReport()), count):
            yield json_object.value
    except InputError:
        return


def _at(line: int | None, number: int) -> str:
    return f"item {number}: " if line is None else ""


def _lines(path: FilePath, report: ImportReport) -> Iterator[tuple[int | None, Any]]:
    """The object on each line, or the objects of the list that it contains."""
    for line, raw in open_raw_lines(path):
        if not raw or raw.isspace():
            continue
        try:
            row = parse(raw)
        except InputError as error:
            report.skip(path, line, str(error))
            continue
        inner = next((row[name] for name in CONTAINERS if isinstance(row.get(name), list)), None)
        for value in [row] if inner is None else inner:
            yield line, value


def _document(path: FilePath, source: str, report: ImportReport) -> Iterator[tuple[int | None, Any]]:
    reading = Reading(path, open_blocks(path), expected=_EXPECTED)
    if reading.next() == "[":
        for value in reading.elements():
            yield None, _clean(value, path)
    else:
        for value in _in_object(reading, source, report):
            yield None, _clean(value, path)
    reading.end()


def _in_object(reading: Reading, source: str, report: ImportReport) -> Iterator[Any]:
    """The elements of its list; the object itself if it has none."""
    others: dict[str, Any] = {}
    listed = False
    for key in reading.entry_keys():
        if key in CONTAINERS and reading.next() == "[":
            listed = True
            yield from reading.elements()
        elif key == "message" and reading.next() == "{":
            listed = True
            yield from _in_object(reading, source, report)
        else:
            others[key] = reading.value()
    if not listed:
        yield others
    elif others:
        report.leave(source, (f"({key})" for key in others))


def _clean(value: Any, path: FilePath) -> Any:
    """The value unchanged. Raises InputError for lone surrogates and NaN."""
    try:
        data = orjson.dumps(value)
        return orjson.loads(data) if b"null" in data else value  # which NaN becomes
    except (orjson.JSONEncodeError, orjson.JSONDecodeError) as error:
        raise InputError(f"not JSON: {shorten(str(error))}", path=path, hint=_EXPECTED) from error


# Records of objects -------------------------------------------------------------------------------------

Made = Paper | Alias | Citation | Context | FullText | Header | Notice | ReferenceList
Make = Callable[[Row, Warn], Iterable[Made]]
"""Makes the records of an object. Raises InputError for an object to be skipped."""


def read_objects(source: str, make: Make, path: FilePath, report: ImportReport) -> Iterator[Made]:
    """The records that `make` returns for each object of a file. Fields that it does not ask for are counted
    under `source`."""
    return made_of(source, make, objects(path, source, report), path, report)


def made_of(
    source: str, make: Make, json_objects: Iterable[JsonObject], path: FilePath, report: ImportReport
) -> Iterator[Made]:
    """Reads objects in memory as `read_objects` does; `path` names their file in the report."""
    seen = Seen(path, report)
    for json_object in json_objects:

        def warn(why: str, json_object: JsonObject = json_object) -> None:
            report.warn(path, json_object.line, _placed(json_object, why))

        row = Row(json_object.value)
        try:
            made = list(make(row, warn))
        except InputError as error:
            report.skip(path, json_object.line, _placed(json_object, str(error)))
            continue
        report.leave(source, row.not_kept())
        yield from _each_once(made, seen, json_object)


def _each_once(made: list[Made], seen: Seen, json_object: JsonObject) -> Iterator[Made]:
    """The records of an object. If its paper's id belongs to another paper, they all get the paper's new
    id."""
    renamed: dict[str, str] = {}
    for record in made:
        if isinstance(record, Paper):
            paper = seen.placed(record, json_object.line)
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


def _placed(json_object: JsonObject, why: str) -> str:
    return why if json_object.line is not None else f"item {json_object.number}: {why}"

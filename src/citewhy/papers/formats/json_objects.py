"""The records of a JSON file in any layout: one a line, a list, a list within the response of a service
(``{"results": […]}``), or a single record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import orjson

from citewhy.base.errors import InputError
from citewhy.papers.formats.json_reading import Reading
from citewhy.papers.formats.report import ImportReport
from citewhy.text.source import FilePath, invalid_utf8, open_blocks, open_raw_lines
from citewhy.text.tidy import shorten

__all__ = ["CONTAINERS", "Found", "first_objects", "objects", "one_a_line", "parse"]

CONTAINERS = ("items", "results", "data", "message")
"""Keys under which services and exports put their list; Crossref's ``message`` has ``items``, or is itself a
work."""

_LOOKED_AT = 20
"""Lines that are tried to detect JSON lines; the first ones may be damaged."""

_EXPECTED = "expected a list of records"


@dataclass(frozen=True, slots=True)
class Found:
    """A record and its position: the line, if records have lines, or else its number (from 1)."""

    line: int | None
    number: int
    value: dict[str, Any]


def parse(line: bytes) -> dict[str, Any]:
    """The object on a line. Raises InputError for anything else, for NaN and for lone surrogates."""
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        if wrong := invalid_utf8(line):
            raise wrong from error
        raise InputError(f"not JSON: {error.msg} (character {error.pos + 1})") from error
    if not isinstance(row, dict):
        raise InputError(f"expected a JSON object, found {type(row).__name__} {shorten(str(row))!r}")
    return row


def one_a_line(path: FilePath) -> bool:
    """Whether a file is JSON lines: it has several lines, and the first or most of them are complete
    values."""
    lines = (raw for _, raw in open_raw_lines(path) if raw and not raw.isspace())
    first = list(islice(lines, _LOOKED_AT))
    whole = [_is_value(raw) for raw in first]
    return len(first) > 1 and (whole[0] or 2 * sum(whole) > len(whole))


def _is_value(line: bytes) -> bool:
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return True


def objects(path: FilePath, source: str, report: ImportReport) -> Iterator[Found]:
    """The records of a file.

    A value that is not an object is skipped with a note. Fields beside a list are counted as not kept, under
    the name of its format, `source`.
    """
    number = 0
    for line, value in _lines(path, report) if one_a_line(path) else _document(path, source, report):
        number += 1
        if not isinstance(value, dict):
            found = "null" if value is None else repr(shorten(str(value)))
            report.skip(path, line, f"{_at(line, number)}expected an object, found {found}")
            continue
        yield Found(line, number, value)


def first_objects(path: FilePath, count: int) -> Iterator[dict[str, Any]]:
    """The first objects of a file, as far as it can be read."""
    try:
        for found in islice(objects(path, "", ImportReport()), count):
            yield found.value
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
        return orjson.loads(orjson.dumps(value))
    except (orjson.JSONEncodeError, orjson.JSONDecodeError) as error:
        raise InputError(f"not JSON: {shorten(str(error))}", path=path, hint=_EXPECTED) from error

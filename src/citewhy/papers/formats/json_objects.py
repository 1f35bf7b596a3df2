"""The records of a JSON file in any layout: one a line, a list, a list within the response of a service
(``{"results": […]}``), or a single record. Files of up to several gigabytes are read value by value."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import orjson

from citewhy.base.errors import InputError, TooLargeError
from citewhy.base.records import Alias, Citation, Context, FullText, Header, Paper, ReferenceList
from citewhy.papers.formats.asked import Row
from citewhy.papers.formats.fields import Seen, Warn
from citewhy.papers.formats.report import ImportReport
from citewhy.text.source import MAX_LINE, FilePath, invalid_utf8, open_blocks, open_raw_lines
from citewhy.text.tidy import shorten

__all__ = [
    "CONTAINERS",
    "Found",
    "Made",
    "Make",
    "Reading",
    "Warn",
    "first_objects",
    "made_of",
    "objects",
    "one_a_line",
    "parse",
    "read_objects",
]

_decode = json.JSONDecoder().raw_decode


class Reading:
    """A position in a text that is read as needed."""

    def __init__(
        self,
        path: FilePath,
        blocks: Iterator[bytes],
        text: str = "",
        expected: str = "expected one JSON object with an entry for each id",
    ) -> None:
        self._expected = expected
        self._path = path
        self._blocks = blocks
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = text
        self._at = 0
        self._passed = 0
        """Number of characters removed before `_text`."""
        self._lines = 0
        """Number of line ends among them."""

    def next(self) -> str:
        """The next character that is not white space, without consuming it; empty at the end."""
        while True:
            while self._at < len(self._text):
                if not self._text[self._at].isspace() and self._text[self._at] != "\ufeff":
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                return ""

    def passes(self, sign: str) -> bool:
        """Whether the next character is `sign`; if so, it is consumed."""
        if self.next() != sign:
            return False
        self._at += 1
        return True

    def expect(self, sign: str) -> None:
        if not self.passes(sign):
            raise self.error(f"expected {sign!r}, found {self.next() or 'the end'!r}")

    def entry_keys(self) -> Iterator[str]:
        """The keys of the object that starts here; the caller reads each value before the next key."""
        self.expect("{")
        if self.passes("}"):
            return
        while True:
            key = self.value()
            if not isinstance(key, str):
                raise self.error(f"expected a key, found {shorten(str(key))!r}")
            self.expect(":")
            yield key
            if not self.passes(","):
                break
        self.expect("}")

    def elements(self) -> Iterator[Any]:
        """The values of the list that starts here."""
        self.expect("[")
        if self.passes("]"):
            return
        while True:
            yield self.value()
            if not self.passes(","):
                break
        self.expect("]")

    def end(self) -> None:
        """Raises InputError unless the file ends here."""
        if self.next():
            raise self.error("unexpected text after the value")

    def value(self) -> Any:
        """The next JSON value."""
        self.next()
        while True:
            try:
                value, end = _decode(self._text, self._at)
            except RecursionError as error:
                raise self.error("nested too deeply") from error
            except json.JSONDecodeError as error:
                # Double the text: a value of n characters is parsed log n times.
                if len(self._text) - self._at > MAX_LINE:
                    raise TooLargeError(
                        f"an entry of more than {MAX_LINE:,} characters", path=self._path
                    ) from error
                if not self._more(len(self._text) - self._at):
                    raise self.error(f"not JSON: {error.msg}") from error
            except ValueError as error:  # a number of thousands of digits
                raise self.error("not JSON: a number is too long") from error
            else:
                if isinstance(value, int | float) and end == len(self._text) and self._more():
                    continue  # a number has no closing character
                self._at = end
                return value

    def error(self, problem: str) -> InputError:
        return InputError(
            f"{problem} (character {self._passed + self._at + 1})",
            path=self._path,
            line=1 + self._lines + self._text.count("\n", 0, self._at),
            hint=self._expected,
        )

    def _more(self, least: int = 1) -> bool:
        """Reads at least so many more characters if there are; False at the end of the file."""
        parts, size = [self._text[self._at :]], 0
        try:
            while size < least and (block := next(self._blocks, None)) is not None:
                parts.append(self._decoder.decode(block))
                size += len(parts[-1])
            if not size:
                self._decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            for line, raw in open_raw_lines(self._path):
                if wrong := invalid_utf8(raw, self._path, line):
                    raise wrong from error
            raise InputError("invalid UTF-8", path=self._path, hint="save the file as UTF-8") from error
        self._passed += self._at
        self._lines += self._text.count("\n", 0, self._at)
        self._text, self._at = "".join(parts), 0
        return size > 0


# Objects ------------------------------------------------------------------------------------------------

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


# Records of objects -------------------------------------------------------------------------------------

Made = Paper | Alias | Citation | Context | FullText | Header | ReferenceList
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

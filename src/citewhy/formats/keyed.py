"""One JSON object with a paper, or a citing sentence, for each id: the layout in which the data sets of local
citation recommendation (ACL-200, ACL-600, FullTextPeerRead, RefSeer, arXiv) are passed on.

    papers.json    {"N04-1019": {"title": …, "abstract": …}, …}
    contexts.json  {"P15-2138_N04-1019_0": {"masked_text": "… TARGETCIT …", "citing_id": …, "refid": …}, …}

The largest of these files have some gigabytes, so that they are read entry by entry.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import orjson

from citewhy.errors import InputError, TooLargeError
from citewhy.formats.fields import Seen, year_of_collection
from citewhy.formats.jsonlines import context_of, paper_of
from citewhy.formats.report import ImportReport
from citewhy.records import Context, Paper
from citewhy.text.source import MAX_LINE, FilePath, open_blocks
from citewhy.text.tidy import shorten

__all__ = ["TARGET", "entries", "kind_of", "read_contexts", "read_papers"]

TARGET = "TARGETCIT"
"""What stands where the cited papers were named."""

_CITED = ("refid", "ref_id", "cited_id")
"""Names of the field with the cited paper, in the order of their age."""

_ANTHOLOGY_ID = re.compile(r"([A-Z]\d\d)-\d{4,5}|(\d{4}\.[A-Za-z]\w*)-\w+\.\d+")
_UNKNOWN = ("", "NULL", "null", "None")
"""Years that are none, as dumps of databases write them."""

_decode = json.JSONDecoder().raw_decode

T = TypeVar("T")
Row = dict[str, Any]
Warn = Callable[[str], None]


def kind_of(head: str) -> str | None:
    """``papers`` or ``contexts``, by the first entry; None for anything else. `head` is where a file begins,
    and is long enough for one entry."""
    try:
        reading = _Reading("", iter(()), head)
        reading.expect("{")
        key = reading.value()
        if not isinstance(key, str):
            return None
        reading.expect(":")
        row = reading.value()
    except (InputError, RecursionError):
        return None
    if not isinstance(row, dict):
        return None
    if "citing_id" in row and row.keys() & {"masked_text", *_CITED}:
        return "contexts"
    # An entry that says another id than its key's is a part of something else.
    return "papers" if "title" in row and row.get("id", key) == key else None


def read_papers(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Papers with a title. Where the file has no year, that of an ACL Anthology id is taken."""
    seen = Seen(path, report)
    for paper in _records(path, report, _paper):
        if not seen.again(paper.id, paper.title, None):
            yield paper


def read_contexts(path: FilePath, report: ImportReport) -> Iterator[Context]:
    """Masked citing texts. One without a mark for the cited paper is kept, and warned of."""
    seen = Seen(path, report)
    for context in _records(path, report, _context):
        if not seen.again(context.id, context.text, None):
            yield context


def _records(path: FilePath, report: ImportReport, make: Callable[[str, Row, Warn], T]) -> Iterator[T]:
    """Places are keys: such a file is often a single line."""
    key = ""

    def warn(why: str) -> None:
        report.warn(path, None, f"{shorten(key)!r}: {why}")

    for key, row in entries(path):
        try:
            if not isinstance(row, dict):
                raise InputError(f"expected an object, found {shorten(str(row))!r}")
            yield make(key, _clean(key, row), warn)
        except InputError as error:
            report.skip(path, None, f"{shorten(key)!r}: {error}")


def _clean(key: str, row: Row) -> Row:
    """Raises InputError for half a surrogate pair, which nobody could write."""
    try:
        found: Row = orjson.loads(orjson.dumps([key, row]))[1]
    except orjson.JSONEncodeError as error:
        raise InputError(f"not text: {error}") from error
    return found


def _paper(key: str, row: Row, warn: Warn) -> Paper:
    year = None if row.get("year") in _UNKNOWN else row.get("year")
    if year is None and (found := _ANTHOLOGY_ID.fullmatch(key)):
        year = year_of_collection(found[1] or found[2])
    return paper_of({**row, "id": key, "year": year}, warn)


def _context(key: str, row: Row, warn: Warn) -> Context:
    text = row.get("masked_text")
    if not text:
        hint = ": mask the marker in citation_context first" if row.get("citation_context") else ""
        raise InputError(f"no masked_text{hint}")
    cited = next((row[name] for name in _CITED if row.get(name) is not None), None)
    if cited is None:
        raise InputError(f"no cited paper, expected it as {_CITED[0]}")
    if isinstance(text, str) and TARGET not in text:
        warn(f"no {TARGET} in its text")
    return context_of(
        {"context_id": key, "citing_id": row.get("citing_id"), "cited_ids": [str(cited)], "text": text}, warn
    )


def entries(path: FilePath) -> Iterator[tuple[str, Any]]:
    """Keys and values of a file that is one JSON object, in its order.

    Raises InputError where the file is not UTF-8, not JSON or not an object, TooLargeError for an entry over
    `MAX_LINE` characters.
    """
    reading = _Reading(path, open_blocks(path))
    reading.expect("{")
    if reading.passes("}"):
        return
    while True:
        key = reading.value()
        if not isinstance(key, str):
            raise reading.error(f"expected a key, found {shorten(str(key))!r}")
        reading.expect(":")
        yield key, reading.value()
        if not reading.passes(","):
            break
    reading.expect("}")
    if reading.next():
        raise reading.error("something follows the object")


class _Reading:
    """A place in a text whose rest is still to come."""

    def __init__(self, path: FilePath, blocks: Iterator[bytes], text: str = "") -> None:
        self._path = path
        self._blocks = blocks
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = text
        self._at = 0
        self._passed = 0
        """Characters that were dropped before `_text`."""

    def next(self) -> str:
        """The next character that is no space, which stays; empty at the end."""
        while True:
            while self._at < len(self._text):
                if not self._text[self._at].isspace() and self._text[self._at] != "\ufeff":
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                return ""

    def passes(self, sign: str) -> bool:
        """Whether the next character is `sign`, which is then left behind."""
        if self.next() != sign:
            return False
        self._at += 1
        return True

    def expect(self, sign: str) -> None:
        if not self.passes(sign):
            raise self.error(f"expected {sign!r}, found {self.next() or 'the end'!r}")

    def value(self) -> Any:
        """The next JSON value."""
        self.next()
        while True:
            try:
                value, end = _decode(self._text, self._at)
            except RecursionError as error:
                raise self.error("nested too deeply") from error
            except json.JSONDecodeError as error:
                # As much again as is there: a value of n characters is tried log n times.
                if len(self._text) - self._at > MAX_LINE:
                    raise TooLargeError(
                        f"an entry of more than {MAX_LINE:,} characters", path=self._path
                    ) from error
                if not self._more(len(self._text) - self._at):
                    raise self.error(f"not JSON: {error.msg}") from error
            else:
                if isinstance(value, int | float) and end == len(self._text) and self._more():
                    continue  # a number has no end of its own
                self._at = end
                return value

    def error(self, problem: str) -> InputError:
        return InputError(
            f"{problem} (character {self._passed + self._at + 1})",
            path=self._path,
            hint="expected one JSON object with an entry for each id",
        )

    def _more(self, least: int = 1) -> bool:
        """Reads on, by at least so many characters where there are as many; False at the end."""
        parts, size = [self._text[self._at :]], 0
        try:
            while size < least and (block := next(self._blocks, None)) is not None:
                parts.append(self._decoder.decode(block))
                size += len(parts[-1])
            if not size:
                self._decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            raise InputError("invalid UTF-8", path=self._path, hint="save the file as UTF-8") from error
        self._passed += self._at
        self._text, self._at = "".join(parts), 0
        return size > 0

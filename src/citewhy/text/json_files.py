"""JSON files of any size: one object a line, or values that are read as they are needed."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

import orjson

from citewhy.base.errors import InputError, TooLargeError
from citewhy.text.source import MAX_LINE, FilePath, invalid_utf8, open_raw_lines
from citewhy.text.tidy import shorten

__all__ = ["Reading", "one_a_line", "parse"]

_LOOKED_AT = 20
"""Lines that are tried to detect JSON lines; the first ones may be damaged."""

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


# Lines ------------------------------------------------------------------------------------------------


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

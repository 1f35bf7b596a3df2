"""One file of a draft, before and after its edits."""

from __future__ import annotations

import bisect
import difflib
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from citewhy.base.errors import InputError, QueryError
from citewhy.drafts.files import read_part, with_parts
from citewhy.text.pieces import Piece
from citewhy.text.source import decode, is_compressed


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces characters ``[start, end)`` of `file` by `text`, with offsets as in `records.Place`.

    Line ends in `text` are converted to those of the file. A file that does not exist is created.
    """

    file: str
    start: int
    end: int
    text: str
    part: str = ""
    """The part of a package that is edited, as in `records.Place`; empty for a text file."""


class EditedFile:
    """A file's content before and after its edits. `before` is None if the edits create the file.

    Raises QueryError for edits that overlap, are at the same position or outside the file; InputError for a
    compressed file, for text that the file's encoding cannot represent, and for parts of a file that is no
    package.
    """

    def __init__(self, path: PurePath, before: bytes | None, edits: Iterable[Edit]) -> None:
        if before is not None and is_compressed(before):
            raise InputError("a compressed file cannot be edited", path=path, hint="decompress it first")
        self.path = path
        self.before = before
        by_part: dict[str, list[Edit]] = {}
        for edit in edits:
            by_part.setdefault(edit.part, []).append(edit)
        self._parts = {
            part: _EditedText(path, read_part(before or b"", part, str(path)) if part else before, group)
            for part, group in by_part.items()
        }
        if "" not in by_part:
            new = {part: text.after for part, text in self._parts.items()}
            self.after = with_parts(before or b"", new, str(path))
        elif len(by_part) == 1:
            self.after = self._parts[""].after
        else:
            raise QueryError("a package is edited in its parts, not as one text", path=path)

    @property
    def changed(self) -> bool:
        return self.after != self.before

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """What is written, in order; nothing for a package, which is not one text."""
        edits = self._parts[""].edits if "" in self._parts else ()
        return tuple(Piece(edit.start, edit.end, edit.text) for edit in edits)

    @property
    def new_text(self) -> str | None:
        """The text after the edits; None for a package, which is not one text."""
        return self._parts[""].new_text if "" in self._parts else None

    def diff(self, folder: PurePath) -> str:
        """The change as a unified diff, with the file's name relative to `folder`, followed by that of the
        part if it is a package."""
        name = PurePath(os.path.relpath(self.path, folder))
        return "".join(
            text.diff((name / part).as_posix(), created=self.before is None)
            for part, text in self._parts.items()
            if text.after != text.before
        )


class _EditedText:
    """A text before and after its edits: a file, or a part of one."""

    def __init__(self, path: PurePath, before: bytes | None, edits: Iterable[Edit]) -> None:
        self._path = path
        self.before = before
        self._text, self._encoding = decode(before) if before else ("", "utf-8")
        newline = _newline(self._text)
        self.edits = sorted(
            (replace(edit, text=_with_newline(edit.text, newline)) for edit in edits),
            key=lambda edit: (edit.start, edit.end),
        )
        self._check()
        self.new_text = self._replaced(0, len(self._text))
        self.after = self._encoded()

    def diff(self, name: str, *, created: bool) -> str:
        old_name = "/dev/null" if created else f"a/{name}"
        hunks = unified_diff(self._text, [(edit.start, edit.end) for edit in self.edits], self._replaced)
        return "".join([f"--- {old_name}\n", f"+++ b/{name}\n", *hunks])

    def _check(self) -> None:
        for edit in self.edits:
            if not 0 <= edit.start <= edit.end <= len(self._text):
                raise QueryError(
                    f"no characters {edit.start} to {edit.end} in a file of {len(self._text)} characters",
                    path=self._path,
                )
        for left, right in itertools.pairwise(self.edits):
            if right.start < left.end or (left.start, left.end) == (right.start, right.end):
                raise QueryError(f"two edits overlap at character {right.start}", path=self._path)

    def _encoded(self) -> bytes:
        try:
            return self.new_text.encode(self._encoding)
        except UnicodeEncodeError as error:
            raise InputError(
                f"the file's encoding, {self._encoding}, has no {error.object[error.start]!r}",
                path=self._path,
                hint="convert the file to UTF-8, or write the character as LaTeX",
            ) from error

    def _replaced(self, start: int, end: int) -> str:
        """The new text for characters ``[start, end)``, whose borders no edit crosses."""
        parts = []
        position = start
        for edit in self.edits:
            if start <= edit.start and edit.end <= end:
                parts += [self._text[position : edit.start], edit.text]
                position = edit.end
        return "".join([*parts, self._text[position:end]])


def _newline(text: str) -> str:
    """The most frequent line end in a text."""
    windows = text.count("\r\n")
    unix = text.count("\n") - windows
    old_mac = text.count("\r") - windows
    return max([(unix, "\n"), (windows, "\r\n"), (old_mac, "\r")], key=lambda pair: pair[0])[1]


def _with_newline(text: str, newline: str) -> str:
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return plain if newline == "\n" else plain.replace("\n", newline)


# The difference as lines --------------------------------------------------------------------------------

_CONTEXT_LINES = 3

Span = tuple[int, int]
Replaced = Callable[[int, int], str]


def unified_diff(text: str, edits: Sequence[Span], replaced: Replaced) -> Iterator[str]:
    """The hunks of the diff, without the two lines that name the files.

    `edits` are the spans of `text` that change, sorted; ``replaced(start, end)`` returns the new text for a
    span whose borders no edit crosses. A bibliography of 100,000 lines is compared around new entries only.
    """
    lines = text.split("\n")
    starts = [0]
    for line in lines[:-1]:
        starts.append(starts[-1] + len(line) + 1)
    if starts[-1] < len(text):
        starts.append(len(text))
    shift = 0
    for first, last in _line_ranges(edits, starts):
        old = _lines(text[starts[first] : starts[last]])
        new = _lines(replaced(starts[first], starts[last]))
        yield from _hunk(old, new, first, shift, at_end=last == len(starts) - 1)
        shift += len(new) - len(old)


def _line_ranges(edits: Sequence[Span], starts: list[int]) -> list[Span]:
    """Ranges ``[first, last)`` of lines (from 0) around the edits, with context; joined where adjacent."""
    count = len(starts) - 1
    ranges: list[Span] = []
    for start, end in edits:
        first = max(bisect.bisect_right(starts, start) - 1 - _CONTEXT_LINES, 0)
        # An edit may end where a line ends: the next line then joins it.
        last = min(bisect.bisect_right(starts, end) + _CONTEXT_LINES, count)
        if ranges and first <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(last, ranges[-1][1]))
        else:
            ranges.append((min(first, last), last))
    return ranges


def _hunk(old: list[str], new: list[str], first: int, shift: int, *, at_end: bool) -> Iterator[str]:
    """One hunk: `old` lines start at line `first` (from 0); `shift` lines were added above them."""
    if old == new:
        return
    # patch(1) takes a hunk with less context on one side for one at that end of the file: each side gets as
    # much as there is, up to the same width. Among lines that repeat, the matcher alone would not see to it.
    above = _common(old, new, _CONTEXT_LINES) if at_end else 0
    below = _common(old[above:][::-1], new[above:][::-1], _CONTEXT_LINES)
    above = _common(old[: len(old) - below], new[: len(new) - below])
    below = _common(old[above:][::-1], new[above:][::-1])
    start, end = max(above - _CONTEXT_LINES, 0), max(below - _CONTEXT_LINES, 0)
    above, below, first = above - start, below - end, first + start
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    old_start = first + 1 if old else first
    new_start = first + shift + 1 if new else first + shift
    yield f"@@ -{old_start},{len(old)} +{new_start},{len(new)} @@\n"
    yield from (_marked(" ", line) for line in old[:above])
    inner, made = old[above : len(old) - below], new[above : len(new) - below]
    for operation, a, b, c, d in difflib.SequenceMatcher(None, inner, made, autojunk=False).get_opcodes():
        if operation == "equal":
            yield from (_marked(" ", line) for line in inner[a:b])
        else:
            yield from (_marked("-", line) for line in inner[a:b])
            yield from (_marked("+", line) for line in made[c:d])
    yield from (_marked(" ", line) for line in old[len(old) - below :])


def _common(left: list[str], right: list[str], most: int | None = None) -> int:
    """Number of lines that both begin with, at most `most`."""
    pairs = zip(left[:most], right, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _marked(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """Lines with their ends; only a line feed ends one, as in every diff tool."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]

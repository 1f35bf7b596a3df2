"""One file of a draft, before and after its edits."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePath

from citewhy.base.errors import InputError, QueryError
from citewhy.drafts.edit.diff import unified_diff
from citewhy.drafts.packages import read_part, with_parts
from citewhy.text.source import decode, is_compressed

__all__ = ["Edit", "EditedFile"]


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
        self._edits = sorted(
            (replace(edit, text=_with_newline(edit.text, newline)) for edit in edits),
            key=lambda edit: (edit.start, edit.end),
        )
        self._check()
        self.new_text = self._replaced(0, len(self._text))
        self.after = self._encoded()

    def diff(self, name: str, *, created: bool) -> str:
        old_name = "/dev/null" if created else f"a/{name}"
        hunks = unified_diff(self._text, [(edit.start, edit.end) for edit in self._edits], self._replaced)
        return "".join([f"--- {old_name}\n", f"+++ b/{name}\n", *hunks])

    def _check(self) -> None:
        for edit in self._edits:
            if not 0 <= edit.start <= edit.end <= len(self._text):
                raise QueryError(
                    f"no characters {edit.start} to {edit.end} in a file of {len(self._text)} characters",
                    path=self._path,
                )
        for left, right in itertools.pairwise(self._edits):
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
        for edit in self._edits:
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

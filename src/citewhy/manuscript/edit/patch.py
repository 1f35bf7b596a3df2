"""Edits of a draft's files: shown as a unified diff, written all or none, undone byte for byte."""

from __future__ import annotations

import bisect
import difflib
import itertools
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from citewhy.errors import EditConflictError, InputError, QueryError, StorageError
from citewhy.manuscript.edit import journal
from citewhy.manuscript.edit.journal import undo
from citewhy.text.source import decode

__all__ = ["Edit", "Patch", "undo"]

_CONTEXT_LINES = 3


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces characters ``[start, end)`` of `file` by `text`; counts are those of `records.Place`.

    Line ends in `text` are written as the file writes its own. A file that is not there is created.
    """

    file: str
    start: int
    end: int
    text: str


class Patch:
    """Edits that belong together. The files are read now and must not change until `apply`.

    `draft` is the draft's root file: its folder keeps the undo journal. Raises QueryError for edits that
    overlap, stand at one place or reach beyond their file, InputError for text that the file's encoding
    cannot hold.
    """

    def __init__(self, edits: Iterable[Edit], draft: str | os.PathLike[str]) -> None:
        self.edits = tuple(dict.fromkeys(edits))  # a file that a draft includes twice is edited once
        self._draft = Path(draft).resolve()
        by_file: dict[Path, list[Edit]] = {}
        for edit in self.edits:
            # Links are followed first: replacing the link would leave the linked file as it was.
            by_file.setdefault(Path(edit.file).resolve(), []).append(edit)
        self._files = [_EditedFile(path, group) for path, group in by_file.items()]

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that `apply` replaces or creates."""
        return tuple(file.path for file in self._files if file.changed)

    def diff(self) -> str:
        """The patch as a unified diff, names relative to the draft's folder; empty where nothing changes."""
        return "".join(file.diff(self._draft.parent) for file in self._files if file.changed)

    def apply(self) -> None:
        """Replaces the files, each in one step, or leaves all as they were. `undo` takes it back.

        Raises EditConflictError where a file is no longer as it was when this patch was made, StorageError
        where the system refuses to write.
        """
        changes = [file.change() for file in self._files if file.changed]
        if not changes:
            return
        with journal.locked(self._draft):
            for change in changes:
                if _read(change.path) != change.before:
                    raise EditConflictError(
                        "the file changed while the edit was being made",
                        path=change.path,
                        hint="nothing was written; read the draft again",
                    )
            folder = journal.record(self._draft, changes)
            try:
                for change in changes:
                    journal.put(change.path, change.after)
            except BaseException:
                # Should this fail too, the journal stays, and `undo` finishes the work.
                for change in changes:
                    if _read(change.path) != change.before:
                        journal.put(change.path, change.before)
                journal.drop(folder)
                raise


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.exists() else None
    except OSError as error:
        raise StorageError(f"cannot read: {error.strerror or error}", path=path) from error


class _EditedFile:
    """One file's content, and what its edits make of it."""

    def __init__(self, path: Path, edits: list[Edit]) -> None:
        self.path = path
        self.before = _read(path)
        self.text, self.encoding = decode(self.before) if self.before else ("", "utf-8")
        newline = _newline(self.text)
        self.edits = sorted(
            (Edit(e.file, e.start, e.end, _with_newline(e.text, newline)) for e in edits),
            key=lambda edit: (edit.start, edit.end),
        )
        self._check()
        self.new_text = self._replaced(0, len(self.text))
        self.after = self._encoded()

    @property
    def changed(self) -> bool:
        return self.after != self.before

    def change(self) -> journal.Change:
        return journal.Change(self.path, self.before, self.after)

    def _check(self) -> None:
        for edit in self.edits:
            if not 0 <= edit.start <= edit.end <= len(self.text):
                raise QueryError(
                    f"an edit of characters {edit.start} to {edit.end}, in a file of {len(self.text)}",
                    path=self.path,
                )
        for left, right in itertools.pairwise(self.edits):
            if right.start < left.end or (left.start, left.end) == (right.start, right.end):
                raise QueryError(f"two edits overlap at character {right.start}", path=self.path)

    def _encoded(self) -> bytes:
        try:
            return self.new_text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise InputError(
                f"the file is {self.encoding}, which has no {error.object[error.start]!r}",
                path=self.path,
                hint="convert the file to UTF-8, or write the character as LaTeX",
            ) from error

    def _replaced(self, start: int, end: int) -> str:
        """What the edits make of characters ``[start, end)``; no edit crosses these borders."""
        parts = []
        position = start
        for edit in self.edits:
            if start <= edit.start and edit.end <= end:
                parts += [self.text[position : edit.start], edit.text]
                position = edit.end
        return "".join([*parts, self.text[position:end]])

    # Only the lines around the edits are compared: a bibliography of 100,000 lines takes no longer ----------

    def diff(self, folder: Path) -> str:
        name = Path(os.path.relpath(self.path, folder)).as_posix()
        old_name = "/dev/null" if self.before is None else f"a/{name}"
        return "".join([f"--- {old_name}\n", f"+++ b/{name}\n", *self._hunks()])

    def _hunks(self) -> Iterator[str]:
        lines = self.text.split("\n")
        starts = [0]
        for line in lines[:-1]:
            starts.append(starts[-1] + len(line) + 1)
        if starts[-1] < len(self.text):
            starts.append(len(self.text))
        shift = 0
        for first, last in self._line_ranges(starts):
            old = _lines(self.text[starts[first] : starts[last]])
            new = _lines(self._replaced(starts[first], starts[last]))
            yield from _hunk(old, new, first, shift, at_end=last == len(starts) - 1)
            shift += len(new) - len(old)

    def _line_ranges(self, starts: list[int]) -> list[tuple[int, int]]:
        """Ranges of lines (from 0, end excluded) with their context, touching ones joined."""
        count = len(starts) - 1
        ranges: list[tuple[int, int]] = []
        for edit in self.edits:
            first = max(bisect.bisect_right(starts, edit.start) - 1 - _CONTEXT_LINES, 0)
            # An edit may end where a line ends: the next line then joins it.
            last = min(bisect.bisect_right(starts, edit.end) + _CONTEXT_LINES, count)
            if ranges and first <= ranges[-1][1]:
                ranges[-1] = (ranges[-1][0], max(last, ranges[-1][1]))
            else:
                ranges.append((min(first, last), last))
        return ranges


def _hunk(old: list[str], new: list[str], first: int, shift: int, *, at_end: bool) -> Iterator[str]:
    """One hunk of a unified diff: `old` lines stood at `first` (from 0), `shift` lines were added above."""
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
    """How many lines both begin with; `most` at most."""
    pairs = zip(left[:most], right, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _marked(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """Lines with their ends; only a line feed ends one, as in every diff tool."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _newline(text: str) -> str:
    """The line end that a file uses most."""
    windows = text.count("\r\n")
    unix = text.count("\n") - windows
    old_mac = text.count("\r") - windows
    return max([(unix, "\n"), (windows, "\r\n"), (old_mac, "\r")], key=lambda pair: pair[0])[1]


def _with_newline(text: str, newline: str) -> str:
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return plain if newline == "\n" else plain.replace("\n", newline)

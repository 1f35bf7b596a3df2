"""What a disk may hold after the power fails: a recorder of what is written below a folder, and its cuts.

A write is sure to be there after an fsync of the file, a change of a name after an fsync of a folder that it
touches. Of what was not synced each may be there or not, whatever came first. A rename happens or does not,
also from folder to folder. What SQLite writes is taken as it is: how it writes is not tested here.
"""

from __future__ import annotations

import contextlib
import os
import random
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

__all__ = ["Recording", "recorded"]

_CHANGING = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate"}
_OF_SQLITE = ("library.db", "cache.sqlite")

Entry = tuple[int, str]
"""A folder and a name in it."""


@dataclass
class _State:
    """Folders and files by numbers of their own; 0 is the folder below which everything is recorded."""

    names: dict[Entry, int] = field(default_factory=dict)
    contents: dict[int, bytes] = field(default_factory=dict)
    """Of files; everything else is a folder."""


@dataclass(frozen=True)
class _Sync:
    number: int


class Recording:
    """All states of a folder, and all syncs between them."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._numbers: dict[int, int] = {}
        self._count = 0
        self._last = self._scanned()
        self.log: list[_State | _Sync] = [self._last]

    def see(self) -> None:
        """Notes the state, if it is another one."""
        state = self._scanned()
        if state != self._last:
            self._last = state
            self.log.append(state)

    def synced(self, handle: int) -> None:
        """Notes that a file or folder was synced."""
        self.see()
        number = self._numbers.get(os.fstat(handle).st_ino)
        if number is not None:
            self.log.append(_Sync(number))

    def _scanned(self) -> _State:
        state, numbers = _State(), {self._root.stat().st_ino: 0}

        def scan(folder: str, number: int) -> None:
            for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
                inode = entry.inode()
                if inode in self._numbers:
                    numbers[inode] = self._numbers[inode]
                elif inode not in numbers:
                    self._count += 1
                    numbers[inode] = self._count
                state.names[number, entry.name] = numbers[inode]
                if entry.is_dir(follow_symlinks=False):
                    scan(entry.path, numbers[inode])
                elif stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
                    state.contents[numbers[inode]] = Path(entry.path).read_bytes()

        scan(os.fspath(self._root), 0)
        self._numbers = numbers
        return state

    def cut(self, chance: random.Random, folder: Path) -> int:
        """Writes into `folder` what is left after a cut at some moment, and returns the number of notes that
        were taken before."""
        moment = chance.randrange(1, len(self.log) + 1)
        disk, seen = _Disk(self._first), self._first
        pending: list[_Change] = []
        for note in self.log[1:moment]:
            if isinstance(note, _Sync):
                pending = disk.sync(note.number, seen, pending)
            else:
                pending += _changes(seen, note)
                seen = note
        disk.lose(chance, seen, pending)
        disk.write(folder, 0, seen)
        return moment

    @property
    def _first(self) -> _State:
        first = self.log[0]
        assert isinstance(first, _State)
        return first


_Change = dict[Entry, int | None]
"""Names that appear, with what they name, and names that go (None), all or none."""


def _changes(old: _State, new: _State) -> list[_Change]:
    """What was renamed changes two names at once; everything else one."""
    gone = {entry: number for entry, number in old.names.items() if new.names.get(entry) != number}
    come = {entry: number for entry, number in new.names.items() if old.names.get(entry) != number}
    changes: list[_Change] = []
    for entry, number in come.items():
        change: _Change = {entry: number}
        for before, moved in list(gone.items()):
            if moved == number and before not in come:
                change[before] = None
                del gone[before]
        gone.pop(entry, None)
        changes.append(change)
    return changes + [{entry: None} for entry in gone]


class _Disk:
    """What is sure to be there."""

    def __init__(self, first: _State) -> None:
        self._names = dict(first.names)
        self._contents = dict(first.contents)

    def sync(self, number: int, seen: _State, pending: list[_Change]) -> list[_Change]:
        """A file's content, or the names in a folder, are safe; returns the changes that are not."""
        if number in seen.contents:
            self._contents[number] = seen.contents[number]
            return pending
        for change in pending:
            if any(folder == number for folder, _ in change):
                self._make(change)
        return [change for change in pending if all(folder != number for folder, _ in change)]

    def _make(self, change: _Change) -> None:
        for entry, number in change.items():
            if number is None:
                self._names.pop(entry, None)
            else:
                self._names[entry] = number

    def lose(self, chance: random.Random, seen: _State, pending: list[_Change]) -> None:
        """Of what is not safe each may have happened, and of a content any part may be there."""
        share = chance.choice((0.0, 0.5, 0.9, 1.0))
        for change in pending:
            if chance.random() < share:
                self._make(change)
        for number, content in seen.contents.items():
            safe = self._contents.get(number, b"")
            if content != safe:
                self._contents[number] = chance.choice((safe, content, content[: len(content) // 2], b""))

    def write(self, folder: Path, number: int, seen: _State) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        names = {name: what for (within, name), what in self._names.items() if within == number}
        names = {name: what for name, what in names.items() if not name.startswith(_OF_SQLITE)}
        now = {name: what for (within, name), what in seen.names.items() if within == number}
        names |= {name: what for name, what in now.items() if name.startswith(_OF_SQLITE)}
        for name, what in names.items():
            if name.startswith(_OF_SQLITE):
                (folder / name).write_bytes(seen.contents[what])
            elif what in self._contents or what in seen.contents:
                (folder / name).write_bytes(self._contents.get(what, b""))
            else:
                self.write(folder / name, what, seen)


_RECORDING: list[Recording] = []


def _see(event: str, _arguments: tuple[object, ...]) -> None:
    if _RECORDING and event in _CHANGING:
        recording = _RECORDING.pop()  # what it does itself is not noted
        try:
            recording.see()
        finally:
            _RECORDING.append(recording)


@contextlib.contextmanager
def recorded(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Recording]:
    """Records what the block writes below `root`."""
    if not _HOOKED:
        sys.addaudithook(_see)  # for good: it cannot be removed
        _HOOKED.append(True)
    recording, fsync = Recording(root), os.fsync

    def noted(handle: int) -> None:
        fsync(handle)
        _RECORDING.clear()
        recording.synced(handle)
        _RECORDING.append(recording)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", noted)
        _RECORDING.append(recording)
        try:
            yield recording
        finally:
            _RECORDING.clear()
            recording.see()


_HOOKED: list[bool] = []

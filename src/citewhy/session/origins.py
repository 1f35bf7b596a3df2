"""The files and folders that are added, as they are before they are read, and what has changed of them."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from citewhy.base.artifact import require_regular
from citewhy.base.config import default_library
from citewhy.base.printable import quoted
from citewhy.drafts.finished import FinishedDrafts
from citewhy.papers.formats.files import Files
from citewhy.papers.library.sources import DRAFT, FOLDER, WIDE_DRAFT, Origin
from citewhy.papers.library.store import Library
from citewhy.text.counted import counted
from citewhy.text.repair import is_encodable

__all__ = ["folders", "has_changed", "is_as_it_was", "now", "origins", "remark_on"]

_BESIDE = "-wal"
"""Ending of the journal in which SQLite keeps the last changes of a database, such as Zotero's."""


def origins(drafts: FinishedDrafts, files: Files, *, follow_outside: bool = False) -> dict[str, Origin]:
    """The drafts, read with or without what lies outside of their projects, and the files, by name, without
    pipes, and names that are not UTF-8. To be called before they are read: what changes meanwhile differs
    from it afterwards."""
    by_name: dict[str, Origin] = {}
    for draft in drafts.drafts:
        root = Path(draft.path)
        others = dict.fromkeys(path for path in draft.files() if path != root.resolve())
        with contextlib.suppress(OSError):
            by_name[draft.path] = replace(
                now(root, WIDE_DRAFT if follow_outside else DRAFT),
                parts=tuple(now(path, "") for path in others if path.exists()),
            )
    for file in files.known:
        if file.name == str(file.path):
            with contextlib.suppress(OSError):
                by_name[file.name] = now(file.path, file.format.name)
    return by_name


def folders(paths: Iterable[Path]) -> list[Origin]:
    """Folders, in which files may appear."""
    watched = []
    for path in paths:
        with contextlib.suppress(OSError):
            watched.append(now(path, FOLDER))
    return watched


def now(path: Path, form: str) -> Origin:
    """A file or folder as it is. Raises OSError if it is not there, cannot be read, or has a name that is not
    UTF-8, which a library cannot keep."""
    size, mtime = _looks(path)
    checksum = "" if form == FOLDER else _checksum(path)
    name = str(path.resolve())
    if not is_encodable(name):
        raise OSError(errno.EILSEQ, os.strerror(errno.EILSEQ), name)
    return Origin(name, form, size, mtime, checksum)


def has_changed(origin: Origin) -> bool | None:
    """Whether a source looks other than it did, at the cost of a `stat` for each file; None if it is not
    there."""
    try:
        if _looks(Path(origin.path)) != (origin.size, origin.mtime):
            return True
    except OSError:
        return None
    return any(has_changed(part) is not False for part in origin.parts)


def remark_on(library: Library) -> tuple[str, ...]:
    """What people should know if sources of the library have changed, at the cost of a `stat` for each."""
    names = [Path(origin.path).name for origin in library.origins() if has_changed(origin)]
    if not names:
        return ()
    first, *others = names
    named = "" if library.folder == default_library() else f" --library {quoted(library.folder)}"
    if not others:
        return (f"{first} has changed since it was added; run: citewhy sync{named}",)
    more = counted(len(others), "other source")
    return (f"{first} and {more} have changed since they were added; run: citewhy sync{named}",)


def is_as_it_was(origin: Origin) -> bool:
    """Whether all files of a source that is there have the content that they had."""
    try:
        return all(_checksum(Path(file.path)) == file.checksum for file in (origin, *origin.parts))
    except OSError:
        return False


def _looks(path: Path) -> tuple[int, int]:
    """Size and time of the last change, of a folder only the latter."""
    status = path.stat()
    if path.is_dir():
        return 0, status.st_mtime_ns
    size, mtime = status.st_size, status.st_mtime_ns
    with contextlib.suppress(OSError):
        journal = Path(f"{path}{_BESIDE}").stat()
        if journal.st_size:
            size, mtime = size + journal.st_size, max(mtime, journal.st_mtime_ns)
    return size, mtime


def _checksum(path: Path) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for one in _with_journal(path):
        require_regular(one)
        with one.open("rb") as file:
            digest.update(hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).digest())
    return digest.hexdigest()


def _with_journal(path: Path) -> Iterator[Path]:
    yield path
    journal = Path(f"{path}{_BESIDE}")
    if journal.exists() and journal.stat().st_size:
        yield journal

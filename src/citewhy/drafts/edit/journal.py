"""The undo journal of a draft: the contents of its files before each edit, in the folder of its root.

Layout: ``.citewhy/undo/000001/`` with ``manifest.json`` and the original bytes as ``0.before``, ``1.before``.
A journal is written and synced before any file of the draft is replaced, so that an interrupted edit can be
undone as well: then each file has either its old or its new content.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from citewhy.base.artifact import (
    folder_aside,
    open_lock,
    read_file,
    read_manifest,
    replace_file,
    sweep,
    sync_folder,
    write_manifest,
)
from citewhy.base.errors import DamagedError, EditConflictError, QueryError, StorageError
from citewhy.drafts.formats import is_of_drafts
from citewhy.text.numbers import small_number

_FORMAT = 1
_FOLDER = ".citewhy"


@dataclass(frozen=True, slots=True)
class Change:
    """A file's bytes before and after an edit; `before` is None if the edit creates the file."""

    path: Path
    before: bytes | None
    after: bytes


@contextlib.contextmanager
def locked(draft: Path) -> Iterator[None]:
    """Holds a lock, so that one process at a time edits a folder's drafts; others get EditConflictError."""
    folder = draft.parent / _FOLDER
    try:
        folder.mkdir(exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="ascii")  # journals do not belong under version control
        handle = open_lock(folder / "lock")
    except OSError as error:
        raise StorageError(
            f"cannot write the undo journal: {error.strerror or error}",
            path=folder,
            hint="check disk space and permissions; nothing was changed",
        ) from error
    with handle:
        _lock(handle.fileno(), draft)
        for swept in (draft.parent, folder / "undo"):
            sweep(swept)
        yield


def _lock(handle: int, draft: Path) -> None:
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows has no such lock; replacing files is still atomic
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise EditConflictError(
            "another process is editing this draft", path=draft, hint="try again"
        ) from error


def put(path: Path, content: bytes | None) -> None:
    """Writes `content` to `path`; None removes the file."""
    if content is not None:
        replace_file(path, content)
        return
    try:
        path.unlink(missing_ok=True)
        sync_folder(path.parent)
    except OSError as error:
        raise StorageError(f"cannot remove: {error.strerror or error}", path=path) from error


def record(draft: Path, changes: Sequence[Change]) -> Path:
    """Writes and syncs a journal of `changes` before they are made. Returns its folder."""
    journals = _journals(draft)
    number = int(journals[-1].name) + 1 if journals else 1
    folder = draft.parent / _FOLDER / "undo" / f"{number:06d}"
    with folder_aside(folder) as aside:
        for position, change in enumerate(changes):
            if change.before is not None:
                (aside / f"{position}.before").write_bytes(change.before)
        write_manifest(
            aside,
            {
                "format": _FORMAT,
                "draft": draft.name,
                "changes": [
                    {
                        "path": Path(os.path.relpath(change.path, draft.parent)).as_posix(),
                        "created": change.before is None,
                        "after": hashlib.sha256(change.after).hexdigest(),
                    }
                    for change in changes
                ],
            },
        )
    for parent in (folder.parents[1], draft.parent):
        sync_folder(parent)  # they may be new, too
    return folder


def drop(folder: Path) -> None:
    """Removes a journal. It is renamed first, so that no incomplete journal is left."""
    try:
        aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".done."))
        folder.rename(aside / folder.name)
        sync_folder(folder.parent)
        shutil.rmtree(aside, ignore_errors=True)
    except OSError as error:
        raise StorageError(f"cannot remove: {error.strerror or error}", path=folder) from error


def undo(draft: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Undoes the latest edit of `draft`, byte for byte. Returns the files that were restored or removed.

    Raises QueryError if there is nothing to undo, EditConflictError (and changes nothing) if a file was
    changed since the edit, and DamagedError if the journal is damaged.
    """
    root = Path(draft).resolve()
    if not _journals(root):
        raise QueryError(f"nothing to undo for {root.name}")
    with locked(root):
        folder = _newest(root)
        changes = _read(root, folder)
        for change in changes:
            _check_unchanged(change, root, folder)
        for change in changes:
            put(change.path, change.content)
        drop(folder)
    return tuple(change.path for change in changes)


@dataclass(frozen=True, slots=True)
class _Restoration:
    path: Path
    content: bytes | None
    """The old content of the file; None if it did not exist."""
    after: str
    """SHA-256 of the content that the edit wrote."""


def _journals(draft: Path) -> list[Path]:
    """The journals of all drafts in the folder of `draft`, the oldest first."""
    folder = draft.parent / _FOLDER / "undo"
    if not folder.is_dir():
        return []
    return sorted(entry for entry in folder.iterdir() if small_number(entry.name) and entry.is_dir())


def _newest(draft: Path) -> Path:
    for folder in reversed(_journals(draft)):
        if read_manifest(folder).get("draft") == draft.name:
            return folder
    raise QueryError(f"nothing to undo for {draft.name}")


def _read(draft: Path, folder: Path) -> list[_Restoration]:
    manifest = read_manifest(folder)
    try:
        if manifest["format"] != _FORMAT:
            raise DamagedError("the undo journal has an unknown format version", path=folder)
        return [
            _Restoration(
                path=_inside(draft, folder, str(change["path"])),
                content=None if change["created"] else read_file(folder / f"{position}.before"),
                after=str(change["after"]),
            )
            for position, change in enumerate(manifest["changes"])
        ]
    except (KeyError, TypeError, OSError) as error:
        raise DamagedError(f"the undo journal is incomplete ({type(error).__name__})", path=folder) from error


def _inside(draft: Path, folder: Path, name: str) -> Path:
    """The file that a journal names. Journals may come from others and must not reach other files."""
    path = Path(os.path.normpath(draft.parent / name))
    if Path(name).is_absolute() or not is_editable(draft, path):
        raise DamagedError(f"the undo journal names a file outside the draft: {name}", path=folder)
    return path


def is_editable(draft: Path, path: Path) -> bool:
    """Whether a file may be changed by an edit of `draft`, and by its undoing: any in the draft's folder, and
    files of drafts elsewhere. Both absolute, with symbolic links resolved."""
    return path.is_relative_to(draft.parent) or is_of_drafts(path)


def _check_unchanged(change: _Restoration, root: Path, folder: Path) -> None:
    """Raises EditConflictError if the file is neither as before nor as after the edit in `folder`."""
    try:
        now = read_file(change.path) if change.path.exists() else None
    except OSError as error:
        raise StorageError(f"cannot read: {error.strerror or error}", path=change.path) from error
    digest = None if now is None else hashlib.sha256(now).hexdigest()
    if digest != change.after and now != change.content:
        if digest and (newer := _draft_of_newer_edit(root, folder, change.path, digest)):
            raise EditConflictError(
                f"the file was changed by a newer edit of {newer.name}",
                path=change.path,
                hint=f"nothing was undone; undo the newer edit first: citewhy suggest {newer} --undo",
            )
        raise EditConflictError(
            "the file was changed since the edit",
            path=change.path,
            hint="nothing was undone; the original files are in .citewhy/undo",
        )


def _draft_of_newer_edit(root: Path, folder: Path, path: Path, digest: str) -> Path | None:
    """The draft whose edit, newer than that in `folder`, gave the file its current content, if any."""
    for newer in reversed(_journals(root)):
        if newer.name <= folder.name:
            break
        for change in _read(root, newer):
            if change.path == path and change.after == digest:
                return root.parent / str(read_manifest(newer).get("draft"))
    return None

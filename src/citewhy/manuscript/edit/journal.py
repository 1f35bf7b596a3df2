"""The undo journal of a draft: what its files held before each edit, kept beside the draft's root file.

Layout: ``.citewhy/undo/000001/`` with ``manifest.json`` and the original bytes as ``0.before``, ``1.before``.
A journal is written and synced before any file of the draft is replaced, so that a crash in between can be
undone as well: every file is then either as it was before or as it was to become.
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

from citewhy.artifact import folder_aside, read_manifest, replace_file, sync_folder, write_manifest
from citewhy.errors import DamagedError, EditConflictError, QueryError, StorageError

__all__ = ["Change", "drop", "locked", "put", "record", "undo"]

_FORMAT = 1
_FOLDER = ".citewhy"
_DRAFT_SUFFIXES = frozenset({".tex", ".ltx", ".bib", ".md", ".markdown", ".qmd", ".rmd", ".txt"})


@dataclass(frozen=True, slots=True)
class Change:
    """A file's bytes before and after an edit; `before` is None where the edit creates the file."""

    path: Path
    before: bytes | None
    after: bytes


@contextlib.contextmanager
def locked(draft: Path) -> Iterator[None]:
    """Only one process edits the drafts of a folder at a time; raises EditConflictError for the other."""
    folder = draft.parent / _FOLDER
    try:
        folder.mkdir(exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="ascii")  # a journal is nobody's source code
        handle = (folder / "lock").open("ab")
    except OSError as error:
        raise StorageError(
            f"cannot keep an undo journal: {error.strerror or error}",
            path=folder,
            hint="check space and permissions; nothing was changed",
        ) from error
    with handle:
        _lock(handle.fileno(), draft)
        yield


def _lock(handle: int, draft: Path) -> None:
    try:
        import fcntl
    except ImportError:  # pragma: no cover - no such lock on Windows; replacing files is still atomic
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise EditConflictError(
            "another process is editing this draft", path=draft, hint="try again"
        ) from error


def put(path: Path, content: bytes | None) -> None:
    """Makes `path` hold `content`; None removes the file."""
    if content is not None:
        replace_file(path, content)
        return
    try:
        path.unlink(missing_ok=True)
        sync_folder(path.parent)
    except OSError as error:
        raise StorageError(f"cannot remove: {error.strerror or error}", path=path) from error


def record(draft: Path, changes: Sequence[Change]) -> Path:
    """Writes and syncs a journal of `changes`, which are still to be made. Returns its folder."""
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
        sync_folder(parent)  # they may be new as well
    return folder


def drop(folder: Path) -> None:
    """Removes a journal. The rename comes first: a journal is there whole or not at all."""
    try:
        aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".done."))
        folder.rename(aside / folder.name)
        sync_folder(folder.parent)
        shutil.rmtree(aside, ignore_errors=True)
    except OSError as error:
        raise StorageError(f"cannot remove: {error.strerror or error}", path=folder) from error


def undo(draft: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Takes back the newest edit of `draft`, byte for byte; returns the files that it restored or removed.

    Raises QueryError where nothing is left to undo, EditConflictError (with nothing changed) where a file was
    changed since the edit (by a newer edit of another draft: then it is named), DamagedError where the
    journal itself is not as it was written.
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
    """What the file held; None: it was not there."""
    after: str
    """SHA-256 of what the edit wrote."""


def _journals(draft: Path) -> list[Path]:
    """The journals of a folder's drafts, the oldest first."""
    folder = draft.parent / _FOLDER / "undo"
    if not folder.is_dir():
        return []
    return sorted(entry for entry in folder.iterdir() if entry.name.isdigit() and entry.is_dir())


def _newest(draft: Path) -> Path:
    for folder in reversed(_journals(draft)):
        if read_manifest(folder).get("draft") == draft.name:
            return folder
    raise QueryError(f"nothing to undo for {draft.name}")


def _read(draft: Path, folder: Path) -> list[_Restoration]:
    manifest = read_manifest(folder)
    try:
        if manifest["format"] != _FORMAT:
            raise DamagedError("an undo journal of another version", path=folder)
        return [
            _Restoration(
                path=_inside(draft, folder, str(change["path"])),
                content=None if change["created"] else (folder / f"{position}.before").read_bytes(),
                after=str(change["after"]),
            )
            for position, change in enumerate(manifest["changes"])
        ]
    except (KeyError, TypeError, OSError) as error:
        raise DamagedError(f"an incomplete undo journal ({type(error).__name__})", path=folder) from error


def _inside(draft: Path, folder: Path, name: str) -> Path:
    """The file that a journal names: a journal that came with somebody's draft must not reach other files."""
    path = Path(os.path.normpath(draft.parent / name))
    if Path(name).is_absolute() or not (
        path.is_relative_to(draft.parent) or path.suffix.lower() in _DRAFT_SUFFIXES
    ):
        raise DamagedError(f"an undo journal that names a file outside the draft: {name}", path=folder)
    return path


def _check_unchanged(change: _Restoration, root: Path, folder: Path) -> None:
    """Raises EditConflictError unless the file is as the edit of journal `folder` left or found it."""
    try:
        now = change.path.read_bytes() if change.path.exists() else None
    except OSError as error:
        raise StorageError(f"cannot read: {error.strerror or error}", path=change.path) from error
    digest = None if now is None else hashlib.sha256(now).hexdigest()
    if digest != change.after and now != change.content:
        if digest and (newer := _draft_of_newer_edit(root, folder, change.path, digest)):
            raise EditConflictError(
                f"a newer edit, for {newer.name}, changed the file",
                path=change.path,
                hint=f"nothing was undone; undo that one first: citewhy suggest {newer} --undo",
            )
        raise EditConflictError(
            "the file was changed since the edit",
            path=change.path,
            hint="nothing was undone; the original is in .citewhy/undo",
        )


def _draft_of_newer_edit(root: Path, folder: Path, path: Path, digest: str) -> Path | None:
    """The draft for whose sake an edit after that of journal `folder` made the file what it is; else None."""
    for newer in reversed(_journals(root)):
        if newer.name <= folder.name:
            break
        for change in _read(root, newer):
            if change.path == path and change.after == digest:
                return root.parent / str(read_manifest(newer).get("draft"))
    return None

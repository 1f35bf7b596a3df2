"""The undo journal of a draft: the contents of its files before each edit, in the folder of its root.

Layout: ``.citewhy/undo/000001/`` with ``journal.json`` and the original bytes as ``0.before``, ``1.before``.
A journal is written and synced before any file of the draft is replaced, so that an interrupted edit can be
undone as well: then each file has either its old or its new content. It has the pieces that the edit wrote,
so that these can be taken back where the author has gone on writing. It also names the temporary files of the
edit, so that what a killed process left beside the author's files is known, and nothing else is removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewhy.base import own_folder
from citewhy.base.artifact import (
    clear,
    folder_aside,
    name_aside,
    read_file,
    read_unlinked,
    replace_file,
    sync_folder,
)
from citewhy.base.errors import DamagedError, EditConflictError, QueryError, StorageError
from citewhy.base.printable import quoted
from citewhy.drafts.formats import is_of_drafts
from citewhy.text.counted import inflected
from citewhy.text.numbers import small_number
from citewhy.text.pieces import Piece, without

_FORMAT = 2
_FACTS = "journal.json"
_UNFINISHED = "unfinished"
"""The journal that is being written."""
_MOST_WRITTEN = 500_000
"""Characters of pieces that a journal has."""
_REMOVED = "removed"
"""The journal that is being removed."""


@dataclass(frozen=True, slots=True)
class Change:
    """A file's bytes before and after an edit; `before` is None if the edit creates the file."""

    path: Path
    before: bytes | None
    after: bytes
    aside: Path
    """The temporary name of the file that replaces it."""
    pieces: tuple[Piece, ...] = ()
    """What the edit writes into a text, in order; empty for a package."""


def change(path: Path, before: bytes | None, after: bytes, pieces: tuple[Piece, ...] = ()) -> Change:
    """A change with a temporary name of its own."""
    return Change(path, before, after, name_aside(path), pieces)


@contextlib.contextmanager
def locked(draft: Path) -> Iterator[Path]:
    """Holds the lock of a folder's drafts, and hands out the folder of the journals. What killed processes
    left unfinished is removed. Raises what `own_folder.locked` raises."""
    with own_folder.locked(draft) as undo_folder:
        for name in (_UNFINISHED, _REMOVED):
            clear(undo_folder / name)
        for _, facts in _own(undo_folder):
            for fact in facts["changes"]:
                _remove_regular((draft.parent / fact["path"]).with_name(fact["aside"]), draft)
        yield undo_folder


def _remove_regular(leftover: Path, draft: Path) -> None:
    """Removes an unfinished file; outside of the draft's folder it is kept, where nobody looks unasked."""
    with contextlib.suppress(OSError):
        if leftover.parent.resolve().is_relative_to(draft.parent) and stat.S_ISREG(leftover.lstat().st_mode):
            leftover.unlink()


def put(path: Path, content: bytes | None, aside: Path) -> None:
    """Writes `content` to `path`, first under the name `aside`; None removes the file."""
    if content is not None:
        replace_file(path, content, aside)
        return
    try:
        path.unlink(missing_ok=True)
        sync_folder(path.parent)
    except OSError as error:
        raise StorageError(f"cannot remove: {error.strerror or error}", path=path) from error


def record(
    draft: Path,
    undo_folder: Path,
    changes: Sequence[Change],
    project: Path | None = None,
    asked: str = "",
) -> Path:
    """Writes and syncs a journal of `changes` before they are made, some of them perhaps in the folder of the
    `project` around the draft; they answer the question that is `asked`. Returns its folder."""
    number = max((number for number, _ in _own(undo_folder)), default=0) + 1
    while os.path.lexists(folder := undo_folder / f"{number:06d}"):  # somebody else's
        number += 1
    with folder_aside(folder, undo_folder / _UNFINISHED) as aside:
        aside.chmod(0o700)
        for position, made in enumerate(changes):
            if made.before is not None:
                _copy(aside / f"{position}.before", made.before, made.path)
        own_folder.write_sealed(
            aside / _FACTS,
            {
                "format": _FORMAT,
                "draft": draft.name,
                "asked": asked,
                "project": "." if project is None else _from(draft, project),
                "changes": [
                    {
                        "path": _from(draft, made.path),
                        "aside": made.aside.name,
                        "before": None if made.before is None else hashlib.sha256(made.before).hexdigest(),
                        "after": hashlib.sha256(made.after).hexdigest(),
                        "pieces": [[piece.start, piece.end, piece.text] for piece in pieces],
                    }
                    for made, pieces in zip(changes, _not_too_many(changes), strict=True)
                ],
            },
        )
    return folder


def _not_too_many(changes: Sequence[Change]) -> list[tuple[Piece, ...]]:
    """The pieces of changes; without any, an edit of thousands of entries is taken back as a whole only."""
    written = sum(len(piece.text) for made in changes for piece in made.pieces)
    return [made.pieces if written < _MOST_WRITTEN else () for made in changes]


def _from(draft: Path, path: Path) -> str:
    """A path as seen from the draft's folder."""
    return Path(os.path.relpath(path, draft.parent)).as_posix()


def _copy(target: Path, content: bytes, original: Path) -> None:
    """Nobody may read a copy who may not read the original."""
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        os.fchmod(handle, stat.S_IMODE(original.stat().st_mode) & 0o777)


def drop(folder: Path) -> None:
    """Removes a journal. It is renamed first, so that no incomplete journal is left."""
    try:
        aside = folder.with_name(_REMOVED)
        folder.rename(aside)
        with contextlib.suppress(OSError):  # a journal that comes back restores what is there already
            sync_folder(folder.parent)
        shutil.rmtree(aside, ignore_errors=True)
    except OSError as error:
        raise StorageError(f"cannot remove: {error.strerror or error}", path=folder) from error


def can_undo(draft: Path) -> bool:
    """Whether there is an edit of `draft` to undo, with the user's seal; other things may still refuse it."""
    folder = draft.parent / own_folder.FOLDER / own_folder.UNDO
    with contextlib.suppress(OSError):
        return any(facts.get("draft") == draft.name for _, facts in _own(folder))
    return False


def last_asked(draft: Path) -> tuple[str, tuple[Path, ...]]:
    """The name of the question that the last edit of `draft` answers, and the files that it changed; empty if
    it has none, or one of these files is not as it left it."""
    root = draft.resolve()
    with contextlib.suppress(OSError):
        own = [facts for _, facts in _own(root.parent / own_folder.FOLDER / own_folder.UNDO)]
        for facts in reversed([facts for facts in own if facts["draft"] == root.name]):
            paths = [Path(os.path.normpath(root.parent / fact["path"])) for fact in facts["changes"]]
            digests = [hashlib.sha256(read_file(path)).hexdigest() for path in paths]
            same = digests == [fact["after"] for fact in facts["changes"]]
            return (facts.get("asked", ""), tuple(paths)) if same else ("", ())
    return "", ()


def undo(draft: str | os.PathLike[str], *, outside: bool = False) -> tuple[Path, ...]:
    """Undoes the latest edit of `draft` (`take_back`). Returns the files that were restored or removed."""
    return tuple(take_back(draft, outside=outside))


def take_back(draft: str | os.PathLike[str], *, outside: bool = False) -> dict[Path, bool]:
    """Undoes the latest edit of `draft`, byte for byte; in a file that was changed since, what the edit wrote
    is taken back, and the rest is kept. Returns the files that were restored or removed, and of each whether
    it was changed since. Those outside of the draft's folder are changed only if `outside` is given, as it
    was for the edit.

    Raises QueryError if there is nothing to undo, EditConflictError (and changes nothing) if something that
    the edit wrote is not there as it was, and DamagedError if the journal is damaged, or not the user's own.
    """
    root = Path(draft).resolve()
    if not own_folder.exists(root):
        raise QueryError(f"nothing to undo for {root.name}")
    with locked(root) as undo_folder:
        folder, facts = _newest(root, undo_folder)
        changes = _read(root, folder, facts, outside=outside)
        contents = [_content_to_restore(made, root, folder) for made in changes]
        for made, content in zip(changes, contents, strict=True):
            put(made.path, content, made.aside)
        drop(folder)
    return {made.path: content != made.content for made, content in zip(changes, contents, strict=True)}


@dataclass(frozen=True, slots=True)
class _Restoration:
    path: Path
    content: bytes | None
    """The old content of the file; None if it did not exist."""
    after: str
    """SHA-256 of the content that the edit wrote."""
    aside: Path
    pieces: tuple[Piece, ...]


def _journals(undo_folder: Path) -> list[tuple[int, Path]]:
    """The numbers and folders of all journals, of all drafts and of whomever, the oldest first."""
    with os.scandir(undo_folder) as entries:
        numbered = [
            (small_number(entry.name), Path(entry.path))
            for entry in entries
            if entry.is_dir(follow_symlinks=False)
        ]
    return sorted((number, folder) for number, folder in numbered if number is not None)


def _own(undo_folder: Path) -> list[tuple[int, dict[str, Any]]]:
    """The numbers and facts of the journals that have the user's seal, the oldest first."""
    own = []
    for number, folder in _journals(undo_folder):
        with contextlib.suppress(DamagedError):
            own.append((number, _facts(folder)))
    return own


def _facts(folder: Path) -> dict[str, Any]:
    """Raises DamagedError unless they have the user's seal, and the format of this version."""
    facts = own_folder.read_sealed(folder / _FACTS)
    if facts["format"] != _FORMAT:
        raise DamagedError("the undo journal has an unknown format version", path=folder)
    return facts


def _newest(draft: Path, undo_folder: Path) -> tuple[Path, dict[str, Any]]:
    strange: Path | None = None
    for _, folder in reversed(_journals(undo_folder)):
        try:
            facts = _facts(folder)
        except DamagedError:
            strange = strange or folder
            continue
        if facts["draft"] == draft.name:
            return folder, facts
    if strange is None:
        raise QueryError(f"nothing to undo for {draft.name}")
    raise DamagedError(
        "the undo journal is not used: it is damaged, or was made by somebody else, on another computer, "
        "or by an earlier version",
        path=strange,
        hint="nothing was undone; if you trust it, the files before the edit are in it",
    )


def _read(draft: Path, folder: Path, facts: dict[str, Any], *, outside: bool) -> list[_Restoration]:
    project = Path(os.path.normpath(draft.parent / facts.get("project", ".")))
    restorations = []
    for position, fact in enumerate(facts["changes"]):
        path = _within(draft, folder, fact["path"], project, outside=outside)
        content = None if fact["before"] is None else _stored(folder / f"{position}.before", fact["before"])
        aside, pieces = path.with_name(fact["aside"]), tuple(Piece(*one) for one in fact.get("pieces", ()))
        restorations.append(_Restoration(path, content, fact["after"], aside, pieces))
    return restorations


def _stored(path: Path, digest: str) -> bytes:
    try:
        content = read_unlinked(path)
    except OSError as error:
        raise DamagedError(f"the undo journal is incomplete ({error.strerror})", path=path) from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise DamagedError("the undo journal is damaged", path=path)
    return content


def _within(draft: Path, folder: Path, name: str, project: Path, *, outside: bool) -> Path:
    """The file that a journal names, relative to the draft's folder."""
    path = Path(os.path.normpath(draft.parent / name))
    if path.resolve() != path:
        raise EditConflictError(
            "since the edit, a link has taken the place of the file or of a folder above it",
            path=path,
            hint=f"nothing was undone; the original files are in {folder}",
        )
    if not is_editable(draft, path, project, outside=outside):
        raise QueryError(
            f"the edit to undo changed a file outside of the folder of {draft.name}: {path}",
            hint="nothing was undone; allow it with --undo --outside",
        )
    return path


def is_editable(draft: Path, path: Path, project: Path, *, outside: bool) -> bool:
    """Whether a file may be changed by an edit of `draft`, and by its undoing: any in the draft's folder,
    and files of drafts in the folder of its `project` or, if `outside`, elsewhere. All absolute, with
    symbolic links resolved."""
    known = outside or path.is_relative_to(project)
    return path.is_relative_to(draft.parent) or (known and is_of_drafts(path))


def _content_to_restore(made: _Restoration, root: Path, folder: Path) -> bytes | None:
    """What a file has in it once the edit in `folder` is undone: as before the edit or, if it was changed
    since, as it is now without what the edit wrote. Raises EditConflictError where that is not to be told."""
    try:
        now = read_file(made.path) if made.path.exists() else None
    except OSError as error:
        raise StorageError(f"cannot read: {error.strerror or error}", path=made.path) from error
    if now == made.content or (now is not None and hashlib.sha256(now).hexdigest() == made.after):
        return made.content
    if newer := _draft_of_newer_edit(root, folder, made.path):
        raise EditConflictError(
            f"the file was changed by a newer edit of {newer.name}",
            path=made.path,
            hint=f"nothing was undone; undo the newer edit first: citewhy suggest {quoted(newer)} --undo",
        )
    if now is None or not made.pieces:
        what, todo = "the file was changed since the edit", "nothing was undone"
    else:
        content, lost = without(now, made.content, made.pieces)
        if not lost:
            return content
        where = f"{inflected(len(lost), 'line')} {', '.join(map(str, lost))}"
        what = f"what the edit wrote is not there any more as it was: {where}"
        todo = "nothing was undone; take it back by hand"
    originals = folder.relative_to(root.parent).as_posix()
    raise EditConflictError(what, path=made.path, hint=f"{todo}; the original files are in {originals}")


def _draft_of_newer_edit(root: Path, folder: Path, path: Path) -> Path | None:
    """The draft whose last edit is newer than that in `folder`, and changed the same file, if any."""
    for number, facts in reversed(_own(folder.parent)):
        if number <= int(folder.name):
            break
        if any(Path(os.path.normpath(root.parent / fact["path"])) == path for fact in facts["changes"]):
            return root.parent / str(facts["draft"])
    return None

"""A set of edits of a draft: as new texts, as a unified diff, or applied to the files on disk."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePath

from citewhy.base.artifact import read_file
from citewhy.base.errors import EditConflictError, InputError, QueryError, StorageError
from citewhy.base.printable import quoted
from citewhy.drafts.edit import journal
from citewhy.drafts.edit.edited_file import Edit, EditedFile
from citewhy.drafts.files import DISK, DiskFiles, DraftFiles
from citewhy.text.source import FilePath


class Patch:
    """A set of edits, made to the files as they are now.

    `draft` is the root file of the draft, `files` are its files (by default those on disk). Only `apply`
    writes anything. Files outside of the draft's folder are edited only if `outside`, or if they are files
    of drafts in the `folder` of the draft's book or project (`Manuscript.folder`).
    Raises what `EditedFile` raises.
    """

    def __init__(
        self,
        edits: Iterable[Edit],
        draft: FilePath,
        files: DraftFiles = DISK,
        *,
        outside: bool = False,
        folder: str = "",
    ) -> None:
        self.edits = tuple(dict.fromkeys(edits))  # a file that is included twice is edited once
        self._files = files
        self._draft = files.resolve(files.path(draft))
        self._folder = files.resolve(files.path(folder)) if folder else self._draft.parent
        by_file: dict[PurePath, list[Edit]] = {}
        for edit in self.edits:
            # Symbolic links are resolved: replacing the link would leave the linked file unchanged.
            by_file.setdefault(files.resolve(files.path(edit.file)), []).append(edit)
        if isinstance(files, DiskFiles):
            _refuse_others(Path(self._draft), map(Path, by_file), Path(self._folder), outside=outside)
        self._edited = [EditedFile(path, _before(files, path), group) for path, group in by_file.items()]

    @property
    def files(self) -> tuple[PurePath, ...]:
        """The files that are changed or created; absolute paths if they are on disk."""
        return tuple(file.path for file in self._edited if file.changed)

    def texts(self) -> dict[str, str]:
        """The new texts of the text files that are changed or created, by their names."""
        changed = [file for file in self._edited if file.changed]
        return {self._files.name(file.path): file.new_text for file in changed if file.new_text is not None}

    def contents(self) -> dict[str, bytes]:
        """The new contents of all files that are changed or created, by their names."""
        return {self._files.name(file.path): file.after for file in self._edited if file.changed}

    def diff(self) -> str:
        """A unified diff with names relative to the draft's folder; empty if nothing changes."""
        return "".join(file.diff(self._draft.parent) for file in self._edited if file.changed)

    def diffs(self) -> dict[str, str]:
        """The unified diff of each file that changes, by its name relative to the draft's folder."""
        folder = self._draft.parent
        changed = (file for file in self._edited if file.changed)
        return {
            PurePath(os.path.relpath(file.path, folder)).as_posix(): file.diff(folder) for file in changed
        }

    def apply(self, asked: str = "") -> None:
        """Replaces the files on disk, each atomically; in case of an error all stay as they were. `asked`
        names the question that it answers (`journal.last_asked`).

        `undo` reverts it. Raises EditConflictError if a file has changed since this patch was made,
        StorageError if a file cannot be written, QueryError if the draft is in memory.
        """
        if not isinstance(self._files, DiskFiles):
            raise QueryError("the draft is not on disk", hint="use the new contents in `Patch.texts`")
        changes = [
            journal.change(Path(file.path), file.before, file.after, file.pieces)
            for file in self._edited
            if file.changed
        ]
        if not changes:
            return
        draft = Path(self._draft)
        with journal.locked(draft) as undo_folder:
            for change in changes:
                if _on_disk(change.path) != change.before:
                    raise EditConflictError(
                        "the file changed while the edit was being made",
                        path=change.path,
                        hint="nothing was written; read the draft again",
                    )
            folder = journal.record(draft, undo_folder, changes, Path(self._folder), asked)
            try:
                for change in changes:
                    journal.put(change.path, change.after, change.aside)
            except BaseException as error:
                _put_back(draft, changes, folder)
                if isinstance(error, StorageError):
                    hint = "check the disk and permissions; all files are as they were"
                    raise StorageError(error.problem, path=error.path, hint=hint) from error
                raise


def _put_back(draft: Path, changes: Iterable[journal.Change], folder: Path) -> None:
    """Takes back a part of an edit, and its journal. If that fails, too, the journal is kept."""
    try:
        for change in changes:
            if _on_disk(change.path) != change.before:
                journal.put(change.path, change.before, change.aside)
        journal.drop(folder)
    except StorageError as error:
        raise StorageError(
            f"the edit could neither be completed nor taken back: {error.problem}",
            path=error.path,
            hint=f"check the disk and permissions, then: citewhy suggest {quoted(draft)} --undo",
        ) from error


def _refuse_others(draft: Path, paths: Iterable[Path], folder: Path, *, outside: bool) -> None:
    for path in paths:
        if not journal.is_editable(draft, path, folder, outside=outside):
            why = " and no file of a draft by its suffix" if outside else ""
            raise InputError(
                f"outside of the folder of {draft.name}{why}; not edited",
                path=path,
                hint="edit it by hand, or name a .bib file" if outside else "allow it with --outside",
            )
        links = path.stat().st_nlink if DISK.is_file(path) else 1
        if links > 1:
            raise InputError(
                f"the file has {links} hard links, which replacing it would separate",
                path=path,
                hint="edit it by hand, or copy it first",
            )


def _before(files: DraftFiles, path: PurePath) -> bytes | None:
    if isinstance(files, DiskFiles):
        return _on_disk(Path(path))
    return files.read(path) if files.is_file(path) else None


def _on_disk(path: Path) -> bytes | None:
    try:
        return read_file(path) if path.exists() else None
    except OSError as error:
        raise StorageError(f"cannot read: {error.strerror or error}", path=path) from error

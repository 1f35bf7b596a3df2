"""Edits of a draft's files that belong together: as new texts, as a unified diff, or written to disk."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePath

from citewhy.errors import EditConflictError, QueryError, StorageError
from citewhy.manuscript.edit import journal
from citewhy.manuscript.edit.edited_file import Edit, EditedFile
from citewhy.manuscript.edit.journal import undo
from citewhy.manuscript.files import DISK, DiskFiles, DraftFiles
from citewhy.text.source import FilePath

__all__ = ["Edit", "Patch", "undo"]


class Patch:
    """Edits that belong together. The files are read now; on disk they must not change until `apply`.

    `draft` is the draft's root file, and `files` where it and the others are: on disk unless told otherwise.
    Nothing but `apply` writes. Raises QueryError and InputError as `EditedFile`.
    """

    def __init__(self, edits: Iterable[Edit], draft: FilePath, files: DraftFiles = DISK) -> None:
        self.edits = tuple(dict.fromkeys(edits))  # a file that a draft includes twice is edited once
        self._files = files
        self._draft = files.resolve(files.path(draft))
        by_file: dict[PurePath, list[Edit]] = {}
        for edit in self.edits:
            # Links are followed first: replacing the link would leave the linked file as it was.
            by_file.setdefault(files.resolve(files.path(edit.file)), []).append(edit)
        self._edited = [EditedFile(path, _before(files, path), group) for path, group in by_file.items()]

    @property
    def files(self) -> tuple[PurePath, ...]:
        """The files that change or are created, those on disk as absolute paths."""
        return tuple(file.path for file in self._edited if file.changed)

    def texts(self) -> dict[str, str]:
        """The new text of every file that changes or is created, by its name; a file in memory has the name
        under which it was given."""
        return {self._files.name(file.path): file.new_text for file in self._edited if file.changed}

    def diff(self) -> str:
        """The patch as a unified diff, names relative to the draft's folder; empty where nothing changes."""
        return "".join(file.diff(self._draft.parent) for file in self._edited if file.changed)

    def apply(self) -> None:
        """Replaces the files on disk, each in one step, or leaves all as they were. `undo` takes it back.

        Raises EditConflictError where a file is no longer as it was when this patch was made, StorageError
        where the system refuses to write, QueryError where the draft is in memory.
        """
        if not isinstance(self._files, DiskFiles):
            raise QueryError("the draft is not on disk", hint="take the new contents from `Patch.texts`")
        changes = [
            journal.Change(Path(file.path), file.before, file.after) for file in self._edited if file.changed
        ]
        if not changes:
            return
        draft = Path(self._draft)
        with journal.locked(draft):
            for change in changes:
                if _on_disk(change.path) != change.before:
                    raise EditConflictError(
                        "the file changed while the edit was being made",
                        path=change.path,
                        hint="nothing was written; read the draft again",
                    )
            folder = journal.record(draft, changes)
            try:
                for change in changes:
                    journal.put(change.path, change.after)
            except BaseException:
                # Should this fail too, the journal stays, and `undo` finishes the work.
                for change in changes:
                    if _on_disk(change.path) != change.before:
                        journal.put(change.path, change.before)
                journal.drop(folder)
                raise


def _before(files: DraftFiles, path: PurePath) -> bytes | None:
    if isinstance(files, DiskFiles):
        return _on_disk(Path(path))
    return files.read(path) if files.is_file(path) else None


def _on_disk(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.exists() else None
    except OSError as error:
        raise StorageError(f"cannot read: {error.strerror or error}", path=path) from error

"""Drafts of every format (`formats`): read with all citations, and edited (`edit`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePath

from citewhy.base.errors import InputError
from citewhy.base.records import Manuscript
from citewhy.drafts.asked import with_asked_paragraphs
from citewhy.drafts.files import DISK, DraftFiles, MemoryFiles
from citewhy.drafts.formats import find_root, format_of
from citewhy.drafts.project import ProjectFiles
from citewhy.text.source import FilePath

__all__ = ["read", "read_draft", "read_files", "with_refused"]


def read(path: FilePath, *, follow_outside: bool = False) -> Manuscript:
    """Reads a draft on disk: its root file and everything that it includes. Files outside of its project
    (`project`) are not read, unless `follow_outside`.

    The suffix of the root tells the format; for other suffixes the beginning of the file does. Raises
    InputError if the root is missing, empty or not text, TooLargeError if a file exceeds a limit. Other
    problems, such as a missing bibliography, are in the `problems` of the result.
    """
    root = DISK.path(path)
    if DISK.is_file(root) and not root.stat().st_size:
        raise InputError("the file is empty, expected a draft", path=path, hint="was it saved?")
    if follow_outside:
        return read_draft(DISK, root)
    files = ProjectFiles(root)
    return with_refused(read_draft(files, root), files.refused)


def with_refused(manuscript: Manuscript, refused: Iterable[str]) -> Manuscript:
    """The draft, with a problem for each file that was not read because it is outside of the project."""
    outside = tuple(
        f"{name}: outside of the draft's project; not read (--follow-outside reads it)" for name in refused
    )
    return replace(manuscript, problems=(*manuscript.problems, *outside)) if outside else manuscript


def read_files(files: Mapping[str, str | bytes], root: str | None = None) -> Manuscript:
    """Reads a draft in memory from the contents of its files by name: ``{"paper.tex": …, "refs.bib": …}``.

    `root` is optional if only one file can be the root. The result is that of `read` for the same files on
    disk, with the given names as paths. Raises what `read` raises, and InputError if no file or more than one
    can be the root.
    """
    held = MemoryFiles(files)
    path = find_root(held) if root is None else held.path(root)
    if not held.is_file(path):
        hint = f"the files given are {', '.join(files) or 'none'}"
        raise InputError("no such file, expected a draft", path=root, hint=hint)
    return read_draft(held, path)


def read_draft(files: DraftFiles, root: PurePath) -> Manuscript:
    """Reads the draft with the root file `root` from any `files`. Raises what `read` raises."""
    return with_asked_paragraphs(_read_format(files, root), files)


def _read_format(files: DraftFiles, root: PurePath) -> Manuscript:
    if not files.is_file(root):
        try:
            files.read(root)
        except InputError as error:
            # What a draft includes and cites from is beside it, so that its text alone is not enough.
            hint = (
                "a draft is not read from standard input; save it, and name the file"
                if str(root) == "-"
                else "name its root file, such as paper.tex"
            )
            raise InputError(
                f"{error.problem}, expected a draft", path=files.name(root), hint=hint
            ) from error
    return format_of(files, root).read(files, root)

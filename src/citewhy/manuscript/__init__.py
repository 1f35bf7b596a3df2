"""Drafts in LaTeX, Markdown or plain text, read with the place of every citation; edits that fill them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from citewhy.errors import InputError
from citewhy.manuscript.files import DISK, DraftFiles, MemoryFiles
from citewhy.manuscript.root import find_root, format_of
from citewhy.records import Manuscript
from citewhy.text.source import FilePath

__all__ = ["read", "read_draft", "read_files"]


def read(path: FilePath) -> Manuscript:
    """A draft on disk, read from its root file with all that it includes, in the format that the name's
    suffix says, else the file's beginning.

    Raises InputError where the root is missing or not text, TooLargeError where a file is over a limit.
    Anything else that is wrong with the draft is in its `problems`.
    """
    return read_draft(DISK, DISK.path(path))


def read_files(files: Mapping[str, str | bytes], root: str | None = None) -> Manuscript:
    """A draft in memory: the content of its files by name, such as ``{"paper.tex": …, "refs.bib": …}``.

    `root` may be left out where only one file can be it. The record is that of `read` for the same files on
    disk, with the names given here as paths. Raises as `read`, and InputError where no file or more than one
    can be the root.
    """
    held = MemoryFiles(files)
    path = find_root(held) if root is None else held.path(root)
    if not held.is_file(path):
        hint = f"the files given are {', '.join(files) or 'none'}"
        raise InputError("no such file, expected a draft", path=root, hint=hint)
    return read_draft(held, path)


def read_draft(files: DraftFiles, root: PurePath) -> Manuscript:
    """The draft whose root file is `root`, out of any `files`. Raises as `read`."""
    if not files.is_file(root):
        try:
            files.read(root)
        except InputError as error:
            hint = "name its root file, such as paper.tex"
            raise InputError(
                f"{error.problem}, expected a draft", path=files.name(root), hint=hint
            ) from error
    form = format_of(files, root)
    # Only the reader that is needed: each brings a parser of its own.
    if form == "latex":
        from citewhy.manuscript.latex import reader as latex

        return latex.read(root, files)
    if form == "markdown":
        from citewhy.manuscript.markdown import reader as markdown

        return markdown.read(root, files)
    from citewhy.manuscript.plain import reader as plain

    return plain.read(root, files)

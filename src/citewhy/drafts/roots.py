"""The root file of a draft that is named by its folder, or by the configuration of its book."""

from __future__ import annotations

from pathlib import Path, PurePath

from citewhy.base.errors import InputError
from citewhy.drafts.files import DISK
from citewhy.drafts.formats import OWN, root_among
from citewhy.drafts.markdown.projects import CONFIGURATIONS, book_in
from citewhy.text.source import FilePath

_ABOUT = ("readme", "license", "licence", "changelog", "contributing", "code_of_conduct", "todo")
"""Texts about a project, which are none of its drafts."""


def root_on_disk(path: FilePath) -> Path:
    """The root file of the draft that `path` names: itself, or, for a folder or the configuration of a book,
    the first file of the book, or else the only file in the folder that can be the root of a draft. Raises
    InputError if a folder has none, or more than one."""
    named = DISK.path(path)
    is_configuration = named.name in CONFIGURATIONS and DISK.is_file(named)
    folder = named.parent if is_configuration else named
    if not is_configuration and not folder.is_dir():
        return named
    book = book_in(DISK, folder)
    if book is not None:
        return Path(book.first)
    if is_configuration:
        raise InputError("names no chapter that is there", path=named, hint="name the root file of the draft")
    suffixes = {suffix for form in OWN for suffix in form.suffixes}
    inside = (file for file in DISK.in_folder(folder, "") if file.suffix.lower() in suffixes)
    files = [file for file in inside if DISK.is_file(file) and not _is_aside(file)]
    try:
        return Path(root_among(DISK, files))
    except InputError as error:
        hint = "name its root file, such as paper.tex"
        raise InputError(f"a folder: {error.problem}", path=named, hint=hint) from error


def _is_aside(file: PurePath) -> bool:
    """Whether a file is hidden, a part that is not rendered, or about the project."""
    return file.name.startswith((".", "_")) or file.stem.lower() in _ABOUT

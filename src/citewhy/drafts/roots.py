"""The root file of a draft that is named by its folder, or by the configuration of its book."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from citewhy.base.errors import CiteWhyError, InputError
from citewhy.base.records import Manuscript
from citewhy.drafts.files import DISK
from citewhy.drafts.format import DraftFormat
from citewhy.drafts.formats import OWN, format_by_suffix, roots_among
from citewhy.drafts.markdown.projects import CONFIGURATIONS, book_in
from citewhy.text.source import FilePath

_ABOUT = ("readme", "license", "licence", "changelog", "contributing", "code_of_conduct", "todo")
"""Texts about a project, which are none of its drafts."""


def root_on_disk(path: FilePath) -> Path:
    """The root file of the draft that `path` names. Raises as `roots_on_disk`, and InputError for a folder
    with more than one."""
    roots = roots_on_disk(path)
    if len(roots) > 1:
        names = ", ".join(map(str, roots))
        hint = "name its root file, such as paper.tex"
        raise InputError(
            f"a folder: several files can be the draft's root: {names}", path=DISK.path(path), hint=hint
        )
    return roots[0]


def roots_on_disk(path: FilePath) -> list[Path]:
    """The root files of the drafts that `path` names: itself, or, for a folder or the configuration of a
    book, the first file of the book, or else all files in the folder that can be the root of a draft,
    chapter 2 before chapter 10. Raises InputError if a folder has none."""
    named = DISK.path(path)
    is_configuration = named.name in CONFIGURATIONS and DISK.is_file(named)
    folder = named.parent if is_configuration else named
    if not is_configuration and not folder.is_dir():
        return [named]
    book = book_in(DISK, folder)
    if book is not None:
        return [Path(book.first)]
    if is_configuration:
        raise InputError("names no chapter that is there", path=named, hint="name the root file of the draft")
    suffixes = {suffix for form in OWN for suffix in form.suffixes}
    inside = (file for file in DISK.in_folder(folder, "") if file.suffix.lower() in suffixes)
    files = [file for file in inside if DISK.is_file(file) and not _is_aside(file)]
    try:
        return sorted(map(Path, roots_among(DISK, files)), key=_by_number)
    except InputError as error:
        hint = "name its root file, such as paper.tex"
        raise InputError(f"a folder: {error.problem}", path=named, hint=hint) from error


def _by_number(path: Path) -> list[tuple[int, str]]:
    """Orders names as people do: by the numbers in them, not by their digits."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"([0-9]+)", path.name)]


def _is_aside(file: PurePath) -> bool:
    """Whether a file is hidden, a part that is not rendered, or about the project."""
    return file.name.startswith((".", "_")) or file.stem.lower() in _ABOUT


_LEVELS = 3
"""Folders above that of a part in which its root is looked for."""


def root_that_reads(file: Path, within: Sequence[Path] = ()) -> Path:
    """The root of the draft that reads `file`, which may be a part without a hint of its root: itself, or a
    file in its folder or a few above that includes it, the nearest that has references if it has none. Of
    folders `within`, those above are not looked at."""
    form = format_by_suffix(file)
    if form is None or not form.root_sign or not DISK.is_file(file):
        return file
    content = DISK.read(file)
    if form.roots({file: content}) and (_NAMES_REFERENCES.search(content) or _reads(form, file).references):
        return file
    without: Path | None = None
    for folder in file.parents[: _LEVELS + 1]:
        for root in _roots_in(form, folder, file):
            manuscript = _reads(form, root)
            if file.resolve() in (Path(name).resolve() for name in manuscript.files):
                if manuscript.references:
                    return root
                without = without or root
        if folder in within:
            break
    return without or file


_NAMES_REFERENCES = re.compile(rb"^[^%\r\n]*\\(?:bibliography|addbibresource|bibitem)\b", re.MULTILINE)


def _roots_in(form: DraftFormat, folder: Path, file: Path) -> Iterator[Path]:
    """The files of a folder, but for `file`, that look like roots; then those that would without these, since
    a class may be in a file that the root includes."""
    inside = [path for path in DISK.in_folder(folder, "") if path.suffix.lower() in form.suffixes]
    contents = {path: DISK.read(path) for path in inside if DISK.is_file(path) and path != file}
    first = form.roots(contents)
    others = {path: content for path, content in contents.items() if path not in first}
    yield from map(Path, (*first, *(form.roots(others) if first else ())))


def _reads(form: DraftFormat, root: Path) -> Manuscript:
    """A draft; without files if it cannot be read."""
    try:
        return form.read(DISK, root)
    except CiteWhyError:
        return Manuscript(str(root), form.name)

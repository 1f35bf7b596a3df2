"""What a Markdown file without a project and a bibliography of its own belongs to: the file, beside it or in
a folder above, that includes it, or that names the bibliography of all chapters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from citewhy.base.errors import CiteWhyError
from citewhy.drafts.files import DraftFiles, find, read_text
from citewhy.drafts.markdown.front_matter import read_front_matter
from citewhy.drafts.markdown.parts import inclusions
from citewhy.drafts.markdown.projects import CONFIGURATIONS
from citewhy.text.yaml_values import YamlError, load, strings

_LEVELS = 3
"""How many folders above that of a chapter are looked at."""

_MOST_FILES = 100
_TEXTS = (".md", ".markdown", ".qmd", ".rmd", ".Rmd")
_METADATA = (".yaml", ".yml")
_ROOTS = ("book", "defaults", "diss", "dissertation", "index", "main", "metadata", "root", "thesis")
"""Names, without suffix, of files in a folder above that may name a bibliography for what is below."""


@dataclass(frozen=True, slots=True)
class Named:
    """Bibliographies for a chapter."""

    files: tuple[PurePath, ...]
    by: PurePath | None = None
    """The file that names them; None if they only lie in a folder."""
    includes: bool = False
    """Whether this file includes the chapter."""


def bibliographies_around(files: DraftFiles, path: PurePath) -> Named | None:
    """The bibliographies of the file that includes the chapter `path`; or else those that a file beside it
    names in its metadata, or that lie in its folder; or else the same in the folders above, of which only
    files that are called like the root of a book count, and one bibliography that lies there; in the folder
    of the chapter, and of a project, also the only one below. None if there are none, or if files in one
    folder name different ones."""
    folders = list(_folders(files, path))
    root = _root_including(files, path, folders)
    if root is not None and (named := _named(files, root)):
        return Named(named, root, includes=True)
    for level, folder in enumerate(folders):
        naming = _naming(files, folder, path, above=level > 0)
        if len(set(naming.values())) == 1:
            by, found = next(iter(naming.items()))
            return Named(found, by)
        if naming:
            return None
        is_whole = level == 0 or any(files.is_file(folder / name) for name in CONFIGURATIONS)
        for below in (False, True)[: 1 + is_whole]:
            found = tuple(
                map(files.normal, filter(files.is_file, files.in_folder(folder, ".bib", below=below)))
            )
            if found and (len(found) == 1 or (level == 0 and not below)):
                return Named(found)
    return None


def _root_including(files: DraftFiles, path: PurePath, folders: Sequence[PurePath]) -> PurePath | None:
    """The only Markdown file that includes the file `path`, in the first of `folders` that has any."""
    resolved = files.resolve(path)
    for folder in folders:
        roots = []
        for other, lines in _texts(files, folder, path):
            names = [name for _, _, names in inclusions(lines, 0) for name in names]
            included = (find(files, folder, name.lstrip("/")) for name in names)
            if any(found is not None and files.resolve(found) == resolved for found in included):
                roots.append(other)
        if roots:
            return roots[0] if len(roots) == 1 else None
    return None


def _folders(files: DraftFiles, path: PurePath) -> Iterator[PurePath]:
    """The folder of a file and those above, each once."""
    seen = None
    for level in range(_LEVELS + 1):
        folder = files.normal(path.parent.joinpath(*[".."] * level))
        if folder != seen:
            yield folder
        seen = folder


def _texts(
    files: DraftFiles, folder: PurePath, path: PurePath, *, above: bool = False
) -> Iterator[tuple[PurePath, list[str]]]:
    """The other Markdown files of a folder, with their lines."""
    for other in _listed(files, folder, _TEXTS, above=above):
        if files.resolve(other) != files.resolve(path):
            try:
                yield other, read_text(files, other).splitlines()
            except CiteWhyError:
                continue  # it is none of the draft's, as far as anybody knows


def _listed(files: DraftFiles, folder: PurePath, suffixes: tuple[str, ...], *, above: bool) -> list[PurePath]:
    found = dict.fromkeys(path for suffix in suffixes for path in files.in_folder(folder, suffix))
    paths = [path for path in found if not above or path.stem.lower().strip("_") in _ROOTS]
    return [files.normal(path) for path in paths[:_MOST_FILES] if files.is_file(path)]


def _naming(
    files: DraftFiles, folder: PurePath, path: PurePath, *, above: bool
) -> dict[PurePath, tuple[PurePath, ...]]:
    """The files of a folder whose metadata name bibliographies that are there, with these."""
    texts = (other for other, _ in _texts(files, folder, path, above=above))
    others = [*texts, *_listed(files, folder, _METADATA, above=above)]
    return {other: named for other in others if (named := _named(files, other))}


def _named(files: DraftFiles, path: PurePath) -> tuple[PurePath, ...]:
    """The bibliographies that the metadata of a file name, and that are there."""
    try:
        text = read_text(files, path)
    except CiteWhyError:
        return ()
    in_yaml = path.suffix in _METADATA
    names = _in_yaml(text) if in_yaml else read_front_matter(text.splitlines()).bibliographies
    return tuple(filter(None, (find(files, path.parent, name) for name in names)))


def _in_yaml(text: str) -> Sequence[str]:
    """``bibliography:`` of a file with metadata or defaults for Pandoc; of defaults also within
    ``metadata:``."""
    try:
        value = load(text)[0]
    except YamlError:
        return ()
    if not isinstance(value, dict):
        return ()
    inner = value.get("metadata", "")
    within = inner.get("bibliography", "") if isinstance(inner, dict) else ""
    return tuple(strings(value.get("bibliography", "") or within))

"""Projects of several documents that name their bibliographies once: Quarto's in its configuration,
bookdown's in the metadata of its first chapter. Both hold for every document in their folder and below."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from citewhy.base.errors import CiteWhyError
from citewhy.drafts.files import DraftFiles, read_text
from citewhy.drafts.markdown.front_matter import read_front_matter
from citewhy.papers.formats.report import Problem
from citewhy.text.yaml_values import YamlError, load, strings

__all__ = ["first_chapter", "project_of_chapter"]

_QUARTO, _BOOKDOWN = "_quarto.yml", "_bookdown.yml"

_FIRST_CHAPTERS = ("index.Rmd", "index.rmd")
"""The file that bookdown begins with."""

_LEVELS = 3
"""How many folders above that of the draft are looked at."""


def project_of_chapter(files: DraftFiles, folder: PurePath) -> tuple[PurePath, Sequence[str], Sequence[str]]:
    """The folder of the nearest project that contains the draft's `folder`, the bibliographies that it names,
    relative to it, and what could not be read of it, as messages. Without a project, the draft's folder."""
    for level in range(_LEVELS + 1):
        above = files.normal(folder.joinpath(*[".."] * level))
        if files.is_file(quarto := files.normal(above / _QUARTO)):
            return above, *_of_configuration(files, quarto)
        if files.is_file(files.normal(above / _BOOKDOWN)):
            first = _first(files, above)
            return above, *(_of_chapter(files, first) if files.is_file(first) else ((), ()))
    return folder, (), ()


def first_chapter(files: DraftFiles, folder: PurePath) -> PurePath | None:
    """The first file of the bookdown project that contains the draft's `folder`, whether or not it is there:
    the only one of the project that has metadata. None if there is no such project, or a nearer one of
    Quarto, whose documents may have metadata of their own."""
    for level in range(_LEVELS + 1):
        above = files.normal(folder.joinpath(*[".."] * level))
        if files.is_file(files.normal(above / _QUARTO)):
            return None
        if files.is_file(files.normal(above / _BOOKDOWN)):
            return _first(files, above)
    return None


def _first(files: DraftFiles, folder: PurePath) -> PurePath:
    names = [files.normal(folder / name) for name in _FIRST_CHAPTERS]
    return next(filter(files.is_file, names), names[0])


def _of_configuration(files: DraftFiles, path: PurePath) -> tuple[Sequence[str], Sequence[str]]:
    try:
        value, _ = load(read_text(files, path))
    except YamlError as error:
        return (), [str(Problem(files.name(path), error.line + 1, f"invalid YAML: {error.problem}"))]
    except CiteWhyError as error:
        return (), [str(error)]
    return list(strings(value.get("bibliography", ""))) if isinstance(value, dict) else (), ()


def _of_chapter(files: DraftFiles, path: PurePath) -> tuple[Sequence[str], Sequence[str]]:
    try:
        front = read_front_matter(read_text(files, path).splitlines())
    except CiteWhyError as error:
        return (), [str(error)]
    return front.bibliographies, [str(Problem(files.name(path), line, why)) for line, why in front.problems]

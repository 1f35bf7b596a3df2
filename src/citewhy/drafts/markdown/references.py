"""The references of a Markdown draft, from its metadata and from BibTeX, CSL and RIS files; and the projects
that name these files for all their documents: Quarto in its configuration, bookdown in the metadata of its
first chapter. Both hold for every document in their folder and below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import PurePath

from citewhy.base.errors import CiteWhyError
from citewhy.base.records import Reference
from citewhy.drafts.bibliography import csl_json, csl_references, references
from citewhy.drafts.files import DraftFiles, find_named, read_text
from citewhy.drafts.markdown.front_matter import FrontMatter, read_front_matter
from citewhy.papers.formats.report import Problem
from citewhy.text.yaml_values import Value, YamlError, load, strings


class References:
    """The references of the draft at `path` with the metadata `front`.

    References in the metadata come before those in files; of several with the same key the first counts.
    `plain` turns titles in CSL-YAML, which are Markdown, into plain text.
    """

    def __init__(
        self, files: DraftFiles, path: PurePath, front: FrontMatter, plain: Callable[[str], str]
    ) -> None:
        self._files = files
        self._plain = plain
        self.unread: list[str] = []
        """Bibliographies that cannot be read."""
        self.problems: list[str] = []
        """Says what could not be read, a message each."""
        entries = self._of_markdown_items(front.references, files.name(path))
        named = [self._named(path.parent, name) for name in front.bibliographies]
        if not named and not entries:
            folder, names, problems = project_of_chapter(files, path.parent)
            named = [self._named(folder, name) for name in names]
            self.problems += problems
        beside = files.in_folder(path.parent, ".bib")
        if not named and not entries and len(beside) == 1:
            named = beside
            self.problems.append(
                f"{files.name(path)}: names no bibliography; {beside[0].name} in the same folder is used"
            )
        for bibliography in named:
            entries += self._of_file(bibliography)
        first: dict[str, Reference] = {}
        for reference in entries:
            first.setdefault(reference.key, reference)
        self.all = tuple(first.values())
        self.bibliographies = tuple(map(files.name, named))
        """The names of the files."""

    def _named(self, folder: PurePath, name: str) -> PurePath:
        """The file that the metadata name; where there is none, one of this name in the draft's folder."""
        written, path = self._files.normal(folder / name), find_named(self._files, folder, name, folder)
        if path != written:
            self.problems.append(
                f"{self._files.name(written)}: no such file; {path.name} in the draft's folder is used"
            )
        return path

    def _of_file(self, path: PurePath) -> list[Reference]:
        name, suffix = self._files.name(path), path.suffix.lower()
        try:
            if suffix == ".json":
                return list(csl_json(self._files, path, self.problems))
            if suffix in {".yaml", ".yml"}:
                return self._of_yaml(read_text(self._files, path), name)
            entries, problems, unread = references(self._files, [path])
        except CiteWhyError as error:
            self.problems.append(str(error))
            self.unread.append(name)
            return []
        self.unread += unread
        self.problems += problems
        return entries

    def _of_yaml(self, text: str, name: str) -> list[Reference]:
        try:
            value, problems = load(text)
        except YamlError as error:
            self.problems.append(str(Problem(name, error.line + 1, f"invalid YAML: {error.problem}")))
            self.unread.append(name)
            return []
        self.problems += [str(Problem(name, line + 1, why)) for line, why in problems]
        items = value.get("references", "") if isinstance(value, dict) else value
        return self._of_markdown_items(items, name)

    def _of_markdown_items(self, items: Value, name: str) -> list[Reference]:
        """The references of CSL items in YAML."""
        listed = items if isinstance(items, list) else [items] if items else []
        return [
            replace(reference, paper=replace(reference.paper, title=self._plain(reference.paper.title)))
            for reference in csl_references(listed, name, self.problems)
        ]


# Projects of several documents that name their bibliographies once --------------------------------------

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

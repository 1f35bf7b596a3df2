"""The references of a Markdown draft, from its metadata, its project, and BibTeX, CSL and RIS files."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import PurePath

from citewhy.base.errors import CiteWhyError
from citewhy.base.import_report import Problem
from citewhy.base.records import Reference
from citewhy.drafts.bibliography import csl_json, csl_references, references
from citewhy.drafts.files import DraftFiles, find_named, read_text
from citewhy.drafts.markdown.above import Named, bibliographies_around
from citewhy.drafts.markdown.front_matter import FrontMatter
from citewhy.drafts.markdown.projects import project_of_chapter
from citewhy.text.counted import inflected
from citewhy.text.yaml_values import Value, YamlError, load

_R_PATH = re.compile(r"`r\s[^`\"']*[\"']([^`\"']+)[\"'][^`\"']*`")
"""R code that makes the path of a file in the project: `` `r here::here("refs.bib")` ``."""


_MANY_KEYS = 20
"""Keys of a draft that nobody writes without having entries for them."""


class References:
    """The references of the draft at `path` with the metadata `front`.

    References in the metadata come before those in files; of several with the same key the first counts.
    `plain` turns titles in CSL-YAML, which are Markdown, into plain text.
    """

    def __init__(
        self, files: DraftFiles, path: PurePath, front: FrontMatter, plain: Callable[[str], str]
    ) -> None:
        self._files, self._path, self._plain = files, files.name(path), plain
        self.unread: list[str] = []
        """Bibliographies that cannot be read."""
        self.problems: list[str] = []
        """Says what could not be read, a message each."""
        self.folder = ""
        """The folder of the project that names the bibliographies; empty if the draft does, or nothing."""
        self.root: PurePath | None = None
        """The file that includes the draft, and names the bibliographies that it does not name."""
        entries = self._of_markdown_items(front.references, self._path)
        named = [self._named(path.parent, name) for name in front.bibliographies]
        if not named and not entries:
            folder, names, problems = project_of_chapter(files, path.parent)
            named = [self._named(folder, name) for name in names]
            self.problems += problems
            self.folder = files.name(folder) if names else ""
        if not named and not entries and (around := bibliographies_around(files, path)):
            named = list(around.files)
            self._found(path, around)
        for bibliography in named:
            entries += self._of_file(bibliography)
        first: dict[str, Reference] = {}
        for reference in entries:
            first.setdefault(reference.key, reference)
        self.all = tuple(first.values())
        self.bibliographies = tuple(map(files.name, named))
        """The names of the files."""

    def check_keys(self, keys: Collection[str]) -> None:
        """Says, of a draft without a bibliography, that so many `keys` must be defined somewhere."""
        if len(keys) >= _MANY_KEYS:
            self.unread.append("the bibliography that has its keys")
            self.problems.append(
                f"{self._path}: names no bibliography, and none is found; its {len(keys)} keys are left "
                "alone: name it in the metadata (bibliography: refs.bib)"
            )

    def _found(self, path: PurePath, around: Named) -> None:
        """Keeps what the bibliographies are used for that the draft at `path` does not name, and says so,
        unless they are those of a file that includes it."""
        if around.by is not None:
            self.folder = self._files.name(around.by.parent)
        if around.includes:
            self.root = around.by
            return
        beside = all(file.parent == path.parent for file in around.files)
        names = [file.name if beside else self._files.name(file) for file in around.files]
        found = f"{' and '.join(names)}{' in the same folder' if beside else ''}"
        used = inflected(len(names), "is used", "are used")
        found = f"{found} {used}" if around.by is None else f"{self._files.name(around.by)} names {found}"
        self.problems.append(f"{self._path}: names no bibliography; {found}")

    def _named(self, folder: PurePath, name: str) -> PurePath:
        """The file that the metadata name; where there is none, one of this name in the draft's folder."""
        name = _R_PATH.sub(lambda code: code[1], name)
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

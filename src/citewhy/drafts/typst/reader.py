"""Typst drafts with ``@key`` and ``#cite(<key>)``, and the files that they include."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from citewhy.base.errors import CiteWhyError
from citewhy.base.import_report import Problem
from citewhy.base.records import Manuscript, Reference
from citewhy.drafts.bibliography import references
from citewhy.drafts.files import DISK, DraftFiles, find, find_named
from citewhy.drafts.flow import Source, abstract_of, open_source
from citewhy.drafts.typst import code
from citewhy.drafts.typst.markup import Collected, Keys, Markup
from citewhy.text.headings import is_known_heading

_STRING = re.compile(r'"((?:[^"\\]|\\.){0,200})"')
_FILE = re.compile(r'"([^"\n]+\.(?:bib|ya?ml))"', re.IGNORECASE)
_YEAR = re.compile(r"year\s*:\s*((?:19|20)\d\d)|\b((?:19|20)\d\d)\b")
_MARKUP = re.compile(r"\\\n|[*_#]|\\(?=.)|<[\w.:-]+>")
_MOST_FILES = 500


def read(path: PurePath, files: DraftFiles = DISK) -> Manuscript:
    """Reads a Typst draft, the files that it includes, and its bibliographies (BibTeX or Hayagriva's YAML).
    Raises InputError.

    The `slot` of a marker is the whole marker. Without a bibliography, and beside one that cannot be read,
    no key counts as undefined.
    """
    reader = _Reader(path, files)
    first = reader.collect(Keys((), (), unread=True), names_only=True)
    entries = reader.bibliography(first)
    defined = {reference.key for reference in entries}
    unread = bool(reader.unread) or not reader.bibliographies
    collected = reader.collect(Keys(defined, first.labels - defined, unread, first.citing))
    title, levels = reader.metadata(collected, "title"), [level for level, _ in collected.headings]
    if (
        not title
        and levels[:1] == [1]
        and levels.count(1) == 1
        and not is_known_heading(collected.headings[0][1])
    ):
        title = collected.headings[0][1]
    abstract = reader.metadata(collected, "abstract") or abstract_of(collected.paragraphs)
    return Manuscript(
        path=files.name(path),
        format="typst",
        title=title,
        abstract=abstract,
        authors=reader.authors(collected),
        year=reader.year(collected),
        paragraphs=tuple(collected.paragraphs),
        references=tuple(entries),
        bibliographies=tuple(reader.bibliographies),
        unread=tuple(reader.unread),
        files=tuple(reader.sources),
        problems=tuple(reader.problems),
    )


class _Reader:
    """Reads the files of a draft, each once."""

    def __init__(self, path: PurePath, files: DraftFiles) -> None:
        self._path = path
        self._files = files
        self.sources: dict[str, Source] = {}
        self._extents: dict[str, code.Extents] = {}
        self.problems: list[str] = []
        self.bibliographies: list[str] = []
        self.unread: list[str] = []

    def collect(self, keys: Keys, *, names_only: bool = False) -> Collected:
        """The text of all files; without paragraphs and headings if `names_only`."""
        into = Collected(names_only=names_only)
        self._read(self._path, keys, into, ())
        self.problems = list(dict.fromkeys(self.problems))
        return into

    def _read(self, path: PurePath, keys: Keys, into: Collected, parents: tuple[PurePath, ...]) -> None:
        name = self._files.name(path)
        if name not in self.sources:
            self.sources[name], problems = open_source(self._files, path)
            self.problems += problems

        def include(source: Source, name: str, at: int) -> None:
            included = find(self._files, *self._named(path, name))
            line = source.line_of(at)
            if included is None:
                self.problems.append(str(Problem(source.path, line, f"no such file: {name}")))
            elif included in (*parents, path) or len(self.sources) > _MOST_FILES:
                self.problems.append(str(Problem(source.path, line, f"{name} includes itself")))
            else:
                try:
                    self._read(included, keys, into, (*parents, path))
                except CiteWhyError as error:
                    self.problems.append(str(error))

        Markup(self.sources[name], keys, into, include).read()

    def _named(self, path: PurePath, name: str) -> tuple[PurePath, str]:
        """The folder and the name that a file names: a leading slash means the folder of the root."""
        return (self._path.parent, name.lstrip("/")) if name.startswith("/") else (path.parent, name)

    # The bibliography -------------------------------------------------------------------------------------

    def bibliography(self, collected: Collected) -> list[Reference]:
        """The entries of the files that ``#bibliography`` or a template names."""
        paths: dict[PurePath, None] = {}
        for source, start, end in collected.statements:
            text = source.text[start:end]
            if "bibliography" not in text:
                continue
            for name in _FILE.findall(text):
                folder, name = self._named(self._files.path(source.path), name)
                paths[find_named(self._files, folder, name, self._path.parent)] = None
        self.bibliographies = [self._files.name(path) for path in paths]
        entries, problems, unread = references(self._files, list(paths))
        self.problems += problems
        self.unread += unread
        return entries

    # Metadata ---------------------------------------------------------------------------------------------

    def _values(self, collected: Collected, name: str) -> Iterator[str]:
        """The values of a named argument of ``#set document(…)``, or of a template, as written."""
        for source, start, end in collected.statements:
            text = source.text[start:end]
            if text.startswith(("#show:", "#show :")) or re.match(r"#set\s+document\b", text):
                extents = self._extents.setdefault(source.path, code.Extents(source.text))
                value = extents.named_argument(name, start, end)
                if value is not None:
                    yield source.text[slice(*value)]

    def metadata(self, collected: Collected, name: str) -> str:
        """The text of a title or an abstract."""
        for value in self._values(collected, name):
            if value[:1] in {'"', "["}:
                return " ".join(_MARKUP.sub(" ", value[1:-1]).split())
        return ""

    def authors(self, collected: Collected) -> tuple[str, ...]:
        """The names of the authors."""
        for name in ("authors?", "author"):
            for value in self._values(collected, name):
                named = re.findall(r'\bname\s*:\s*(?:"([^"]+)"|\[([^\]]+)\])', value)
                names = [first or second for first, second in named] or _STRING.findall(value)
                if names:
                    return tuple(" ".join(name.split()) for name in names)
        return ()

    def year(self, collected: Collected) -> int | None:
        """The year of the date."""
        for value in self._values(collected, "date"):
            if year := _YEAR.search(value):
                return int(year[1] or year[2])
        return None

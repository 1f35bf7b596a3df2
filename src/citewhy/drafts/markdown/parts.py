"""The files of a Markdown draft: those that it includes (``child=`` of knitr, ``{{< include >}}`` of Quarto)
and the chapters of a book."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from citewhy.base.errors import CiteWhyError
from citewhy.base.import_report import Problem
from citewhy.drafts.files import DraftFiles, find
from citewhy.drafts.flow import Source, open_source
from citewhy.drafts.markdown.front_matter import FrontMatter, read_front_matter
from citewhy.drafts.markdown.projects import Book

_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})[ \t]*(.*)")
_INCLUDE = re.compile(r"[ \t]*\{\{<[ \t]*include[ \t]+[\"']?([^\s\"'<>]+)[\"']?[ \t]*>\}\}[ \t]*")
_CHUNK = re.compile(r"\{[A-Za-z]+[\s,}]")
_CHILD = re.compile(r"\bchild\s*[=:]\s*(c?\([^()]*\)|\[[^\[\]]*\]|[\"'][^\"']*[\"']|[^\s\"'(\[,}]+\.\w+)")
_NAME = re.compile(r"[\"']([^\"']*)[\"']|(?<![^\s\"'(),\[\]])([^\s\"'(),\[\]]+\.\w+)")
_OFF = re.compile(r"\beval\s*[=:]\s*(?:FALSE|F\b|false|no\b)")
_DEEPEST = 10
_MOST_FILES = 500


@dataclass(frozen=True, slots=True)
class Part:
    """Lines ``[first, last)``, counted from 0, of one of the files of a draft."""

    source: Source
    first: int
    last: int


class Parts:
    """A draft with all files that it includes, in reading order. Raises InputError if the root cannot be
    read."""

    def __init__(self, files: DraftFiles, path: PurePath, book: Book | None = None) -> None:
        self._files = files
        self._root = path
        self.sources: dict[PurePath, Source] = {}
        """The files that were read, the root first."""
        self.fronts: list[FrontMatter] = []
        """Their metadata."""
        self.problems: list[str] = []
        """Files that are missing or cannot be read."""
        self.all = (*self._of(path, ()), *(self._chapters(book) if book else ()))

    def _chapters(self, book: Book) -> Iterator[Part]:
        """The chapters of a book after the first."""
        for chapter in book.chapters[1:]:
            if not self._files.is_file(chapter):
                at = self._files.name(book.configuration)
                self.problems.append(f"{at}: no such chapter: {self._files.name(chapter)}")
            elif chapter not in self.sources:
                try:
                    yield from self._of(chapter, ())
                except CiteWhyError as error:
                    self.problems.append(str(error))

    def _of(self, path: PurePath, parents: tuple[PurePath, ...]) -> Iterator[Part]:
        source, problems = open_source(self._files, path)
        self.sources[path] = source
        self.problems += problems
        front = read_front_matter(source.lines)
        self.fronts.append(front)
        self.problems += [str(Problem(source.path, line, why)) for line, why in front.problems]
        done = front.lines
        for first, last, names in inclusions(source.lines, front.lines):
            yield Part(source, done, first)
            for name in names:
                yield from self._included(name, Problem(source.path, first + 1, ""), (*parents, path))
            done = last
        yield Part(source, done, len(source.lines))

    def _included(self, name: str, at: Problem, parents: tuple[PurePath, ...]) -> Iterator[Part]:
        """A file that is named relative to the one that includes it, or to the root; once for each name."""
        path = find(self._files, parents[-1].parent, name)
        path = path or find(self._files, self._root.parent, name.lstrip("/"))
        if path is None:
            self.problems.append(str(Problem(at.path, at.line, f"no such file: {name}")))
        elif path in parents or len(parents) > _DEEPEST or len(self.sources) >= _MOST_FILES:
            self.problems.append(str(Problem(at.path, at.line, f"{name} includes itself")))
        elif path not in self.sources:
            try:
                yield from self._of(path, parents)
            except CiteWhyError as error:
                self.problems.append(str(error))


def inclusions(lines: list[str], start: int) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """The lines ``[first, last)`` that include files, and the names of these; code and comments aside."""
    number = start
    in_comment = False
    while number < len(lines):
        line = lines[number]
        fence = None if in_comment else _FENCE.match(line)
        if fence:
            end = _end_of_fence(lines, number, fence[1])
            if names := _children(lines[number:end], fence[2]):
                yield number, end, names
            number = end
            continue
        if not in_comment and (inclusion := _INCLUDE.fullmatch(line)):
            yield number, number + 1, (inclusion[1],)
        last_opening = line.rfind("<!--")
        in_comment = (in_comment or last_opening >= 0) and line.find("-->", max(last_opening, 0)) < 0
        number += 1


def _end_of_fence(lines: list[str], first: int, mark: str) -> int:
    closing = re.compile(rf"[ ]{{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*")
    for number in range(first + 1, len(lines)):
        if closing.fullmatch(lines[number]):
            return number + 1
    return len(lines)


def _children(lines: list[str], header: str) -> tuple[str, ...]:
    """The files that a chunk includes, by its header or by the options at its beginning; none if it is not
    evaluated."""
    if not _CHUNK.match(header):
        return ()
    options = [header]
    for line in lines[1:]:
        if not line.startswith("#|"):
            break
        options.append(line)
    text = "\n".join(options)
    child = _CHILD.search(text)
    if child is None or _OFF.search(text):
        return ()
    return tuple(name for quoted, bare in _NAME.findall(child[1]) if (name := quoted or bare))

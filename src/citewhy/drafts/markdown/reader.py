"""Markdown drafts with Pandoc's citations."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import PurePath
from typing import Any

from citewhy.base.errors import CiteWhyError, TooLargeError
from citewhy.base.records import Manuscript, Paragraph
from citewhy.drafts.chapters import in_book
from citewhy.drafts.files import DISK, DraftFiles, find
from citewhy.drafts.flow import Flow, FoundCitation, Source, abstract_of, marked, open_source
from citewhy.drafts.markdown.front_matter import FrontMatter, read_front_matter
from citewhy.drafts.markdown.pandoc import CrossReference, labels_in
from citewhy.drafts.markdown.projects import Book, book_of
from citewhy.drafts.markdown.references import References
from citewhy.drafts.markdown.tokens import COMMENT, Content, contents, inline_tokens
from citewhy.drafts.placeholders import open_comment, open_marks
from citewhy.papers.formats.report import Problem

_HEADING_ATTRIBUTES = re.compile(r"\s{0,3}\{[#.-][^{}]{0,300}\}$")
_MARKUP = re.compile(r"[^\w\s,;.()/+-]|_")
_DEEPEST_NOTE = 5
"""Maximum depth of footnotes in footnotes and captions in captions."""


_MARKS = re.compile(r"[\[`*_|<@\n]")
_MOST_MARKS = 110_000
"""The parser needs up to 30 microseconds and 2 kB for each, and for a line; a long book has ten thousand."""


def read(path: PurePath, files: DraftFiles = DISK) -> Manuscript:
    """Reads a Markdown draft, the files that it includes, and its bibliographies (BibTeX or CSL). Raises
    InputError, and TooLargeError for more than `_MOST_MARKS` lines and characters of markup.

    The `slot` of a marker has the form ``@a; @b``. If the marker has more than keys ("see @a, p. 3; @?"), the
    slot is only the part that is open; it is None if nothing can be inserted without changing such notes.
    """
    book = book_of(files, path)
    if book is None or files.resolve(path) == files.resolve(book.first):
        return _read(path, files, book)
    chapter = _read(path, files)
    return in_book(chapter, book.first, lambda: _read(book.first, files, book), files, *book.chapters)


def _read(path: PurePath, files: DraftFiles, book: Book | None = None) -> Manuscript:
    """Reads one file, with those that it includes, or a whole book, of which it is the first."""
    parts = Parts(files, path, book)
    sources = list(parts.sources.values())
    if sum(len(_MARKS.findall(source.text)) for source in sources) > _MOST_MARKS:
        raise TooLargeError(
            f"more than {_MOST_MARKS:,} lines and marks of Markdown ([ ` * _ | < @)",
            path=path,
            hint="split the draft",
        )
    front, *others = parts.fronts
    if others:
        named = tuple(dict.fromkeys(name for metadata in parts.fronts for name in metadata.bibliographies))
        front = replace(front, bibliographies=named)
    if book is not None:
        front = replace(
            front,
            title=front.title or book.title,
            authors=front.authors or book.authors,
            year=front.year or book.year,
        )
    references = References(files, path, front, _plain)
    defined = {reference.key for reference in references.all}
    reader = _Reader(
        sources[0],
        defined,
        _plain(front.title),
        unread=bool(references.unread),
        labels=frozenset[str]().union(*(labels_in(source.text) for source in sources)),
    )
    for part in parts.all:
        reader.read(part)
    return Manuscript(
        path=sources[0].path,
        format="markdown",
        title=reader.title,
        abstract=_plain(front.abstract) or abstract_of(reader.paragraphs),
        authors=front.authors,
        year=front.year,
        paragraphs=tuple(reader.paragraphs),
        references=references.all,
        bibliographies=references.bibliographies,
        unread=tuple(references.unread),
        files=tuple(source.path for source in sources),
        nocite=front.nocite,
        problems=(*parts.problems, *references.problems),
    )


def _plain(markdown: str) -> str:
    """The text of a title or abstract in Markdown."""
    text = " ".join(markdown.split())
    if not _MARKUP.search(text):
        return text
    return _Reader(Source("", text), ()).flow(Content(text, [0])).text()


class _Reader:
    """Collects title and paragraphs from the blocks of the files."""

    def __init__(
        self,
        source: Source,
        defined: Collection[str],
        title: str = "",
        *,
        unread: bool = False,
        labels: Collection[str] = (),
    ) -> None:
        """`unread`: there are bibliographies whose keys are not known. `labels` name parts of the draft."""
        self.title = title
        """The title in the metadata or else the first heading."""
        self.paragraphs: list[Paragraph] = []
        self._source = source
        self._defined = defined
        self._section = ""
        self._links: dict[str, Any] = {"unread": unread, "labels": labels}
        self._notes: list[tuple[Content, int]] = []

    def read(self, part: Part) -> None:
        self._source = part.source
        blocks = list(contents(part.source, part.first, part.last, self._links))
        for content, following in pairwise((*blocks, Content("", [0]))):
            if content.tag.startswith("h"):
                self._head(content)
            elif content.tag != COMMENT:
                flow = self.flow(content)
                asked = open_comment(following.text) if following.tag == COMMENT else None
                if asked:
                    flow.cite(marked(asked, "@").moved(following.offset(0)))
                self._keep(flow)
            self._read_notes()

    def _head(self, content: Content) -> None:
        flow = self.flow(content.part(0, _HEADING_ATTRIBUTES.sub("", content.text)))
        text = flow.text()
        if content.tag == "h1" and not (self.title or self.paragraphs or self._section):
            self.title = text
        else:
            self._section = text
        if flow.cites:
            self._keep(flow)

    def _keep(self, flow: Flow, *, aside: bool = False) -> None:
        paragraph = flow.paragraph(self._section, aside=aside)
        if paragraph is not None:
            self.paragraphs.append(paragraph)

    def _read_notes(self) -> None:
        """Footnotes and captions become paragraphs of their own after the one that they interrupt."""
        while self._notes:
            notes, self._notes = self._notes, []
            for content, depth in notes:
                self._keep(self.flow(content, depth), aside=True)

    def flow(self, content: Content, depth: int = 0) -> Flow:
        """The running text of one block; its footnotes and captions are collected for later."""
        flow = Flow(self._source)
        skipping = False
        for token, position in inline_tokens(content.text, self._defined, self._links):
            start = content.offset(position)
            if token.type in {"link_open", "link_close"} and token.markup == "autolink":
                skipping = token.type == "link_open"
            elif token.type == "text" and not skipping:
                _add_text(flow, token.content, start, in_table=content.tag == "td")
            elif token.type == "html_inline" and (asked := open_comment(token.content)):
                flow.cite(marked(asked, "@").moved(start))
            elif token.type == "text_special":
                plain = " " if token.content == "\\ " else token.content
                flow.add_for(plain, start, content.end(position + len(token.markup)))
            elif token.type in {"softbreak", "hardbreak"} or token.content.startswith("<br"):
                flow.add_for(" ", start, start + 1)
            elif token.type == "math":
                flow.add_for("MATH", start, content.end(token.meta["end"]))
            elif token.type == "cited":
                self._cite(flow, token.meta["cited"], content, position)
            elif token.type == "note" and depth < _DEEPEST_NOTE:
                self._notes.append((content.part(position, token.content), depth + 1))
        return flow

    def _cite(
        self, flow: Flow, cited: FoundCitation | CrossReference, content: Content, position: int
    ) -> None:
        start, end = content.offset(position), content.end(cited.end)
        if isinstance(cited, CrossReference):
            flow.add_for(cited.text, start, end)
            return
        slot = cited.slot and (content.offset(cited.slot[0]), content.end(cited.slot[1]))
        flow.cite(replace(cited, start=start, end=end, slot=slot))


def _add_text(flow: Flow, text: str, start: int, *, in_table: bool) -> None:
    """Adds text that is at `start` in the source; placeholders in round brackets are citations."""
    done = 0
    for placeholder in open_marks(text, "(", in_table=in_table):
        flow.add(text[done : placeholder.start()], start + done)
        flow.cite(marked(placeholder, "@").moved(start))
        done = placeholder.end()
    flow.add(text[done:], start + done)


# The files that a draft includes: ``child=`` of knitr, ``{{< include >}}`` of Quarto ---------------------

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
        for first, last, names in _inclusions(source.lines, front.lines):
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


def _inclusions(lines: list[str], start: int) -> Iterator[tuple[int, int, tuple[str, ...]]]:
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

"""Markdown drafts with Pandoc's citations."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise
from pathlib import PurePath
from typing import Any

from citewhy.base.errors import TooLargeError
from citewhy.base.records import Manuscript, Paragraph
from citewhy.drafts.chapters import in_book
from citewhy.drafts.files import DISK, DraftFiles
from citewhy.drafts.flow import Flow, FoundCitation, Source, abstract_of, marked
from citewhy.drafts.markdown.pandoc import CrossReference, labels_in
from citewhy.drafts.markdown.parts import Part, Parts
from citewhy.drafts.markdown.projects import Book, book_of
from citewhy.drafts.markdown.references import References
from citewhy.drafts.markdown.tokens import COMMENT, Content, contents, inline_tokens
from citewhy.text.placeholders import open_comment, open_marks

_PART = re.compile(r"^\((?:PART|APPENDIX)\\?\*?\) *")
"""What bookdown begins the heading of a part of a book with, which is no title of it."""
_HEADING_ATTRIBUTES = re.compile(r"\s{0,3}\{[#.-][^{}]{0,300}\}$")
_KEY = re.compile(r"(?<![\w.@/])@([^\W\d_][\w:.-]+\w)")
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
    if book is not None and files.resolve(path) != files.resolve(book.first):
        chapter = _read(path, files)[0]
        return in_book(chapter, book.first, lambda: _read(book.first, files, book)[0], files, *book.chapters)
    draft, root = _read(path, files, book)
    return draft if root is None else in_book(draft, root, lambda: _read(root, files)[0], files)


def _read(path: PurePath, files: DraftFiles, book: Book | None = None) -> tuple[Manuscript, PurePath | None]:
    """Reads one file, with those that it includes, or a whole book, of which it is the first. Returns the
    file, too, that includes it and names its bibliography, if that was looked for and is there."""
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
    if not (references.all or references.bibliographies):
        references.check_keys({key for source in sources for key in _KEY.findall(source.text)})
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
    draft = Manuscript(
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
        folder=references.folder,
    )
    return draft, references.root


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
        text = _PART.sub("", written := flow.text())
        if content.tag == "h1" and text == written and not (self.title or self.paragraphs or self._section):
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

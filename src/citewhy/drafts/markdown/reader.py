"""Markdown drafts with Pandoc's citations."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from citewhy.base.errors import TooLargeError
from citewhy.base.records import Manuscript, Paragraph
from citewhy.drafts.files import DISK, DraftFiles
from citewhy.drafts.flow import Flow, FoundCitation, Source
from citewhy.drafts.markdown.content import Content
from citewhy.drafts.markdown.pandoc import CrossReference
from citewhy.drafts.markdown.parts import Part, Parts
from citewhy.drafts.markdown.references import References
from citewhy.drafts.markdown.tokens import contents, inline_tokens
from citewhy.drafts.placeholders import OPEN_ROUND

_HEADING_ATTRIBUTES = re.compile(r"\s{0,3}\{[#.-][^{}]{0,300}\}$")
_MARKUP = re.compile(r"[^\w\s,;.()/+-]|_")
_DEEPEST_NOTE = 5
"""Maximum depth of footnotes in footnotes and captions in captions."""


_MARKS = re.compile(r"[\[`*_|<]")
_MOST_MARKS = 110_000
"""The parser needs up to 30 microseconds and 2 kB for each; a long book has some ten thousand."""


def read(path: PurePath, files: DraftFiles = DISK) -> Manuscript:
    """Reads a Markdown draft, the files that it includes, and its bibliographies (BibTeX or CSL). Raises
    InputError, and TooLargeError for more than `_MOST_MARKS` characters of markup.

    The `slot` of a marker has the form ``@a; @b``. If the marker has more than keys ("see @a, p. 3; @?"), the
    slot is only the part that is open; it is None if nothing can be inserted without changing such notes.
    """
    parts = Parts(files, path)
    sources = list(parts.sources.values())
    if sum(len(_MARKS.findall(source.text)) for source in sources) > _MOST_MARKS:
        raise TooLargeError(
            f"more than {_MOST_MARKS:,} marks of Markdown ([ ` * _ | <)", path=path, hint="split the draft"
        )
    front, *others = parts.fronts
    if others:
        named = tuple(dict.fromkeys(name for each in parts.fronts for name in each.bibliographies))
        front = replace(front, bibliographies=named)
    references = References(files, path, front, _plain)
    defined = {reference.key for reference in references.all}
    reader = _Reader(sources[0], defined, _plain(front.title), unread=bool(references.unread))
    for part in parts.all:
        reader.read(part)
    return Manuscript(
        path=sources[0].path,
        format="markdown",
        title=reader.title,
        abstract=_plain(front.abstract) or reader.abstract(),
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
        self, source: Source, defined: Collection[str], title: str = "", *, unread: bool = False
    ) -> None:
        """`unread`: there are bibliographies whose keys are not known."""
        self.title = title
        """The title in the metadata or else the first heading."""
        self.paragraphs: list[Paragraph] = []
        self._source = source
        self._defined = defined
        self._section = ""
        self._links: dict[str, Any] = {"unread": unread}
        self._notes: list[tuple[Content, int]] = []

    def read(self, part: Part) -> None:
        self._source = part.source
        for content in contents(part.source, part.first, part.last, self._links):
            if content.tag.startswith("h"):
                self._head(content)
            else:
                self._keep(self.flow(content))
            self._read_notes()

    def abstract(self) -> str:
        """The text under a heading "Abstract"."""
        parts = (part.sentences for part in self.paragraphs if part.section.casefold() == "abstract")
        return " ".join(sentence.text for sentences in parts for sentence in sentences)

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
        for token, place in inline_tokens(content.text, self._defined, self._links):
            start = content.place(place)
            if token.type in {"link_open", "link_close"} and token.markup == "autolink":
                skipping = token.type == "link_open"
            elif token.type == "text" and not skipping:
                _add_text(flow, token.content, start)
            elif token.type == "text_special":
                plain = " " if token.content == "\\ " else token.content
                flow.add_for(plain, start, content.end(place + len(token.markup)))
            elif token.type in {"softbreak", "hardbreak"} or token.content.startswith("<br"):
                flow.add_for(" ", start, start + 1)
            elif token.type == "math":
                flow.add_for("MATH", start, content.end(token.meta["end"]))
            elif token.type == "cited":
                self._cite(flow, token.meta["found"], content, place)
            elif token.type == "note" and depth < _DEEPEST_NOTE:
                self._notes.append((content.part(place, token.content), depth + 1))
        return flow

    def _cite(self, flow: Flow, found: FoundCitation | CrossReference, content: Content, place: int) -> None:
        start, end = content.place(place), content.end(found.end)
        if isinstance(found, CrossReference):
            flow.add_for(found.text, start, end)
            return
        slot = found.slot and (content.place(found.slot[0]), content.end(found.slot[1]))
        flow.cite(replace(found, start=start, end=end, slot=slot))


def _add_text(flow: Flow, text: str, start: int) -> None:
    """Adds text that is at `start` in the source; placeholders in round brackets are citations."""
    done = 0
    for found in OPEN_ROUND.finditer(text):
        first, last = start + found.start(), start + found.end()
        flow.add(text[done : found.start()], start + done)
        flow.cite(FoundCitation(first, last, (), open=True, command="@", slot=(first, last), note=found[0]))
        done = found.end()
    flow.add(text[done:], start + done)

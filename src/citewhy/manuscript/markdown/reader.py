"""Markdown drafts with pandoc's citations, read with the place of every paragraph, sentence and marker."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from citewhy.errors import CiteWhyError
from citewhy.formats.report import ImportReport
from citewhy.manuscript.files import DISK, DraftFiles, read_content, read_text
from citewhy.manuscript.flow import CitedAt, Flow, Source, open_source
from citewhy.manuscript.markdown.content import Content
from citewhy.manuscript.markdown.front_matter import FrontMatter, read_front_matter
from citewhy.manuscript.markdown.pandoc import CrossReference
from citewhy.manuscript.markdown.tokens import contents, inline_tokens
from citewhy.records import Manuscript, Paragraph, Reference

__all__ = ["read"]

_HEADING_ATTRIBUTES = re.compile(r"\s{0,3}\{[#.-][^{}]{0,300}\}$")
_DEEPEST_NOTE = 5
"""Footnotes in footnotes, captions in captions."""


def read(path: PurePath, files: DraftFiles = DISK) -> Manuscript:
    """A Markdown draft and the bibliographies it names (BibTeX or CSL). Raises InputError.

    A marker's `slot` holds keys as ``@a; @b``. Where the marker says more than keys ("see @a, p. 3; @?"), the
    slot is only the part that is open; it is None where nothing can be put without touching such notes.
    """
    source, remarks = open_source(files, path)
    front = read_front_matter(source.lines)
    references, bibliographies, problems = _bibliography(files, path, front)
    reader = _Reader(source, {reference.key for reference in references}, _plain(front.title))
    reader.read(front.lines)
    return Manuscript(
        path=source.path,
        format="markdown",
        title=reader.title,
        abstract=_plain(front.abstract) or reader.abstract(),
        authors=front.authors,
        year=front.year,
        paragraphs=tuple(reader.paragraphs),
        references=tuple(references),
        bibliographies=tuple(bibliographies),
        files=(source.path,),
        nocite=front.nocite,
        problems=(*remarks, *problems),
    )


def _plain(markdown: str) -> str:
    """A title or abstract without markup."""
    text = " ".join(markdown.split())
    return _Reader(Source("", text), ()).flow(Content(text, [0])).text()


class _Reader:
    """Walks through the blocks of a file and collects paragraphs."""

    def __init__(self, source: Source, defined: Collection[str], title: str = "") -> None:
        self.title = title
        """The front matter's, else that of a first heading."""
        self.paragraphs: list[Paragraph] = []
        self._source = source
        self._defined = defined
        self._section = ""
        self._links: dict[str, Any] = {}
        self._notes: list[tuple[Content, int]] = []

    def read(self, skipped_lines: int) -> None:
        for content in contents(self._source, skipped_lines, self._links):
            if content.heading.startswith("h"):
                self._head(content)
            else:
                self._keep(self.flow(content))
            self._read_notes()

    def abstract(self) -> str:
        """The text under a heading that says so."""
        parts = (part.sentences for part in self.paragraphs if part.section.casefold() == "abstract")
        return " ".join(sentence.text for sentences in parts for sentence in sentences)

    def _head(self, content: Content) -> None:
        flow = self.flow(content.part(0, _HEADING_ATTRIBUTES.sub("", content.text)))
        text = flow.text()
        if content.heading == "h1" and not (self.title or self.paragraphs or self._section):
            self.title = text
        else:
            self._section = text
        if flow.cites:
            self._keep(flow)

    def _keep(self, flow: Flow) -> None:
        paragraph = flow.paragraph(self._section)
        if paragraph is not None:
            self.paragraphs.append(paragraph)

    def _read_notes(self) -> None:
        """Footnotes and captions, each a paragraph of its own after the one that they interrupt."""
        while self._notes:
            notes, self._notes = self._notes, []
            for content, depth in notes:
                self._keep(self.flow(content, depth))

    def flow(self, content: Content, depth: int = 0) -> Flow:
        """The running text of one block; notes in it are put aside."""
        flow = Flow(self._source)
        skipping = False
        for token, place in inline_tokens(content.text, self._defined, self._links):
            start = content.place(place)
            if token.type in {"link_open", "link_close"} and token.markup == "autolink":
                skipping = token.type == "link_open"
            elif token.type == "text" and not skipping:
                flow.add(token.content, start)
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

    def _cite(self, flow: Flow, found: CitedAt | CrossReference, content: Content, place: int) -> None:
        start, end = content.place(place), content.end(found.end)
        if isinstance(found, CrossReference):
            flow.add_for(found.text, start, end)
            return
        slot = found.slot and (content.place(found.slot[0]), content.end(found.slot[1]))
        flow.cite(replace(found, start=start, end=end, slot=slot))


# Bibliographies -------------------------------------------------------------------------------------------


def _bibliography(
    files: DraftFiles, draft: PurePath, front: FrontMatter
) -> tuple[list[Reference], list[str], list[str]]:
    """The references that the draft's files define, its .bib files, and what went wrong."""
    named = [files.normal(draft.parent / name) for name in front.bibliographies]
    problems: list[str] = []
    if not named and not front.references and len(beside := files.in_folder(draft.parent, ".bib")) == 1:
        named = beside
        problems.append(f"{files.name(draft)}: names no bibliography; {beside[0].name} beside it is used")
    references = list(front.references)
    for path in named:
        found, wrong = _references(files, path)
        references += found
        problems += wrong
    unique = {reference.key: reference for reference in reversed(references)}
    first_of_each = [reference for reference in references if unique[reference.key] is reference]
    return first_of_each, [files.name(path) for path in named if path.suffix.lower() == ".bib"], problems


def _references(files: DraftFiles, path: PurePath) -> tuple[list[Reference], list[str]]:
    try:
        if path.suffix.lower() in {".yaml", ".yml"}:
            lines = [
                "---",
                *(line for line in read_text(files, path).splitlines() if line not in {"---", "..."}),
                "---",
            ]
            return list(read_front_matter(lines).references), []
        if path.suffix.lower() == ".json":
            return _csl_references(files, path)
        from citewhy.manuscript.bibliography import references  # the BibTeX parser: only where it is needed

        return references(files, [path])
    except CiteWhyError as error:
        return [], [str(error)]


def _csl_references(files: DraftFiles, path: PurePath) -> tuple[list[Reference], list[str]]:
    from citewhy.formats import csl

    name, report = files.name(path), ImportReport()
    items = csl.items_of(read_content(files, path, csl.MAX_CSL), name)
    found = [Reference(paper.id, paper) for paper in csl.papers(items, name, report)]
    return found, [str(problem) for problem in report.skips]

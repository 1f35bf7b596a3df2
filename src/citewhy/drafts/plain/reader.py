"""Plain-text drafts: paragraphs between blank lines, citations and references as printed in a paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Literal

from citewhy.base.records import Manuscript, Paragraph
from citewhy.drafts.files import DISK, DraftFiles
from citewhy.drafts.flow import Flow, FoundCitation, Source, open_source
from citewhy.drafts.placeholders import OPEN_BRACKET, OPEN_ROUND
from citewhy.drafts.plain.headings import (
    heading_height,
    is_known_heading,
    is_underline,
    reference_lines,
    section_name,
)
from citewhy.drafts.plain.reference_list import PrintedList, read_list
from citewhy.text.author_year import PrintedMarker
from citewhy.text.markers import find
from citewhy.text.person import from_inverted

_ABSTRACT_INLINE = re.compile(r"\s*abstract\s*(?:[:.]|[—–-]{1,2})\s*(?=\S)", re.IGNORECASE)
_OPEN_ROUND = re.compile(r"\(\s*(?:\?{1,3}|REF\b[^()\[\]\n]{0,200})\s*\)")
"""Placeholders that are other things in drafts with markup."""

_OPEN_PART = re.compile(r"(?<=[;,])\s{0,3}(?P<slot>\?{1,3}|CITE|TODO)(?=\s{0,3}[;)\]])")
_NAMES = re.compile(r"[^\W\d_][^\d@:()]{3,200}")
_JOINED_LINES = re.compile(r"(?<=[A-Za-z]-)(?:\r\n|\r|\n)[ \t]*(?=[a-z])")
"""A line break in the middle of a compound."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines ``[first, last)`` of the source, none of them blank."""

    first: int
    last: int
    kind: Literal["heading", "text"] = "text"


def read(path: PurePath, files: DraftFiles = DISK) -> Manuscript:
    """Reads a plain-text draft. Raises InputError.

    The first line is the title. References are read from the list at the end, and printed citations are
    resolved to its entries where exactly one fits; a citation without such an entry has no keys and is not
    open. ``[CITE]``, ``[?]``, ``(?)`` and the like are open; their slot is the whole placeholder.
    """
    source, problems = open_source(files, path)
    body_end, list_end = reference_lines(source.lines)
    references = read_list(source.lines[body_end + 1 : list_end])
    reader = _Reader(source, references)
    reader.read(0, body_end)
    reader.read(list_end, len(source.lines))
    return Manuscript(
        path=source.path,
        format="plain",
        title=reader.title.strip(),
        abstract=reader.abstract(),
        authors=reader.authors,
        paragraphs=tuple(reader.paragraphs),
        references=references.references,
        files=(source.path,),
        problems=tuple(problems),
    )


class _Reader:
    """Collects title, authors, abstract and paragraphs from the blocks of a file."""

    def __init__(self, source: Source, references: PrintedList) -> None:
        self.title = ""
        self.authors: tuple[str, ...] = ()
        self.paragraphs: list[Paragraph] = []
        self._source = source
        self._references = references
        self._section = ""
        self._abstract: list[str] = []

    def read(self, first: int, last: int) -> None:
        """Reads lines ``[first, last)``."""
        for block in self._blocks(first, last):
            if not self.title:
                self._take_title(block)
            elif block.kind == "heading":
                self._section = section_name(self._source.lines[block.first])
            elif not self._take_authors(block):
                self._add(block)

    def abstract(self) -> str:
        return " ".join(self._abstract)

    # Blocks -----------------------------------------------------------------------------------------------

    def _blocks(self, first: int, last: int) -> Iterator[_Block]:
        """Headings and runs of text between blank lines, in order."""
        lines = self._source.lines
        start = first
        number = first
        while number < last:
            if not lines[number].strip():
                if start < number:
                    yield _Block(start, number)
                start = number + 1
            elif height := heading_height(lines, number, last):
                if start < number:
                    yield _Block(start, number)
                yield _Block(number, number + 1, "heading")
                start = number + height
                number = start - 1
            number += 1
        if start < last:
            yield _Block(start, last)

    def _take_title(self, block: _Block) -> None:
        """Takes the first line as the title, unless it is the beginning of a paragraph."""
        lines = self._source.lines
        line = lines[block.first].strip()
        following = lines[block.first + 1].strip() if block.first + 1 < block.last else ""
        if _ABSTRACT_INLINE.match(line) or line.endswith((".", ",", ";")) or following[:1].islower():
            self.title = " "
            self._add(block)
        elif block.kind == "heading" and is_known_heading(line):
            self.title = " "
            self._section = section_name(line)
        else:
            self.title = section_name(line) if line.startswith("#") else line
            if following and not is_underline(following):
                rest = _Block(block.first + 1, block.last)
                if not self._take_authors(rest):
                    self._add(rest)

    def _take_authors(self, block: _Block) -> bool:
        """Takes the block as the list of authors if it directly follows the title and consists of names."""
        if (
            self.authors
            or self.paragraphs
            or self._section
            or not self.title.strip()
            or block.last - block.first > 1
        ):
            return False
        line = re.sub(r"[\d*†‡§¹²³⁴⁵]+", "", self._source.lines[block.first]).strip()
        parts = re.split(r"[;,]| (?:and|&) ", " ".join(line.split()))
        names = [name for part in parts if (name := part.strip())]
        if not _NAMES.fullmatch(line) or not all(_is_person(name) for name in names):
            return False
        self.authors = tuple(from_inverted(name) for name in names)
        return True

    # Text -------------------------------------------------------------------------------------------------

    def _add(self, block: _Block) -> None:
        source = self._source
        start = source.starts[block.first]
        end = source.starts[block.last - 1] + len(source.lines[block.last - 1])
        section = self._section
        inline = _ABSTRACT_INLINE.match(source.text, start, end)
        if inline:
            start, section = inline.end(), "Abstract"
        paragraph = self._flow(start, end).paragraph(section)
        if paragraph is None:
            return
        self.paragraphs.append(paragraph)
        if section.casefold() == "abstract":
            self._abstract += [sentence.text for sentence in paragraph.sentences]

    def _flow(self, start: int, end: int) -> Flow:
        flow = Flow(self._source)
        text = self._source.text
        for cited in [*self._cited(start, end), None]:
            stop = cited.start if cited else end
            for piece in _JOINED_LINES.split(text[start:stop]):
                flow.add(piece, start)
                start += len(piece)
                gap = _JOINED_LINES.match(text, start, stop)
                start = gap.end() if gap else start
            if cited:
                flow.cite(cited)
                start = cited.end
        return flow

    def _cited(self, start: int, end: int) -> list[FoundCitation]:
        text = self._source.text[start:end]
        found = [*self._open(text), *(self._printed(marker) for marker in find(text))]
        cited: list[FoundCitation] = []
        for one in sorted((one for one in found if one), key=lambda one: (one.start, -one.end)):
            if not cited or one.start >= cited[-1].end:
                cited.append(one)
        return [_moved(one, start) for one in cited]

    def _open(self, text: str) -> Iterator[FoundCitation]:
        for form in (OPEN_BRACKET, OPEN_ROUND, _OPEN_ROUND):
            for found in form.finditer(text):
                yield _open(found.span(), found[0])
        for found in _OPEN_PART.finditer(text):
            yield _open(found.span("slot"), found["slot"])

    def _printed(self, marker: PrintedMarker) -> FoundCitation | None:
        """A printed citation; None for a number in brackets if the references are not numbered."""
        if marker.kind == "numeric" and self._references.references and not self._references.numbered:
            return None
        keys = (self._references.key(group) for group in marker.groups)
        known = tuple(dict.fromkeys(key for key in keys if key is not None))
        return FoundCitation(marker.start, marker.end, known, False, marker.kind, in_text=marker.in_text)


def _open(span: tuple[int, int], note: str) -> FoundCitation:
    return FoundCitation(*span, (), open=True, command="open", slot=span, note=note)


def _moved(cited: FoundCitation, by: int) -> FoundCitation:
    slot = cited.slot and (cited.slot[0] + by, cited.slot[1] + by)
    return replace(cited, start=cited.start + by, end=cited.end + by, slot=slot)


def _is_person(name: str) -> bool:
    words = name.split()
    return 2 <= len(words) <= 5 and all(
        word[0].isupper() or word in {"van", "von", "de", "der", "la"} for word in words
    )

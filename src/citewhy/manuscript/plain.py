"""Drafts in plain text: paragraphs between blank lines, citations and references as a paper prints them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from citewhy.manuscript.flow import CitedAt, Flow, Source, open_source
from citewhy.manuscript.placeholders import OPEN_BRACKET
from citewhy.manuscript.reference_list import PrintedList, read_list
from citewhy.records import Manuscript, Paragraph
from citewhy.text.markers import PrintedMarker, find
from citewhy.text.person import from_inverted

__all__ = ["read"]

_NUMBER = r"(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,5}\.|[A-Z](?:\.\d{1,2}){1,2}\.?|[A-Z]\.)"
_NUMBERED_HEADING = re.compile(rf"{_NUMBER}\s+(?P<text>[^\W\d_].{{0,100}})")
_KNOWN_HEADING = re.compile(
    rf"(?:{_NUMBER}\s+)?(?P<text>abstract|summary|introduction|background|motivation|related work|"
    r"previous work|methods?|methodology|approach|model|data|experiments?|experimental setup|results?|"
    r"evaluation|discussion|results and discussion|analysis|limitations|conclusions?|future work|"
    r"conclusions? and future work|acknowledge?ments?|ethics statement|appendix(?: [a-z])?)\s*[.:]?",
    re.IGNORECASE,
)
_REFERENCES = re.compile(
    rf"(?:{_NUMBER}\s+)?(?:references|bibliography|works cited|literature(?: cited)?|reference list)\s*:?",
    re.IGNORECASE,
)
_AFTER_REFERENCES = re.compile(
    r"(?:[A-Z]\.?\s+)?(?:appendix|appendices|supplement(?:ary|al)?\b.{0,40}|acknowledge?ments?)"
    r"(?:\s+[A-Z])?(?:[:.]\s.{0,60})?",
    re.IGNORECASE,
)
_ABSTRACT_INLINE = re.compile(r"\s*abstract\s*(?:[:.]|[—–-]{1,2})\s*(?=\S)", re.IGNORECASE)
_UNDERLINE = re.compile(r"\s*([=\-~^*#])\1{2,}\s*")
_OPEN_ROUND = re.compile(
    r"\(\s*(?:\?{1,3}|(?:CITE|CITATION|REF)\b[^()\[\]\n]{0,200}|(?i:citations? (?:needed|missing)))\s*\)"
)
_OPEN_PART = re.compile(r"(?<=[;,])\s{0,3}(?P<slot>\?{1,3}|CITE|TODO)(?=\s{0,3}[;)\]])")
_NAMES = re.compile(r"[^\W\d_][^\d@:()]{3,200}")
_JOINED_LINES = re.compile(r"(?<=[A-Za-z]-)(?:\r\n|\r|\n)[ \t]*(?=[a-z])")
"""A line that ends in the middle of a compound."""
_LONGEST_HEADING = 80
_WORDS_OF_A_HEADING = 9


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines ``[first, last)`` of the source, none of them blank."""

    first: int
    last: int
    kind: Literal["heading", "text"] = "text"


def read(path: str | os.PathLike[str]) -> Manuscript:
    """A draft in plain text. Raises InputError.

    The first line is the title. References are read from the list at the end, and printed citations resolved
    to its entries where one entry fits; a citation without such an entry has no keys and is not open. Open
    are ``[CITE]``, ``[?]``, ``(?)`` and the like, whose slot is all of them.
    """
    source, problems = open_source(path)
    body_end, list_end = _reference_lines(source.lines)
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


def _reference_lines(lines: list[str]) -> tuple[int, int]:
    """The line of the last heading that announces references, and the first line after the list."""
    headings = (n for n in range(len(lines) - 1, -1, -1) if _REFERENCES.fullmatch(_heading_line(lines[n])))
    start = next(headings, len(lines))
    for end in range(start + 1, len(lines)):
        if _AFTER_REFERENCES.fullmatch(lines[end].strip()[:200]) and not lines[end - 1].strip():
            return start, end
    return start, len(lines)


def _heading_line(line: str) -> str:
    return line.strip().strip("#*=").strip() if len(line) <= _LONGEST_HEADING else ""


class _Reader:
    """Walks through the blocks of a file and collects what they are."""

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
                self._section = _section_name(self._source.lines[block.first])
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
            elif height := self._heading(number, last):
                if start < number:
                    yield _Block(start, number)
                yield _Block(number, number + 1, "heading")
                start = number + height
                number = start - 1
            number += 1
        if start < last:
            yield _Block(start, last)

    def _heading(self, number: int, last: int) -> int:
        """How many lines a heading takes that begins in this line; 0 where none does."""
        lines = self._source.lines
        line = lines[number].strip()
        if not 0 < len(line) <= _LONGEST_HEADING:
            return 0
        before = lines[number - 1].strip() if number else ""
        after = lines[number + 1].strip() if number + 1 < last else ""
        if before and not before.endswith((".", "!", "?", ":")):
            return 0
        if after and _UNDERLINE.fullmatch(after) and any(map(str.isalpha, line)):
            return 2
        known = _KNOWN_HEADING.fullmatch(line) is not None
        numbered = _NUMBERED_HEADING.fullmatch(line) is not None and line[-1] not in ".,;:"
        alone = not before and not after and _looks_like_heading(line)
        return int(known or numbered or alone)

    def _take_title(self, block: _Block) -> None:
        """The first line, unless it is the beginning of a paragraph."""
        lines = self._source.lines
        line = lines[block.first].strip()
        following = lines[block.first + 1].strip() if block.first + 1 < block.last else ""
        if _ABSTRACT_INLINE.match(line) or line.endswith((".", ",", ";")) or following[:1].islower():
            self.title = " "
            self._add(block)
        elif block.kind == "heading" and _KNOWN_HEADING.fullmatch(line):
            self.title = " "
            self._section = _section_name(line)
        else:
            self.title = _section_name(line) if line.startswith("#") else line
            if following and not _UNDERLINE.fullmatch(following):
                rest = _Block(block.first + 1, block.last)
                if not self._take_authors(rest):
                    self._add(rest)

    def _take_authors(self, block: _Block) -> bool:
        """Whether the block, right under the title, is a list of authors."""
        if (
            self.authors
            or self.paragraphs
            or self._section
            or not self.title.strip()
            or block.last - block.first > 1
        ):
            return False
        line = re.sub(r"[\d*†‡§¹²³⁴⁵]+", "", self._source.lines[block.first]).strip()
        names = [name for part in re.split(r"\s*[;,]\s*|\s+(?:and|&)\s+", line) if (name := part.strip())]
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

    def _cited(self, start: int, end: int) -> list[CitedAt]:
        text = self._source.text[start:end]
        found = [*self._open(text), *(self._printed(marker) for marker in find(text))]
        cited: list[CitedAt] = []
        for one in sorted((one for one in found if one), key=lambda one: (one.start, -one.end)):
            if not cited or one.start >= cited[-1].end:
                cited.append(one)
        return [_moved(one, start) for one in cited]

    def _open(self, text: str) -> Iterator[CitedAt]:
        for form in (OPEN_BRACKET, _OPEN_ROUND):
            for found in form.finditer(text):
                yield CitedAt(*found.span(), (), open=True, command="open", slot=found.span())
        for found in _OPEN_PART.finditer(text):
            slot = found.span("slot")
            yield CitedAt(*slot, (), open=True, command="open", slot=slot)

    def _printed(self, marker: PrintedMarker) -> CitedAt | None:
        """A printed citation; None for numbers in brackets where the references have no numbers."""
        if marker.kind == "numeric" and self._references.references and not self._references.numbered:
            return None
        keys = (self._references.key(group) for group in marker.groups)
        known = tuple(dict.fromkeys(key for key in keys if key is not None))
        return CitedAt(marker.start, marker.end, known, False, marker.kind, in_text=marker.in_text)


def _moved(cited: CitedAt, by: int) -> CitedAt:
    slot = cited.slot and (cited.slot[0] + by, cited.slot[1] + by)
    return replace(cited, start=cited.start + by, end=cited.end + by, slot=slot)


def _section_name(line: str) -> str:
    line = line.strip().strip("#*=").strip()
    found = _KNOWN_HEADING.fullmatch(line) or _NUMBERED_HEADING.fullmatch(line)
    return found["text"].strip() if found else line.rstrip(":")


def _looks_like_heading(line: str) -> bool:
    """A short line with a capital and without an end, that stands between blank lines."""
    words = line.split()
    if len(words) > _WORDS_OF_A_HEADING or line[-1] in '.,;:?!)]}”"' or not line.strip("#* ")[:1].isupper():
        return False
    return sum(map(str.isalpha, line)) > len(line) / 2 and not re.search(r"[\[\]@|=]|\.\s", line)


def _is_person(name: str) -> bool:
    words = name.split()
    return 2 <= len(words) <= 5 and all(
        word[0].isupper() or word in {"van", "von", "de", "der", "la"} for word in words
    )

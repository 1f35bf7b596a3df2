"""Plain-text drafts: paragraphs between blank lines, citations and references as printed in a paper."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Literal

from citewhy.base.records import Manuscript, Paper, Paragraph, Reference
from citewhy.drafts.files import DISK, DraftFiles
from citewhy.drafts.flow import Flow, FoundCitation, Source, marked, open_source
from citewhy.text.author_year import Group, PrintedMarker
from citewhy.text.headings import (
    heading_height,
    is_known_heading,
    is_underline,
    reference_lines,
    section_name,
)
from citewhy.text.markers import Resolver, find
from citewhy.text.names import surname
from citewhy.text.person import PARTICLES, name_of
from citewhy.text.placeholders import open_marks
from citewhy.text.printed_reference import Parsed, parse
from citewhy.text.tokens import words

_ABSTRACT_INLINE = re.compile(r"\s*abstract\s*(?:[:.]|[—–-]{1,2})\s*(?=\S)", re.IGNORECASE)
_OPEN_ROUND = re.compile(r"\(\s*REF\b\W[^()\[\]\n]{1,200}\)")
"""A placeholder that is another thing in drafts with markup."""

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
        self.authors = tuple(name_of(name) for name in names)
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
        candidates = [*self._open(text), *(self._printed(marker) for marker in find(text))]
        cited: list[FoundCitation] = []
        for one in sorted((one for one in candidates if one), key=lambda one: (one.start, -one.end)):
            if not cited or one.start >= cited[-1].end:
                cited.append(one)
        return [one.moved(start) for one in cited]

    def _open(self, text: str) -> Iterator[FoundCitation]:
        for placeholder in (*open_marks(text), *_OPEN_ROUND.finditer(text)):
            yield marked(placeholder)
        for part in _OPEN_PART.finditer(text):
            yield marked(part, group="slot")

    def _printed(self, marker: PrintedMarker) -> FoundCitation | None:
        """A printed citation; None for a number in brackets if the references are not numbered."""
        if marker.kind == "numeric" and self._references.references and not self._references.numbered:
            return None
        keys = (self._references.key(group) for group in marker.groups)
        known = tuple(dict.fromkeys(key for key in keys if key is not None))
        return FoundCitation(marker.start, marker.end, known, False, marker.kind, in_text=marker.in_text)


def _is_person(name: str) -> bool:
    words = name.split()
    return 2 <= len(words) <= 5 and all(
        word[0].isupper() or word in {"van", "von", "de", "der", "la"} for word in words
    )


# The reference list: its entries, and which of them a printed citation refers to -------------------------

_NUMBER = re.compile(r"\s*(?:\[(?P<square>\d{1,4})\]|(?P<plain>\d{1,3})[.)](?=\s))\s*")
_BULLET = re.compile(r"\A\s*[-*•·‣–]\s+(?=\S)")
_LABEL = re.compile(r"[^\W\d_][^\d()]{0,80}\s?\((?:1[89]|20)\d\d(?P<suffix>[a-z])?\)\s+(?=[^\W\d_a-z])")
"""A label that some converters print before an entry: "Brown et al. (1993) Peter Brown, …"."""
_EMPHASIS = re.compile(r"(?<![\w*])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![\w*])")
_ANY_YEAR = re.compile(r"\b(?:1[89]|20)\d\d[a-z]?\b")
_ENTRY_BEGINS = re.compile(
    rf"(?:(?:{'|'.join(sorted(PARTICLES))})\s){{0,3}}[^\W\d_a-z][\w'’-]+"
    r"(?:,\s+[^\W\d_a-z]|\s+[^\W\d_a-z][\w'’.-]*)"
)
_LONGEST_ENTRY = 3000
_LINES_OF_AN_ENTRY = 8
_SHORTEST_ENTRY = 12


@dataclass(frozen=True, slots=True)
class _Entry:
    number: int | None
    parsed: Parsed
    reference: Reference


class PrintedList:
    """The references of a list, and which of them a citation refers to."""

    def __init__(self, entries: Sequence[_Entry] = ()) -> None:
        self.references = tuple(entry.reference for entry in entries)
        self.numbered = any(entry.number is not None for entry in entries)
        self._by_number = {entry.number: entry.reference.key for entry in reversed(entries)}
        self._suffix = {entry.reference.key: entry.parsed.suffix for entry in entries}
        self._resolver = Resolver(map(_with_unnamed_authors, entries))
        self._by_first_author: dict[tuple[str, int | None], list[str]] = {}
        for entry in entries:
            if entry.parsed.authors:
                first = (surname(entry.parsed.authors[0]), entry.parsed.year)
                self._by_first_author.setdefault(first, []).append(entry.reference.key)

    def key(self, group: Group) -> str | None:
        """The key of the entry that a citation refers to; None if none or more than one fits."""
        if group.number is not None:
            return self._by_number.get(group.number)
        if not group.names:
            return None
        keys = [paper.id for paper in self._resolver.fits(group)]
        if not keys:  # in a list of this length, first author and year are enough
            keys = self._by_first_author.get((surname(group.names[0]), group.year), [])
        if group.suffix:
            keys = [key for key in keys if self._suffix[key] == group.suffix]
        return keys[0] if len(keys) == 1 else None


def _with_unnamed_authors(entry: _Entry) -> Paper:
    """The paper, with placeholders for authors that the entry omits, so that "et al." matches it."""
    paper = entry.reference.paper
    unnamed = ("et al.", "et al.") if entry.parsed.et_al else ()
    return replace(paper, authors=paper.authors + unnamed)


def read_list(lines: Sequence[str]) -> PrintedList:
    """Reads the lines under a heading such as "References".

    The key of a numbered entry is its number, that of any other entry its first author, year and letter. An
    entry in an unknown style may have nothing but its text as the title.
    """
    entries: list[_Entry] = []
    used: set[str] = set()
    for lines_of_entry in _split(lines):
        text = " ".join(" ".join(lines_of_entry).split())[:_LONGEST_ENTRY]
        number = _NUMBER.match(text)
        bare = _EMPHASIS.sub("", text[number.end() :] if number else text)
        if len(bare) < _SHORTEST_ENTRY:
            continue
        parsed = _parsed(bare)
        value = int(number["square"] or number["plain"]) if number else None
        key = _new_key(value, parsed, used)
        paper = Paper(
            key,
            parsed.title or bare,
            authors=parsed.authors,
            year=parsed.year,
            venue=parsed.venue,
            doi=parsed.doi,
            url=parsed.url,
        )
        entries.append(_Entry(value, parsed, Reference(key, paper)))
    return PrintedList(entries)


def _parsed(text: str) -> Parsed:
    label = _LABEL.match(text)
    if label:
        parsed = parse(text[label.end() :])
        if parsed.authors and parsed.year and parsed.title:
            return replace(parsed, suffix=parsed.suffix or label["suffix"] or "")
    return parse(text)


def _new_key(number: int | None, parsed: Parsed, used: set[str]) -> str:
    first = surname(parsed.authors[0]) if parsed.authors else (words(parsed.title) or ["entry"])[0]
    base = (
        str(number) if number is not None else f"{first.replace(' ', '')}{parsed.year or ''}{parsed.suffix}"
    )
    key, again = base, 1
    while key in used:
        again += 1
        key = f"{base}-{again}"
    used.add(key)
    return key


# Where entries begin --------------------------------------------------------------------------------------


def _split(lines: Sequence[str]) -> list[list[str]]:
    """The lines of each entry, separated by numbers, blank lines, indents or typical first lines."""
    kept = [line for line in lines if line.strip()]
    if not kept:
        return []
    if sum(_BULLET.match(line) is not None for line in kept) * _LINES_OF_AN_ENTRY > len(kept):
        bullets = _cut(kept, lambda line, _: _BULLET.match(line) is not None)
        return [[_BULLET.sub("", entry[0], count=1), *entry[1:]] for entry in bullets]
    first = _NUMBER.match(kept[0])
    if first:
        form = "square" if first["square"] else "plain"
        return _cut(
            kept, lambda line, _: (number := _NUMBER.match(line)) is not None and number[form] is not None
        )
    blocks = _blocks(lines)
    if len(blocks) > 1 and max(map(len, blocks)) <= _LINES_OF_AN_ENTRY:
        return blocks
    if not kept[0][0].isspace() and any(line[0].isspace() for line in kept):
        return _cut(kept, lambda line, _: not line[0].isspace())
    return _cut(kept, _begins_entry)


def _blocks(lines: Sequence[str]) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _cut(lines: Sequence[str], begins: Callable[[str, list[str]], bool]) -> list[list[str]]:
    entries: list[list[str]] = []
    for line in lines:
        if not entries or begins(line, entries[-1]):
            entries.append([])
        entries[-1].append(line)
    return entries


def _begins_entry(line: str, before: list[str]) -> bool:
    """Whether a line starts with a name, after an entry that has a year and seems complete."""
    ended = before[-1].rstrip().endswith((".", ")", "]")) or "http" in before[-1]
    return ended and _ENTRY_BEGINS.match(line) is not None and any(map(_ANY_YEAR.search, before))

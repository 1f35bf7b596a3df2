"""Running text: from characters and citations with their positions to the sentences of a draft."""

from __future__ import annotations

import bisect
import itertools
import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePath

from citewhy.base.import_report import Problem
from citewhy.base.records import DraftSentence, Marker, Paragraph, Place
from citewhy.drafts.files import DraftFiles, read_text
from citewhy.text.placeholders import is_answered, reads_as_a_word
from citewhy.text.sentences import spans

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_LINE_END = re.compile(r"\r\n?|\n")
_CLOSING = frozenset(",.;:!?)]}’”")
_EMPTY_BRACKET = re.compile(r" ?\((?:[ ,;&]|\b(?:see|also|and|e\.g\.|cf\.))*\Z")
_LONGEST_REST = 40
_SHOWN_IN_TEXT, _SHOWN_IN_BRACKETS = "Smith", "[1]"
"""The sentence splitter sees these instead of a citation; neither is in the result."""


class Source:
    """The text of a file and its lines. `path` is the name of the file in records."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        ends = list(_LINE_END.finditer(text))
        self.starts = [0, *(end.end() for end in ends)]
        """Offsets of the starts of the lines."""
        self.lines = [
            text[start:end]
            for start, end in zip(self.starts, [*(end.start() for end in ends), len(text)], strict=True)
        ]
        """The lines without line ends."""

    def line_of(self, position: int) -> int:
        return bisect.bisect_right(self.starts, position)

    def place(self, start: int, end: int) -> Place:
        return Place(self.path, start, end, self.line_of(start))


def open_source(files: DraftFiles, path: PurePath) -> tuple[Source, list[str]]:
    """The text of a draft that is one file, and a problem if it is not UTF-8. Raises InputError."""
    name = files.name(path)
    problems: list[str] = []
    text = read_text(files, path, notice=lambda line, why: problems.append(str(Problem(name, line, why))))
    return Source(name, text), problems


def first_year(text: str) -> int | None:
    """Returns the first year from 1900 to 2099 in a date, a title or a file name; None if there is none."""
    year = _YEAR.search(text)
    return int(year[0]) if year else None


def abstract_of(paragraphs: Iterable[Paragraph]) -> str:
    """Returns the text under a heading "Abstract"."""
    abstracts = (paragraph for paragraph in paragraphs if paragraph.section.casefold() == "abstract")
    return " ".join(sentence.text for paragraph in abstracts for sentence in paragraph.sentences)


@dataclass(frozen=True, slots=True)
class FoundCitation:
    """A citation that is not yet part of a sentence (see `records.Marker`), with offsets in the source."""

    start: int
    end: int
    keys: tuple[str, ...]
    open: bool
    command: str
    slot: tuple[int, int] | None = None
    in_text: bool = False
    note: str = ""

    def moved(self, by: int) -> FoundCitation:
        """The citation `by` characters further behind."""
        slot = self.slot and (self.slot[0] + by, self.slot[1] + by)
        return replace(self, start=self.start + by, end=self.end + by, slot=slot)


def marked(mark: re.Match[str], command: str = "open", group: str | int = 0) -> FoundCitation:
    """The open citation for a placeholder in a text, or a `group` of it, which an edit replaces."""
    whole = mark.span(group)
    return FoundCitation(*whole, (), open=True, command=command, slot=whole, note=mark[group])


class Flow:
    """A paragraph under construction, to which text and citations are added in order."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._characters: list[str] = []
        self._starts, self._ends = array("q"), array("q")
        """Tells what each character represents in the source."""
        self._cited: list[tuple[int, FoundCitation]] = []
        """The citations, each with the number of characters before it."""

    def add(self, text: str, start: int) -> None:
        """Adds text that is at `start` in the source, character by character."""
        self._characters += text
        self._starts.extend(range(start, start + len(text)))
        self._ends.extend(range(start + 1, start + len(text) + 1))

    def add_for(self, text: str, start: int, end: int) -> None:
        """Adds text, such as ``MATH``, that represents characters ``[start, end)`` of the source."""
        self._characters += text
        self._starts.extend([start] * len(text))
        self._ends.extend([end] * len(text))

    def cite(self, cited: FoundCitation) -> None:
        """Adds a citation; a note that the citation before it answers is left out."""
        before = self._cited[-1][1] if self._cited and cited.open and not cited.keys else None
        if before and is_answered(cited.note, before.keys, self._source.text[before.end : cited.start]):
            return
        self._cited.append((len(self._characters), cited))

    @property
    def cites(self) -> bool:
        return bool(self._cited)

    def text(self) -> str:
        """The plain text without citations."""
        origin = self._shown()[1]
        return self._sentence(origin).text if origin else ""

    def paragraph(self, section: str = "", *, aside: bool = False) -> Paragraph | None:
        """The paragraph; None if it has neither text nor citations. `aside` as in `Paragraph`."""
        self._cited = [(position, self._as_read(position, cited)) for position, cited in self._cited]
        shown, origin = self._shown()
        parts = self._keep_trailing_citations(shown, origin)
        sentences = tuple(self._sentence(origin[start:end]) for start, end in parts)
        return Paragraph(sentences, section, aside) if sentences else None

    def _as_read(self, position: int, cited: FoundCitation) -> FoundCitation:
        """A placeholder without a key is part of the sentence if its surroundings say so."""
        if not cited.open or cited.keys or cited.in_text:
            return cited
        before = "".join(self._characters[max(position - _LONGEST_REST, 0) : position])
        after = "".join(self._characters[position : position + _LONGEST_REST])
        return replace(cited, in_text=reads_as_a_word(before, after))

    def _shown(self) -> tuple[str, array[int]]:
        """The text with placeholders for citations, and the origin of each of its characters.

        An origin is the index of a character, or -1 - i for the placeholder of citation i.
        """
        pieces: list[str] = []
        origin = array("q")
        done = 0
        for number, (position, cited) in enumerate(self._cited):
            pieces += self._characters[done:position]
            origin.extend(range(done, position))
            done = position
            placeholder = _SHOWN_IN_TEXT if cited.in_text else _SHOWN_IN_BRACKETS
            pieces.append(placeholder)
            origin.extend([-1 - number] * len(placeholder))
        pieces += self._characters[done:]
        origin.extend(range(done, len(self._characters)))
        return "".join(pieces), origin

    def _keep_trailing_citations(self, shown: str, origin: array[int]) -> list[tuple[int, int]]:
        """The sentences as ranges of `shown`; a citation between two sentences belongs to the first.

        In "It works. [@key] We go on." the citation supports the first sentence; in "It works. [@key] goes
        on." it begins the second, which has no capital of its own.
        """
        kept: list[tuple[int, int]] = []
        for start, end in spans(shown):
            begin = last = start
            while (
                kept and begin < end and origin[begin] < 0 and not self._cited[-1 - origin[begin]][1].in_text
            ):
                last = begin = begin + len(_SHOWN_IN_BRACKETS)
                while begin < end and shown[begin].isspace():
                    begin += 1
            if shown[begin:end][:1].islower():
                begin = start
            elif last > start:
                kept[-1] = (kept[-1][0], last)
            if begin < end:
                kept.append((begin, end))
        return kept

    def _sentence(self, items: array[int]) -> DraftSentence:
        out: list[str] = []
        citations: list[tuple[int, FoundCitation]] = []
        cuts: list[tuple[int, int]] = []
        """Where text was removed again: the number of citations until then, and the remaining length."""
        characters = self._characters
        after_citation = False
        for item in items:
            if item < 0:
                cited = self._cited[-1 - item][1]
                if not citations or citations[-1][1] is not cited:
                    citations.append((len(out), cited))
                after_citation = True
                continue
            character = characters[item]
            if character.isspace():
                if out and out[-1] != " ":
                    out.append(" ")
                continue
            if after_citation and out[-1:] == [" "] and character in _CLOSING:
                out.pop()  # "as shown [@key]." is "as shown."
                cuts.append((len(citations), len(out)))
            after_citation = (
                character == ")" and bool(citations) and _drop_empty_bracket(out, citations[-1][0])
            )
            if after_citation:  # as if the whole bracket were the citation
                cuts.append((len(citations), len(out)))
                continue
            out.append(character)
        text = "".join(out).rstrip()
        offsets = _offsets([offset for offset, _ in citations], [*cuts, (len(citations), len(text))])
        markers = tuple(
            self._marker(cited, offset) for (_, cited), offset in zip(citations, offsets, strict=True)
        )
        starts = (self._starts[item] for item in items if item >= 0)
        ends = (self._ends[item] for item in items if item >= 0)
        start = min(itertools.chain(starts, (cited.start for _, cited in citations)))
        end = max(itertools.chain(ends, (cited.end for _, cited in citations)))
        return DraftSentence(text, self._source.place(start, end), markers)

    def _marker(self, cited: FoundCitation, offset: int) -> Marker:
        place = self._source.place(cited.start, cited.end)
        whole = cited.slot == (cited.start, cited.end)
        return Marker(
            place=place,
            keys=cited.keys,
            open=cited.open,
            offset=offset,
            command=cited.command,
            slot=place if whole else None if cited.slot is None else self._source.place(*cited.slot),
            in_text=cited.in_text,
            note=cited.note,
        )


def _drop_empty_bracket(out: list[str], cited: int) -> bool:
    """Removes an open bracket from the end of a text if it contained nothing but the citation at `cited`."""
    tail = "".join(out[-_LONGEST_REST:])
    opened = _EMPTY_BRACKET.search(tail)
    if opened is None or cited <= len(out) - len(tail) + opened.start():
        return False
    del out[len(out) - len(tail) + opened.start() :]
    return True


def _offsets(offsets: list[int], cuts: list[tuple[int, int]]) -> list[int]:
    """The offsets of citations, none of them after the text that remains where parts were removed."""
    left = [*offsets, 0]
    for count, length in cuts:
        left[count - 1] = min(left[count - 1], length)
    lowest = max(offsets, default=0)
    for number in range(len(offsets) - 1, -1, -1):
        lowest = left[number] = min(lowest, left[number])
    return left[:-1]

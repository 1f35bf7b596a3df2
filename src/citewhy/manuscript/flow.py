"""Running text with its places: from characters and citations in order to sentences of a draft."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass
from pathlib import PurePath

from citewhy.formats.report import Problem
from citewhy.manuscript.files import DraftFiles, read_text
from citewhy.records import DraftSentence, Marker, Paragraph, Place
from citewhy.text.sentences import spans

__all__ = ["CitedAt", "Flow", "Source", "open_source"]

_LINE_END = re.compile(r"\r\n?|\n")
_CLOSING = frozenset(",.;:!?)]}’”")
_EMPTY_BRACKET = re.compile(r" ?\((?:[ ,;&]|\b(?:see|also|and|e\.g\.|cf\.))*\Z")
_LONGEST_REST = 40
_SHOWN_IN_TEXT, _SHOWN_IN_BRACKETS = "Smith", "[1]"
"""What the sentence splitter sees of a citation; neither is in the result."""


class Source:
    """A file's text, with its lines. `path` is what places name as their file."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        ends = list(_LINE_END.finditer(text))
        self.starts = [0, *(end.end() for end in ends)]
        """Where lines start."""
        self.lines = [
            text[start:end]
            for start, end in zip(self.starts, [*(end.start() for end in ends), len(text)], strict=True)
        ]
        """Lines without their ends."""

    def line_of(self, position: int) -> int:
        return bisect.bisect_right(self.starts, position)

    def place(self, start: int, end: int) -> Place:
        return Place(self.path, start, end, self.line_of(start))


def open_source(files: DraftFiles, path: PurePath) -> tuple[Source, list[str]]:
    """A draft of one file, and a sentence where it is not UTF-8. Raises InputError."""
    name = files.name(path)
    problems: list[str] = []
    text = read_text(files, path, notice=lambda line, why: problems.append(str(Problem(name, line, why))))
    return Source(name, text), problems


@dataclass(frozen=True, slots=True)
class CitedAt:
    """A citation before it has a sentence; its numbers are characters of the source. See `records.Marker`."""

    start: int
    end: int
    keys: tuple[str, ...]
    open: bool
    command: str
    slot: tuple[int, int] | None = None
    in_text: bool = False


class Flow:
    """A paragraph under construction: text and citations are added in their order."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._characters: list[str] = []
        self._places: list[tuple[int, int]] = []
        self._cited: list[tuple[int, CitedAt]] = []
        """Citations with the number of characters before them."""

    def add(self, text: str, start: int) -> None:
        """Text that stands at `start` of the source as it is."""
        self._characters += text
        self._places += [(place, place + 1) for place in range(start, start + len(text))]

    def add_for(self, text: str, start: int, end: int) -> None:
        """Text that stands for characters ``[start, end)`` of the source, such as ``MATH``."""
        self._characters += text
        self._places += [(start, end)] * len(text)

    def cite(self, cited: CitedAt) -> None:
        self._cited.append((len(self._characters), cited))

    @property
    def cites(self) -> bool:
        return bool(self._cited)

    def text(self) -> str:
        """The plain text, without citations."""
        origin = self._shown()[1]
        return self._sentence(origin).text if origin else ""

    def paragraph(self, section: str = "") -> Paragraph | None:
        """The paragraph's sentences; None where there is neither text nor citation."""
        shown, origin = self._shown()
        parts = self._keep_trailing_citations(shown, origin)
        sentences = tuple(self._sentence(origin[start:end]) for start, end in parts)
        return Paragraph(sentences, section) if sentences else None

    def _shown(self) -> tuple[str, list[int]]:
        """The text with placeholders, and for each of its characters what it is.

        A character's number from 0; for a placeholder -1 minus the number of its citation.
        """
        pieces: list[str] = []
        origin: list[int] = []
        done = 0
        for number, (place, cited) in enumerate(self._cited):
            pieces += self._characters[done:place]
            origin += range(done, place)
            done = place
            placeholder = _SHOWN_IN_TEXT if cited.in_text else _SHOWN_IN_BRACKETS
            pieces.append(placeholder)
            origin += [-1 - number] * len(placeholder)
        pieces += self._characters[done:]
        origin += range(done, len(self._characters))
        return "".join(pieces), origin

    def _keep_trailing_citations(self, shown: str, origin: list[int]) -> list[tuple[int, int]]:
        """Sentences, with citations in brackets moved from one's beginning to the end of the one before.

        "It works. [@key] We go on.": what stands between two sentences supports the first.
        """
        kept: list[tuple[int, int]] = []
        for start, end in spans(shown):
            begin = start
            while (
                kept and begin < end and origin[begin] < 0 and not self._cited[-1 - origin[begin]][1].in_text
            ):
                begin += len(_SHOWN_IN_BRACKETS)
                kept[-1] = (kept[-1][0], begin)
                while begin < end and shown[begin].isspace():
                    begin += 1
            if begin < end:
                kept.append((begin, end))
        return kept

    def _sentence(self, items: list[int]) -> DraftSentence:
        out: list[str] = []
        found: list[tuple[int, CitedAt]] = []
        cuts: list[tuple[int, int]] = []
        """Where text was taken back: citations until then, and the length that was left."""
        places: list[tuple[int, int]] = []
        after_citation = False
        for item in items:
            if item < 0:
                cited = self._cited[-1 - item][1]
                if not found or found[-1][1] is not cited:
                    found.append((len(out), cited))
                    places.append((cited.start, cited.end))
                after_citation = True
                continue
            character = self._characters[item]
            places.append(self._places[item])
            if character.isspace():
                if out and out[-1] != " ":
                    out.append(" ")
                continue
            if after_citation and out[-1:] == [" "] and character in _CLOSING:
                out.pop()  # "as shown [@key]." is "as shown."
                cuts.append((len(found), len(out)))
            after_citation = character == ")" and bool(found) and _drop_empty_bracket(out, found[-1][0])
            if after_citation:  # as if the whole bracket had been the citation
                cuts.append((len(found), len(out)))
                continue
            out.append(character)
        text = "".join(out).rstrip()
        offsets = _offsets([offset for offset, _ in found], [*cuts, (len(found), len(text))])
        markers = tuple(
            self._marker(cited, offset) for (_, cited), offset in zip(found, offsets, strict=True)
        )
        start, end = min(start for start, _ in places), max(end for _, end in places)
        return DraftSentence(text, self._source.place(start, end), markers)

    def _marker(self, cited: CitedAt, offset: int) -> Marker:
        return Marker(
            place=self._source.place(cited.start, cited.end),
            keys=cited.keys,
            open=cited.open,
            offset=offset,
            command=cited.command,
            slot=None if cited.slot is None else self._source.place(*cited.slot),
            in_text=cited.in_text,
        )


def _drop_empty_bracket(out: list[str], cited: int) -> bool:
    """Takes an opened bracket off the end of a text if a citation at `cited` was all that it said."""
    tail = "".join(out[-_LONGEST_REST:])
    opened = _EMPTY_BRACKET.search(tail)
    if opened is None or cited <= len(out) - len(tail) + opened.start():
        return False
    del out[len(out) - len(tail) + opened.start() :]
    return True


def _offsets(offsets: list[int], cuts: list[tuple[int, int]]) -> list[int]:
    """Places in a text of which parts were taken back, none behind what was left."""
    left = [*offsets, 0]
    for count, length in cuts:
        left[count - 1] = min(left[count - 1], length)
    lowest = max(offsets, default=0)
    for number in range(len(offsets) - 1, -1, -1):
        lowest = left[number] = min(lowest, left[number])
    return left[:-1]

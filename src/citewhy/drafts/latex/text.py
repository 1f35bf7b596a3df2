"""Running text gathered from tokens, and its sentences with their positions in several files."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from citewhy.base.records import DraftSentence, Marker, Paragraph, Place
from citewhy.drafts.flow import Source
from citewhy.text.placeholders import is_answered, reads_as_a_word
from citewhy.text.sentences import spans

MakeMarker = Callable[["WrittenCitation", int], Marker]

_CLOSING = (",", ".", ";", ":", "!", "?", ")", "]", "’", "”")
_AROUND = 40
"""Characters on each side of a placeholder that tell whether it is a part of its sentence."""

_SHOWN_IN_TEXT = "Smith"
"""The sentence splitter sees this instead of a citation in the text; it is not in the result."""


@dataclass(frozen=True, slots=True)
class WrittenCitation:
    """A citation as written, before it is known which keys are defined."""

    source: Source
    start: int
    end: int
    keys: tuple[str, ...]
    """They are as written, including empty ones and placeholders."""
    command: str
    slot: tuple[Source, int, int] | None
    in_text: bool = False
    is_open: bool = False
    """True for ``\\citeneeded`` and the like, regardless of the keys."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Piece:
    """Text from characters ``[start, end)`` of a file; `offset` is its start in the text of the flow."""

    offset: int
    length: int
    source: Source
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A complete piece of text: a paragraph, a heading, a row of a table."""

    number: int
    """Reading order: a footnote comes after the paragraph that contains it, although it ends first."""
    section: str
    text: str
    pieces: tuple[_Piece, ...]
    cited: tuple[tuple[int, WrittenCitation], ...]
    is_one_sentence: bool = False
    aside: bool = False
    """See `records.Paragraph`."""

    def paragraph(self, marker: MakeMarker) -> Paragraph:
        """The paragraph; `marker` makes the record of a citation from its offset in the sentence."""
        parts = [(0, len(self.text))] if self.is_one_sentence or not self.text else self._split()
        starts = [start for start, _ in parts]
        cited_in: list[list[tuple[int, WrittenCitation]]] = [[] for _ in parts]
        for offset, cited in self.cited:
            # A citation between two sentences supports the first, unless it is the first word of the second.
            after = bisect.bisect_right if cited.in_text else bisect.bisect_left
            number = max(after(starts, offset) - 1, 0)
            cited_in[number + self._begins_the_next(offset, starts[number + 1 :])].append((offset, cited))
        offsets = [piece.offset for piece in self.pieces]
        return Paragraph(
            tuple(
                self._sentence(start, end, cited, offsets, marker)
                for (start, end), cited in zip(parts, cited_in, strict=True)
                if end > start or cited
            ),
            self.section,
            self.aside,
        )

    def _begins_the_next(self, offset: int, starts: Sequence[int]) -> bool:
        """Whether a citation is directly before a sentence, of those that begin at `starts`, that has no
        capital: natbib's ``\\cite`` is a part of its sentence where it stands like one."""
        between = self.text[offset : starts[0]] if starts else "."
        return not between.strip() and self.text[starts[0]].islower()

    def _split(self) -> list[tuple[int, int]]:
        """Spans of the sentences; the splitter sees a name in place of each citation in the text."""
        shown: list[str] = []
        begins: list[int] = []  # of the names, in the text that the splitter sees
        origins: list[int] = []  # of the names, in the passage's text
        lengths = [0]  # total length of the names before
        done = length = 0
        for offset, cited in self.cited:
            if cited.in_text:
                name = f" {_SHOWN_IN_TEXT}" if offset else f"{_SHOWN_IN_TEXT} "
                shown += [self.text[done:offset], name]
                begins.append(length + offset - done)
                origins.append(offset)
                lengths.append(lengths[-1] + len(name))
                length = begins[-1] + len(name)
                done = offset
        shown.append(self.text[done:])

        def own(position: int) -> int:
            names = bisect.bisect_right(begins, position)
            return max(position - lengths[names], origins[names - 1] if names else 0)

        return [(own(start), own(end)) for start, end in spans("".join(shown))] or [(0, len(self.text))]

    def _sentence(
        self,
        start: int,
        end: int,
        cited: Sequence[tuple[int, WrittenCitation]],
        offsets: Sequence[int],
        marker: MakeMarker,
    ) -> DraftSentence:
        text = self.text[start:end]
        start += len(text) - len(text.lstrip())
        text = text.strip()
        markers = tuple(marker(one, min(max(offset - start, 0), len(text))) for offset, one in cited)
        return DraftSentence(text, self._place(start, start + len(text), cited, offsets), markers)

    def _place(
        self, start: int, end: int, cited: Sequence[tuple[int, WrittenCitation]], offsets: Sequence[int]
    ) -> Place:
        """The span from the first character or citation to the last one in the same file."""
        first = max(bisect.bisect_right(offsets, start) - 1, 0)
        last = bisect.bisect_left(offsets, end)
        covered = [_part(piece, start, end) for piece in self.pieces[first:last]]
        covered += [(one.source, one.start, one.end) for _, one in cited]
        source = covered[0][0]
        begin = min(a for file, a, _ in covered if file is source)
        return Place(
            source.path, begin, max(b for file, _, b in covered if file is source), source.line_of(begin)
        )


def _part(piece: _Piece, start: int, end: int) -> tuple[Source, int, int]:
    """The part of a piece for characters ``[start, end)`` of the text; all of it if lengths differ."""
    if piece.length != piece.end - piece.start:
        return piece.source, piece.start, piece.end
    cut_before = max(start - piece.offset, 0)
    cut_behind = max(piece.offset + piece.length - end, 0)
    return piece.source, piece.start + cut_before, piece.end - cut_behind


_ASIDES = frozenset({"aside", "row", "discarded"})
"""Kinds of flows that interrupt the running text."""


class TextFlow:
    """Text under construction. White space is collapsed; citations leave none behind."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        """See `gather.Gatherer`."""
        self._begin()

    def _begin(self) -> None:
        self.number: int | None = None
        """`Passage.number`, set at the first text or citation."""
        self._parts: list[str] = []
        self._length = 0
        self._pieces: list[_Piece] = []
        self._cited: list[tuple[int, WrittenCitation]] = []
        self._space = False
        self._after_gap = self._after_formula = False

    @property
    def is_empty(self) -> bool:
        return not self._parts and not self._cited

    @property
    def cites(self) -> bool:
        return bool(self._cited)

    def add(self, text: str, source: Source, start: int, end: int) -> None:
        """Adds text, without white space at its ends, from characters ``[start, end)`` of a file."""
        if not text:
            return
        if self._after_formula and text[0].isalnum():
            self._space = True
        if self._space and self._length and not (self._after_gap and text.startswith(_CLOSING)):
            self._parts.append(" ")
            self._length += 1
        self._space = self._after_gap = self._after_formula = False
        self._parts.append(text)
        self._pieces.append(_Piece(self._length, len(text), source, start, end))
        self._length += len(text)

    def add_formula(self, text: str, source: Source, start: int, end: int) -> None:
        """Adds ``MATH`` as a separate word: "Japanese$\\to$English" has three words."""
        if self._parts and self._parts[-1][-1:].isalnum():
            self._space = True
        self.add(text, source, start, end)
        self._after_formula = True

    def separate(self, sign: str) -> None:
        """Adds a control character that separates names or parts of a reference."""
        self._parts.append(sign)
        self._length += len(sign)
        self._space = False

    def space(self) -> None:
        self._space = True

    def gap(self) -> None:
        """Marks something without text: "in Figure \\ref{a}." becomes "in Figure."."""
        self._after_gap = True

    def cite(self, cited: WrittenCitation) -> None:
        """Adds a citation; a note that the citation before it answers is left out."""
        before = self._cited[-1][1] if self._cited and cited.is_open else None
        if before is not None and before.source is cited.source:
            between = cited.source.text[before.end : cited.start]
            if is_answered(cited.note, before.keys, between):
                self.gap()
                return
        self._cited.append((self._length, cited))
        self.gap()

    def text(self) -> str:
        return "".join(self._parts)

    def take(self, section: str, *, is_one_sentence: bool = False) -> Passage | None:
        """The passage gathered so far, if any; the flow starts again."""
        passage = None
        if not self.is_empty and self.number is not None:
            pieces = tuple(self._pieces)
            text = self.text()
            cited = tuple((offset, _as_read(text, offset, one)) for offset, one in self._cited)
            passage = Passage(
                self.number, section, text, pieces, cited, is_one_sentence, self.kind in _ASIDES
            )
        self._begin()
        return passage


def _as_read(text: str, offset: int, cited: WrittenCitation) -> WrittenCitation:
    """A ``[CITE]`` or ``\\citeneeded`` is part of the sentence if its surroundings say so."""
    if not cited.is_open or cited.in_text:
        return cited
    before, after = text[max(offset - _AROUND, 0) : offset], text[offset : offset + _AROUND]
    return replace(cited, in_text=reads_as_a_word(before, after))

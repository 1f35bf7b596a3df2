"""Running text with citations as numbered sentences, and what they cite."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from citewhy.base.records import CitingSentence, Sentence
from citewhy.text.markers import mask
from citewhy.text.sentences import spans

__all__ = ["Flow", "FullTextBuilder", "Mark"]

_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_ONE_BREATH = re.compile(r"[\s;,&]*+(?:and\s*+)?")
_OPENING, _CLOSING = "([", ")]"


class Mark(NamedTuple):
    """A printed citation: characters ``[start, end)`` of a text, and the references that it refers to."""

    start: int
    end: int
    keys: tuple[str, ...]


class Flow:
    """Text under construction, with single spaces, and the positions of its citations."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._marks: list[Mark] = []

    def write(self, text: str) -> None:
        text = _BLANKS.sub(" ", text)
        if not self._length or self._pieces[-1].endswith(" "):
            text = text.removeprefix(" ")
        if text:
            self._pieces.append(text)
            self._length += len(text)

    def cite(self, text: str, keys: Sequence[str]) -> None:
        """Appends the text of a citation, separated from one that ends directly before it."""
        if self._marks and self._marks[-1].end == self._length:
            self.write(" ")
        start = self._length
        self.write(text)
        if self._length > start:
            self._marks.append(Mark(start, self._length, tuple(keys)))

    def whole(self) -> list[tuple[str, list[Mark]]]:
        """All of the text as one sentence; none if it is empty."""
        text = "".join(self._pieces)
        return self._cut(text, [(0, len(text.rstrip()))] if text.strip() else [])

    def sentences(self) -> list[tuple[str, list[Mark]]]:
        """The sentences, each with the positions of its citations."""
        text = "".join(self._pieces)
        return self._cut(text, spans(text))

    def _cut(self, text: str, places: Sequence[tuple[int, int]]) -> list[tuple[str, list[Mark]]]:
        marks = iter(self._marks)
        mark = next(marks, None)
        sentences = []
        for start, end in places:
            inside: list[Mark] = []
            while mark is not None and mark.start < end:
                if mark.start >= start:
                    inside.append(Mark(mark.start - start, min(mark.end, end) - start, mark.keys))
                mark = next(marks, None)
            sentences.append((text[start:end], inside))
        return sentences


class FullTextBuilder:
    """The sentences of a paper in reading order; number 0 is reserved for its title."""

    def __init__(self, title: str) -> None:
        self.sentences = [Sentence(0, "title", title)] if title else []
        self.citing: list[CitingSentence] = []
        self._next = 1
        self._paragraph: int | None = None

    def begin_paragraph(self) -> None:
        """The sentences that are added from now on are of a new paragraph."""
        self._paragraph = 0 if self._paragraph is None else self._paragraph + 1

    def add(self, section: str, sentences: Sequence[tuple[str, Sequence[Mark]]]) -> None:
        for text, marks in sentences:
            self.sentences.append(Sentence(self._next, section, text, self._paragraph))
            if any(mark.keys for mark in marks):
                self.citing.append(CitingSentence(self._next, section, tuple(_pieces(text, marks))))
            self._next += 1

    def text_of(self, section: str) -> str:
        return " ".join(sentence.text for sentence in self.sentences if sentence.section == section)


def _pieces(text: str, marks: Sequence[Mark]) -> Iterator[str | tuple[str, ...]]:
    """Text and keys alternately. Brackets stay in the text; works that are cited together are one piece."""
    keys: tuple[str, ...] = ()
    end = 0
    for mark in marks:
        start, stop = _without_brackets(text, mark)
        if keys and _ONE_BREATH.fullmatch(text, end, start):
            keys += mark.keys
        else:
            if keys:
                yield keys
            yield mask(text[end:start])
            keys = mark.keys
        end = stop
        if not keys:  # a citation without an entry in the list
            yield mask(text[start:stop])
    if keys:
        yield keys
    yield mask(text[end:])


def _without_brackets(text: str, mark: Mark) -> tuple[int, int]:
    start, end = mark.start, mark.end
    while start < end and text[start] in _OPENING:
        start += 1
    piece = text[start:end]
    while end > start and text[end - 1] in _CLOSING and _unbalanced(piece):
        end -= 1
        piece = text[start:end]
    return start, end


def _unbalanced(text: str) -> bool:
    return sum(text.count(c) for c in _CLOSING) > sum(text.count(c) for c in _OPENING)

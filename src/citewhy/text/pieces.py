"""The pieces that an edit wrote into a text, found and taken back where the author has gone on writing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citewhy.text.source import decode

_AROUND = ((80, 80), (80, 0), (0, 80), (20, 20))
"""Characters before and after a piece by which it is known: the author may have written on either side."""

_KNOWN_ALONE = 60
"""Characters of a piece, such as an entry, that is known without what is around it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A text that replaces the characters ``[start, end)`` of the text before an edit."""

    start: int
    end: int
    text: str


def without(now: bytes, before: bytes | None, pieces: Sequence[Piece]) -> tuple[bytes | None, list[int]]:
    """A file as it is `now` without the pieces of the edit that changed it from `before`, with what they
    replaced in their place (None: the edit made the file, and nothing is left of it); and the lines of pieces
    that are not there as they were written, or more than once. Pieces that the author has taken back are
    not missed. `pieces` are sorted, and do not overlap."""
    old, (text, encoding) = decode(before or b"")[0], decode(now)
    after, starts = _after(old, pieces)
    spans: list[tuple[int, int, str]] = []
    lost = []
    for piece, start in zip(pieces, starts, strict=True):
        end, replaced = start + len(piece.text), old[piece.start : piece.end]
        around = _AROUND if len(piece.text) < _KNOWN_ALONE else (*_AROUND, (0, 0))
        found = _found(text, after, start, end, around)
        if found is not None:
            spans.append((found, found + len(piece.text), replaced))
        elif not _is_back(text, old, piece):
            lost.append(after.count("\n", 0, start + len(piece.text) - len(piece.text.lstrip())) + 1)
    spans.sort()
    position, parts = 0, []
    for start, end, replaced in spans:
        parts += [text[position:start], replaced]
        position = end
    rest = "".join([*parts, text[position:]])
    return (None if before is None and not rest.strip() else rest.encode(encoding)), lost


def _after(old: str, pieces: Sequence[Piece]) -> tuple[str, list[int]]:
    """The text after the edit, and where its pieces begin in it."""
    position, length = 0, 0
    parts, starts = [], []
    for piece in pieces:
        parts += [old[position : piece.start], piece.text]
        starts.append(length + piece.start - position)
        length = starts[-1] + len(piece.text)
        position = piece.end
    return "".join([*parts, old[position:]]), starts


def _found(text: str, known: str, start: int, end: int, around: Sequence[tuple[int, int]]) -> int | None:
    """Where `text` has the characters ``[start, end)`` of the text `known`, with what is around them on one
    side at least; None if nowhere, or in more than one place."""
    for left, right in around:
        first = max(start - left, 0)
        wanted = known[first : end + right]
        if wanted and text.count(wanted) == 1 == known.count(wanted):
            found = text.index(wanted)
            cut = [found] * (not left) + [found + len(wanted)] * (not right)
            if not any(_goes_on(text, position) for position in cut):
                return found + start - first
    return None


def _goes_on(text: str, position: int) -> bool:
    """Whether a word, or a key, goes on across a position."""
    around = text[max(position - 1, 0) : position + 1]
    return len(around) == 2 and all(char.isalnum() or char in "_-:" for char in around)


def _is_back(text: str, old: str, piece: Piece) -> bool:
    """Whether the author has restored what a piece replaced, between what was around it. Where it replaced
    nothing at an end of the text, nothing like it may be there."""
    at_end = piece.start == 0 or piece.end == len(old)
    if at_end and piece.start == piece.end and piece.text.strip().partition("\n")[0] in text:
        return False
    both = [sides for sides in _AROUND if all(sides)]
    return _found(text, old, piece.start, piece.end, both) is not None

"""Unified diffs of files whose edits are known: only the lines around the edits are compared."""

from __future__ import annotations

import bisect
import difflib
import itertools
from collections.abc import Callable, Iterator, Sequence

__all__ = ["unified_diff"]

_CONTEXT_LINES = 3

Span = tuple[int, int]
Replaced = Callable[[int, int], str]


def unified_diff(text: str, edits: Sequence[Span], replaced: Replaced) -> Iterator[str]:
    """The hunks of the diff, without the two lines that name the files.

    `edits` are the spans of `text` that change, sorted; ``replaced(start, end)`` returns the new text for a
    span whose borders no edit crosses. A bibliography of 100,000 lines is compared around new entries only.
    """
    lines = text.split("\n")
    starts = [0]
    for line in lines[:-1]:
        starts.append(starts[-1] + len(line) + 1)
    if starts[-1] < len(text):
        starts.append(len(text))
    shift = 0
    for first, last in _line_ranges(edits, starts):
        old = _lines(text[starts[first] : starts[last]])
        new = _lines(replaced(starts[first], starts[last]))
        yield from _hunk(old, new, first, shift, at_end=last == len(starts) - 1)
        shift += len(new) - len(old)


def _line_ranges(edits: Sequence[Span], starts: list[int]) -> list[Span]:
    """Ranges ``[first, last)`` of lines (from 0) around the edits, with context; joined where adjacent."""
    count = len(starts) - 1
    ranges: list[Span] = []
    for start, end in edits:
        first = max(bisect.bisect_right(starts, start) - 1 - _CONTEXT_LINES, 0)
        # An edit may end where a line ends: the next line then joins it.
        last = min(bisect.bisect_right(starts, end) + _CONTEXT_LINES, count)
        if ranges and first <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(last, ranges[-1][1]))
        else:
            ranges.append((min(first, last), last))
    return ranges


def _hunk(old: list[str], new: list[str], first: int, shift: int, *, at_end: bool) -> Iterator[str]:
    """One hunk: `old` lines start at line `first` (from 0); `shift` lines were added above them."""
    if old == new:
        return
    # patch(1) takes a hunk with less context on one side for one at that end of the file: each side gets as
    # much as there is, up to the same width. Among lines that repeat, the matcher alone would not see to it.
    above = _common(old, new, _CONTEXT_LINES) if at_end else 0
    below = _common(old[above:][::-1], new[above:][::-1], _CONTEXT_LINES)
    above = _common(old[: len(old) - below], new[: len(new) - below])
    below = _common(old[above:][::-1], new[above:][::-1])
    start, end = max(above - _CONTEXT_LINES, 0), max(below - _CONTEXT_LINES, 0)
    above, below, first = above - start, below - end, first + start
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    old_start = first + 1 if old else first
    new_start = first + shift + 1 if new else first + shift
    yield f"@@ -{old_start},{len(old)} +{new_start},{len(new)} @@\n"
    yield from (_marked(" ", line) for line in old[:above])
    inner, made = old[above : len(old) - below], new[above : len(new) - below]
    for operation, a, b, c, d in difflib.SequenceMatcher(None, inner, made, autojunk=False).get_opcodes():
        if operation == "equal":
            yield from (_marked(" ", line) for line in inner[a:b])
        else:
            yield from (_marked("-", line) for line in inner[a:b])
            yield from (_marked("+", line) for line in made[c:d])
    yield from (_marked(" ", line) for line in old[len(old) - below :])


def _common(left: list[str], right: list[str], most: int | None = None) -> int:
    """Number of lines that both begin with, at most `most`."""
    pairs = zip(left[:most], right, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _marked(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """Lines with their ends; only a line feed ends one, as in every diff tool."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]

"""A unified diff for people: of long lines, such as a paragraph on a single line, what changes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from itertools import accumulate

_TOKEN = re.compile(r"\S+\s*|\s+")
_NEAR = 40
"""Characters between two changes up to which they are shown together."""

_ALIKE = 0.5
"""Minimum share of common words of a line and the one that replaces it."""

_MOST = 20_000
"""Tokens of a line above which its changes are shown as one."""

Span = tuple[int, int]


def excerpted(diff: str, width: int) -> str:
    """The diff with lines of at most `width` columns, where the changes themselves are no longer: a long line
    is shown around each of its changes, and cut if it does not change. What changes is never cut."""
    return "".join(
        part
        for removed, added, other in _groups(diff.splitlines(keepends=True))
        for part in (_changed(removed, added, width) if removed or added else [_cut(other, width)])
    )


def _groups(lines: list[str]) -> Iterator[tuple[list[str], list[str], str]]:
    """Removed lines with the added ones that follow them; or else another line."""
    removed: list[str] = []
    added: list[str] = []
    for line in lines:
        if line.startswith("\\") and (added or removed):
            (added or removed)[-1] += line
        elif line.startswith("-") and not line.startswith("--- "):
            if added:
                yield removed, added, ""
                removed, added = [], []
            removed.append(line)
        elif line.startswith("+") and not line.startswith("+++ "):
            added.append(line)
        else:
            if removed or added:
                yield removed, added, ""
                removed, added = [], []
            yield [], [], line
    if removed or added:
        yield removed, added, ""


def _changed(removed: list[str], added: list[str], width: int) -> Iterator[str]:
    if max(map(len, removed + added)) <= width + 1:
        yield from (*removed, *added)
        return
    for old, new in _pairs(removed, added):
        before, after = (line[1:].partition("\n")[0] for line in (old, new))
        if not (old and new) or max(len(before), len(after)) < width or before == after:
            yield from (old, new)
            continue
        for here, there in _changes(before, after):
            room = (width - 3 - max(here[1] - here[0], there[1] - there[0])) // 2
            yield f"-{_around(before, here, room)}\n"
            yield f"+{_around(after, there, room)}\n"


def _pairs(removed: list[str], added: list[str]) -> Iterator[tuple[str, str]]:
    """Each removed line with the added one that replaces it, in their order; an empty one where there is
    none."""
    position = 0
    for old in removed:
        alike = (n for n in range(position, len(added)) if _are_alike(old, added[n]))
        number = next(alike, None)
        if number is None:
            yield old, ""
            continue
        yield from (("", new) for new in added[position:number])
        yield old, added[number]
        position = number + 1
    yield from (("", new) for new in added[position:])


def _are_alike(old: str, new: str) -> bool:
    matcher = difflib.SequenceMatcher(None, _TOKEN.findall(old), _TOKEN.findall(new), autojunk=False)
    return matcher.quick_ratio() >= _ALIKE


def _changes(old: str, new: str) -> Iterator[tuple[Span, Span]]:
    """The spans of both lines that differ, in whole words; those near each other are one."""
    words, others = _TOKEN.findall(old), _TOKEN.findall(new)
    ends = [0, *accumulate(map(len, words))], [0, *accumulate(map(len, others))]
    if max(len(words), len(others)) > _MOST:
        yield (0, len(old)), (0, len(new))
        return
    joined: list[tuple[Span, Span]] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, words, others, autojunk=False).get_opcodes():
        here, there = (ends[0][a], ends[0][b]), (ends[1][c], ends[1][d])
        if kind == "equal":
            continue
        if joined and here[0] - joined[-1][0][1] <= _NEAR:
            here, there = (joined[-1][0][0], here[1]), (joined.pop()[1][0], there[1])
        joined.append((here, there))
    yield from joined


def _around(line: str, change: Span, room: int) -> str:
    """A change with up to `room` characters on each side of it, in whole words."""
    starts = [0, *accumulate(len(token) for token in _TOKEN.findall(line))]
    first = next(start for start in starts if start >= change[0] - max(room, 0) or start == change[0])
    last = next(end for end in reversed(starts) if end <= change[1] + max(room, 0) or end == change[1])
    head, tail = "…" if first else "", "…" if last < len(line) else ""
    return f"{head}{line[first:last]}{tail}"


def _cut(line: str, width: int) -> str:
    """A line that does not change, in at most `width` columns; those that name files are kept."""
    if len(line) <= width + 1 or not line.startswith(" "):
        return line
    return f"{line[: width - 1].rstrip()}…\n"

"""The lines of an Org file: metadata, headings, and the blocks that hold running text."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass

from citewhy.drafts.flow import Source

_KEYWORD = re.compile(r"[ \t]*#\+(?P<name>[\w-]+)(?:\[[^\]\n]*\])?:[ \t]*(?P<value>.*)")
_BEGIN = re.compile(r"[ \t]*#\+begin_(?P<name>[\w-]+)", re.IGNORECASE)
_HEADING = re.compile(
    r"(?P<stars>\*+)[ \t]+(?:(?:TODO|DONE|NEXT|WAITING)[ \t]+)?(?:\[#\w\][ \t]+)?(?P<text>.*)"
)
_TAGS = re.compile(r":[\w@#%:]+:")
_ITEM = re.compile(r"[ \t]*(?:[-+]|\d{1,3}[.)]|(?<=[ \t])\*)[ \t]+(?:\[[ X-]\][ \t]+)?(?=\S)")
_NOTE = re.compile(r"\[fn:[\w-]+\][ \t]*")
_DRAWER = re.compile(r"[ \t]*:[\w-]+:[ \t\r]*$")
_PLANNING = re.compile(r"\A[ \t]*(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):")
_COMMENT = re.compile(r"\A[ \t]*#(?:[ \t\r]|$)")
_FIXED = re.compile(r"\A[ \t]*:(?:[ \t\r]|$)")
_RULE = re.compile(r"\A[ \t]*(?:-{5,}|\|[-+|]*\|?)[ \t\r]*$")
_TEXT_BLOCKS = frozenset({"abstract", "quote", "center", "verse", "theorem", "proof", "definition", "lemma"})
_SPACE = " \t\r"
_NOT_EXPORTED = frozenset({"noexport", "COMMENT", "ARCHIVE"})


@dataclass(frozen=True, slots=True)
class Block:
    """Running text between offsets of the source, or a heading of a `level` above 0."""

    start: int
    end: int
    section: str = ""
    """The name of the special block that the text is in, such as ``abstract``."""
    level: int = 0
    aside: bool = False
    """Whether it is a caption or a row of a table."""


class Metadata:
    """The values of ``#+NAME: value`` lines, in order."""

    def __init__(self) -> None:
        self._values: dict[str, list[str]] = {}

    def add(self, name: str, value: str) -> None:
        self._values.setdefault(name.lower(), []).append(value)

    def values(self, name: str) -> list[str]:
        return [value for value in self._values.get(name, []) if value]


def read_blocks(source: Source, metadata: Metadata) -> Iterator[Block]:
    """The headings and the paragraphs of a file, in order; `metadata` is filled on the way. Code, examples,
    comments, drawers, and parts that are not exported are left out."""
    lines, starts = source.lines, source.starts
    ends = _ends(lines)
    text_from: int | None = None
    special: list[str] = []
    hidden = 0  # the level of a heading that is not exported
    number = 0

    def so_far(line: int) -> Iterator[Block]:
        nonlocal text_from
        if text_from is not None:
            last = line - 1
            yield Block(text_from, starts[last] + len(lines[last]), special[-1] if special else "")
        text_from = None

    while number < len(lines):
        line = lines[number]
        heading = _HEADING.match(line)
        if heading:
            yield from so_far(number)
            special.clear()
            level = len(heading["stars"])
            text, tags = _text_and_tags(heading["text"])
            if not hidden or level <= hidden:
                comment = text.startswith("COMMENT")
                hidden = level if comment or not _NOT_EXPORTED.isdisjoint(tags) else 0
            if not hidden:
                start = starts[number] + heading.start("text")
                yield Block(start, start + len(text), "", level)
        elif hidden or not line.strip():
            yield from so_far(number)
        elif begin := _BEGIN.match(line):
            yield from so_far(number)
            name = begin["name"].lower()
            if name in _TEXT_BLOCKS:
                special.append(name)
            else:
                number = _block_end(ends, number, f"#+end_{name}")
        elif line.lstrip().lower().startswith("#+end_"):
            yield from so_far(number)
            del special[-1:]
        elif keyword := _KEYWORD.match(line):
            yield from so_far(number)
            value = keyword["value"].rstrip(_SPACE)
            metadata.add(keyword["name"], value)
            if keyword["name"].lower() == "caption":
                start = starts[number] + keyword.start("value")
                yield Block(start, start + len(value), aside=True)
        elif _DRAWER.match(line):
            yield from so_far(number)
            number = _block_end(ends, number, ":end:")
        elif any(each.match(line) for each in (_COMMENT, _FIXED, _RULE, _PLANNING)):
            yield from so_far(number)
        elif line.lstrip().startswith("|"):
            yield from so_far(number)
            yield Block(starts[number], starts[number] + len(line), aside=True)
        elif item := _ITEM.match(line) or _NOTE.match(line):
            yield from so_far(number)
            text_from = starts[number] + item.end()
        elif text_from is None:
            text_from = starts[number]
        number += 1
    yield from so_far(len(lines))


def _text_and_tags(heading: str) -> tuple[str, list[str]]:
    """The text of a heading, and the tags at its end."""
    text = heading.rstrip(_SPACE)
    *_, last = text.rsplit(None, 1)[-1:] or [""]
    if not _TAGS.fullmatch(last) or not text[: -len(last)].endswith((" ", "\t")):
        return text, []
    return text[: -len(last)].rstrip(_SPACE), last.split(":")


def _ends(lines: list[str]) -> dict[str, list[int]]:
    """The lines that end blocks and drawers, by what they say."""
    found: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        last = line.strip().lower()
        if last.startswith(("#+end_", ":end:")):
            found.setdefault(last, []).append(number)
    return found


def _block_end(ends: dict[str, list[int]], number: int, last: str) -> int:
    """The line that ends the block that begins at line `number`; that line itself if none does."""
    of_this = ends.get(last, [])
    place = bisect.bisect_right(of_this, number)
    return of_this[place] if place < len(of_this) else number

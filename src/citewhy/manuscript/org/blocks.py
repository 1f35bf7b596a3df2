"""The lines of an Org file: metadata, headings, and the blocks that hold running text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from citewhy.manuscript.flow import Source

__all__ = ["Block", "Metadata", "read_blocks"]

_KEYWORD = re.compile(r"[ \t]*#\+(?P<name>[\w-]+)(?:\[[^\]\n]*\])?:[ \t]*(?P<value>.*?)[ \t\r]*$")
_BEGIN = re.compile(r"[ \t]*#\+begin_(?P<name>[\w-]+)", re.IGNORECASE)
_HEADING = re.compile(
    r"(?P<stars>\*+)[ \t]+(?:(?:TODO|DONE|NEXT|WAITING)[ \t]+)?(?:\[#\w\][ \t]+)?(?P<text>.*?)"
    r"(?:[ \t]+(?P<tags>:[\w@#%:]+:))?[ \t\r]*$"
)
_ITEM = re.compile(r"[ \t]*(?:[-+]|\d{1,3}[.)]|(?<=[ \t])\*)[ \t]+(?:\[[ X-]\][ \t]+)?(?=\S)")
_NOTE = re.compile(r"\[fn:[\w-]+\][ \t]*")
_DRAWER = re.compile(r"[ \t]*:[\w-]+:[ \t\r]*$")
_PLANNING = re.compile(r"[ \t]*(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):")
_COMMENT = re.compile(r"[ \t]*#(?:[ \t\r]|$)")
_FIXED = re.compile(r"[ \t]*:(?:[ \t\r]|$)")
_RULE = re.compile(r"[ \t]*(?:-{5,}|\|[-+|]*\|?)[ \t\r]*$")
_TEXT_BLOCKS = frozenset({"abstract", "quote", "center", "verse", "theorem", "proof", "definition", "lemma"})
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
            tags = set((heading["tags"] or "").split(":"))
            if not hidden or level <= hidden:
                comment = heading["text"].startswith("COMMENT")
                hidden = level if comment or not _NOT_EXPORTED.isdisjoint(tags) else 0
            if not hidden:
                yield Block(
                    starts[number] + heading.start("text"), starts[number] + heading.end("text"), "", level
                )
        elif hidden or not line.strip():
            yield from so_far(number)
        elif begin := _BEGIN.match(line):
            yield from so_far(number)
            name = begin["name"].lower()
            if name in _TEXT_BLOCKS:
                special.append(name)
            else:
                number = _block_end(lines, number, f"#+end_{name}")
        elif line.lstrip().lower().startswith("#+end_"):
            yield from so_far(number)
            del special[-1:]
        elif keyword := _KEYWORD.match(line):
            yield from so_far(number)
            metadata.add(keyword["name"], keyword["value"])
            if keyword["name"].lower() == "caption":
                start, end = (starts[number] + place for place in keyword.span("value"))
                yield Block(start, end, aside=True)
        elif _DRAWER.match(line):
            yield from so_far(number)
            number = _block_end(lines, number, ":end:")
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


def _block_end(lines: list[str], number: int, last: str) -> int:
    """The line that ends the block that begins at line `number`; that line itself if none does."""
    ends = (n for n in range(number + 1, len(lines)) if lines[n].strip().lower() == last)
    return next(ends, number)

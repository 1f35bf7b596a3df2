"""The text of a Markdown block, and where its characters stand in the source.

The parser keeps lines of blocks but no places inside them; the lines are found again here.
"""

from __future__ import annotations

import bisect
import re

from citewhy.manuscript.flow import Source

__all__ = ["Content", "find_cell", "find_lines"]


class Content:
    """A block's text, and where its characters stand in the source. `heading` is ``h1`` … for headings."""

    def __init__(self, text: str, lines: list[int], heading: str = "") -> None:
        """`lines` are the places in the source where the lines of `text` begin."""
        self.text = text
        self.heading = heading
        self._places = lines
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def place(self, position: int) -> int:
        """Where the character at `position` of the content stands in the source."""
        line = bisect.bisect_right(self._starts, position) - 1
        return self._places[line] + position - self._starts[line]

    def part(self, start: int, text: str) -> Content:
        """A part of the content, `text`, that begins at `start`."""
        starts = [0, *(found.end() for found in re.finditer("\n", text))]
        return Content(text, [self.place(start + line) for line in starts])

    def end(self, position: int) -> int:
        """As `place`, for the end of something."""
        return self.place(position - 1) + 1 if position > 0 else self.place(position)


def find_lines(source: Source, text: str, first: int, last: int) -> list[int]:
    """Where the lines of a block's text begin, which is in source lines ``[first, last)``."""
    places: list[int] = []
    line = first
    for part in text.split("\n"):
        columns = ((number, _column(source.lines[number], part)) for number in range(line, last))
        number, column = next(((n, c) for n, c in columns if c is not None), (min(line, last - 1), 0))
        places.append(source.starts[number] + column)
        line = number + 1
    return places


def _column(line: str, part: str) -> int | None:
    """Where `part`, a line of a block, begins in its source line: the source may have marks before it."""
    line = line.replace("\0", "\ufffd")
    bare = part.rstrip()
    if line.rstrip().endswith(bare):
        return len(line.rstrip()) - len(bare)
    bare = part.strip()  # tabs before it were made spaces
    found = line.rfind(bare)
    return found - (len(part) - len(part.lstrip())) if found >= 0 else None


def find_cell(line: str, cell: str, column: int) -> tuple[str, int]:
    """A table's cell as it is written (the parser takes the backslash from ``\\|``), and its column."""
    written = cell.replace("|", "\\|")
    found = line.replace("\0", "\ufffd").find(written, column)
    return (written, found) if found >= 0 else ("", column)

"""The text of a Markdown block, and the positions of its characters in the source.

The parser records the lines of a block but no positions in them: they are recovered here.
"""

from __future__ import annotations

import bisect
import re

from citewhy.drafts.flow import Source


class Content:
    """The text of a block, with the positions of its characters. `tag` is ``h1`` … for headings."""

    def __init__(self, text: str, lines: list[int], tag: str = "") -> None:
        """`lines` are the offsets in the source at which the lines of `text` begin."""
        self.text = text
        self.tag = tag
        self._places = lines
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def place(self, position: int) -> int:
        """The offset in the source of the character at `position`."""
        line = bisect.bisect_right(self._starts, position) - 1
        return self._places[line] + position - self._starts[line]

    def part(self, start: int, text: str) -> Content:
        """The part of the content that begins at `start` and has the text `text`."""
        starts = [0, *(found.end() for found in re.finditer("\n", text))]
        return Content(text, [self.place(start + line) for line in starts])

    def end(self, position: int) -> int:
        """The offset in the source of the end of a span that ends at `position`."""
        return self.place(position - 1) + 1 if position > 0 else self.place(position)


def find_lines(source: Source, text: str, first: int, last: int) -> list[int]:
    """The offsets at which the lines of a block begin, whose text is in source lines ``[first, last)``."""
    places: list[int] = []
    line = first
    for part in text.split("\n"):
        columns = ((number, _column(source.lines[number], part)) for number in range(line, last))
        number, column = next(((n, c) for n, c in columns if c is not None), (min(line, last - 1), 0))
        places.append(source.starts[number] + column)
        line = number + 1
    return places


def _column(line: str, part: str) -> int | None:
    """The column at which `part`, a line of a block, begins in its source line, after any block markup."""
    line = line.replace("\0", "\ufffd")
    bare = part.rstrip()
    if line.rstrip().endswith(bare):
        return len(line.rstrip()) - len(bare)
    bare = part.strip()  # the parser replaced leading tabs by spaces
    found = line.rfind(bare)
    return found - (len(part) - len(part.lstrip())) if found >= 0 else None


def find_cell(line: str, cell: str, column: int) -> tuple[str, int]:
    """A table cell as written (the parser removes the backslash from ``\\|``), and its column."""
    written = cell.replace("|", "\\|")
    found = line.replace("\0", "\ufffd").find(written, column)
    return (written, found) if found >= 0 else ("", column)

"""Line numbers of positions in a text."""

from __future__ import annotations


class LineNumbers:
    """The numbers of the lines of a text, asked for in ascending order of positions: together in linear
    time."""

    def __init__(self, text: str, first: int = 1) -> None:
        """`first` is the number of the first line."""
        self._text = text
        self._line = first
        self._place = 0

    def at(self, position: int) -> int:
        """The line of the character at `position`, which is not before that of the last call."""
        self._line += self._text.count("\n", self._place, position)
        self._place = max(self._place, position)
        return self._line

"""Line numbers of places in a text."""

from __future__ import annotations


class LineNumbers:
    """The numbers of the lines of a text, asked for in ascending order of places: together in linear time."""

    def __init__(self, text: str, first: int = 1) -> None:
        """`first` is the number of the first line."""
        self._text = text
        self._line = first
        self._place = 0

    def at(self, place: int) -> int:
        """The line of the character at `place`, which is not before that of the last call."""
        self._line += self._text.count("\n", self._place, place)
        self._place = max(self._place, place)
        return self._line

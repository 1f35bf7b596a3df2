"""Numbers in texts from anywhere."""

from __future__ import annotations

MOST_DIGITS = 9
"""Python refuses to convert thousands of digits, and takes long for hundreds of thousands."""


def small_number(text: str) -> int | None:
    """The number that a text of 1 to `MOST_DIGITS` ASCII digits is; None for any other text.

    >>> small_number("012"), small_number("²"), small_number("9" * 5000)
    (12, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None

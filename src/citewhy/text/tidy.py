"""Text from files on one line: for records and for messages."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SHOWN = 60

MAX_VALUE = 1 << 20
"""Maximum number of characters of a value: a title, an abstract, all authors of a paper, a sentence."""


def tidy(text: str) -> str:
    """The text with control characters, line ends and runs of spaces replaced by single spaces."""
    if text.isprintable() and "  " not in text and text == text.strip():
        return text  # true of most values, and fast
    return " ".join(_CONTROL.sub(" ", text).split())


def in_one_direction(text: str) -> str:
    """The text without characters that change the direction of writing (Unicode Standard Annex 9, table 4):
    in an entry they would show authors and titles in another order than the one they have."""
    return text if text.isascii() else _DIRECTION.sub("", text)


def shorten(text: str) -> str:
    """A value for an error message: one line of at most 60 characters, without control characters."""
    clean = text[: 2 * _SHOWN]
    if not clean.isprintable():
        clean = "".join(c if c.isprintable() else " " for c in clean)
    short = " ".join(clean.split())
    return short if len(short) <= _SHOWN else short[: _SHOWN - 1] + "…"

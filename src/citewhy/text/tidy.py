"""Text from files on one line: for records and for messages."""

from __future__ import annotations

import re

__all__ = ["shorten", "tidy"]

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_SHOWN = 60


def tidy(text: str) -> str:
    """The text with control characters, line ends and runs of spaces replaced by single spaces."""
    if text.isprintable() and "  " not in text and text == text.strip():
        return text  # true of most values, and fast
    return " ".join(_CONTROL.sub(" ", text).split())


def shorten(text: str) -> str:
    """A value for an error message: one line of at most 60 characters, without control characters."""
    clean = "".join(c if c.isprintable() else " " for c in text[: 2 * _SHOWN])
    short = " ".join(clean.split())
    return short if len(short) <= _SHOWN else short[: _SHOWN - 1] + "…"

"""Foreign text on one line: for records, and for sentences to people."""

from __future__ import annotations

import re

__all__ = ["shorten", "tidy"]

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_SHOWN = 60


def tidy(text: str) -> str:
    """The text without control characters, line ends and doubled spaces."""
    if text.isprintable() and "  " not in text and text == text.strip():
        return text  # most values, at the speed of C
    return " ".join(_CONTROL.sub(" ", text).split())


def shorten(text: str) -> str:
    """A value as an error message may show it: one line, not too long, nothing that a terminal obeys."""
    clean = "".join(c if c.isprintable() else " " for c in text[: 2 * _SHOWN])
    short = " ".join(clean.split())
    return short if len(short) <= _SHOWN else short[: _SHOWN - 1] + "…"

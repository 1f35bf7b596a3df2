"""Lines for a terminal of 80 columns."""

from __future__ import annotations

import textwrap

__all__ = ["WIDTH", "clean", "shortened", "wrapped"]

WIDTH = 80


def wrapped(text: str, first: str = "", rest: str | None = None) -> list[str]:
    """Lines that fit the screen; `first` indents the first one, `rest` (None: as `first`) the others. No
    lines for an empty text."""
    return textwrap.wrap(
        clean(text), WIDTH, initial_indent=first, subsequent_indent=first if rest is None else rest
    )


def clean(text: str, indent: str = "") -> str:
    """One line: line breaks and control characters in foreign data do not reach the terminal."""
    return indent + " ".join("".join(c if c.isprintable() else " " for c in text).split())


def shortened(text: str, limit: int) -> str:
    """One line of at most `limit` characters, cut between words."""
    return textwrap.shorten(clean(text), limit, placeholder="…")

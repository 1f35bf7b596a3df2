"""Lines that fit a terminal, and how they look on it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

WIDTH = 80

STYLES = {"strong": "\ue000", "key": "\ue002", "end": "\ue00f"}
"""Characters that begin and end a style. They are not printable, so that `clean` text has none."""


@dataclass(frozen=True, slots=True)
class Look:
    """How answers are shown."""

    width: int = WIDTH
    """Columns of the terminal."""
    styles: bool = False
    """Whether parts of lines are marked with `STYLES`."""
    verbose: bool = False
    """Whether all reasons are shown, and suggestions that are hardly probable."""


PLAIN = Look()


def wrapped(text: str, first: str = "", rest: str | None = None, width: int = WIDTH) -> list[str]:
    """Lines of at most `width` columns; `first` indents the first one, `rest` (None: as `first`) the others.
    No lines for an empty text."""
    return textwrap.wrap(
        clean(text), width, initial_indent=first, subsequent_indent=first if rest is None else rest
    )


def folded(text: str, indent: str = "", rest: str = "  ", width: int = WIDTH) -> list[str]:
    """Lines of at most `width` columns, those after the first with `rest` after the `indent`; paths are not
    broken, so that they can be copied."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent + rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def clean(text: str, indent: str = "") -> str:
    """One line: line breaks and control characters in foreign data do not reach the terminal."""
    return indent + " ".join("".join(c if c.isprintable() else " " for c in text).split())


def shortened(text: str, limit: int) -> str:
    """One line of at most `limit` characters, cut between words."""
    return textwrap.shorten(clean(text), limit, placeholder="…")


def styled(line: str, style: str, look: Look) -> str:
    """A line, or a part of one, in a style; indents and unstyled output stay as they are."""
    bare = line.lstrip()
    if not look.styles or not bare:
        return line
    return f"{line[: len(line) - len(bare)]}{STYLES[style]}{bare}{STYLES['end']}"

"""Lines that fit a terminal, and how they look on it."""

from __future__ import annotations

import os
import textwrap
from dataclasses import dataclass
from pathlib import Path

from citewhy.base.records import Place

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
    """Whether whole sentences and all reasons are shown, and suggestions that are hardly probable."""


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


def cut_in_the_middle(name: str, limit: int) -> str:
    """A name of at most `limit` characters: its beginning and its end.

    >>> cut_in_the_middle("DBLP:conf/naacl/DevlinCLT19", 12)
    'DBLP:c…CLT19'
    """
    half = (limit - 1) // 2
    return name if len(name) <= limit else f"{name[: limit - 1 - half]}…{name[len(name) - half :]}"


def around(text: str, mark: str, limit: int) -> str:
    """One line of at most `limit` characters, cut between words: what stands before `mark`, and some of what
    follows; the beginning of a text without the mark."""
    line = clean(text)
    gap = line.rfind(mark)
    if len(line) <= limit or gap < 0:
        return shortened(line, limit)
    head, tail = line[: gap + len(mark)], line[gap + len(mark) :]
    after = shortened(tail, max(limit // 4, limit - len(head), 1)) if len(tail) > 1 else tail
    after = f" {after}" if tail.startswith(" ") else after
    room = limit - len(after)
    if len(head) > room:
        head = head[len(head) - room + 1 :]
        head = f"…{head.partition(' ')[2] or head}"
    return head + after


def located(place: Place) -> str:
    """The file and line of a place, so that terminals and editors open it: the path from the working folder,
    unless the whole path is shorter."""
    return f"{clean(from_here(place.file))}:{place.line}"


def from_here(name: str) -> str:
    """The name of a file as seen from the working folder, if that is not longer."""
    return min(os.path.relpath(name), name, key=len) if Path(name).is_absolute() else name


def styled(line: str, style: str, look: Look) -> str:
    """A line, or a part of one, in a style; indents and unstyled output stay as they are."""
    bare = line.lstrip()
    if not look.styles or not bare:
        return line
    return f"{line[: len(line) - len(bare)]}{STYLES[style]}{bare}{STYLES['end']}"

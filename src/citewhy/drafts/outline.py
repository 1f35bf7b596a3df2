"""The outline of a draft: the headings of its files, with their levels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LATEX_LEVELS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")

_LATEX = re.compile(
    rf"^[^%\n]{{0,200}}?\\(?P<level>{'|'.join(_LATEX_LEVELS)})\*?(?:\[[^\]]{{0,500}}\])?"
    r"\{(?P<title>(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\}){1,500})\}",
    re.MULTILINE,
)
_HASHES = re.compile(r"^ {0,3}(?P<level>#{1,6})[ \t]+(?P<title>[^\n]{1,500}?)[ \t#]*\r?$", re.MULTILINE)
_EQUALS = re.compile(r"^[ \t]*(?P<level>={1,6})[ \t]+(?P<title>[^\n]{1,500}?)[ \t]*\r?$", re.MULTILINE)
_STARS = re.compile(r"^(?P<level>\*{1,8})[ \t]+(?P<title>[^\n]{1,500}?)[ \t]*\r?$", re.MULTILINE)

_PATTERNS = {"latex": _LATEX, "markdown": _HASHES, "typst": _EQUALS, "org": _STARS}

_FENCE = re.compile(r"^ {0,3}(```++|~~~++)[^\n]*+\n.*?(?:^ {0,3}\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_LABEL = re.compile(r"\\label\{[^{}]*\}|\{#[^{}]*\}[ \t]*$|<[\w:.-]+>[ \t]*$")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?|[{}]")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a file: characters from 0, lines from 1."""

    title: str
    level: int
    """From 1; of LaTeX, a chapter is 2 and a section 3, whichever of them the draft has."""
    offset: int
    line: int


def outline(format_name: str, text: str) -> list[Heading]:
    """The headings of a file in a format of drafts, in its order; none of formats that mark none."""
    pattern = _PATTERNS.get(format_name)
    return [] if pattern is None else list(_headings(pattern, text, format_name))


def _headings(pattern: re.Pattern[str], text: str, format_name: str) -> Iterator[Heading]:
    code = [match.span() for match in _FENCE.finditer(text)] if format_name == "markdown" else []
    line, counted = 1, 0
    for match in pattern.finditer(text):
        at = match.start("level") - (format_name == "latex")
        if any(start <= at < end for start, end in code):
            continue
        line, counted = line + text.count("\n", counted, at), at
        written = match["level"]
        level = _LATEX_LEVELS.index(written) + 1 if format_name == "latex" else len(written)
        title = _LABEL.sub("", match["title"])
        if format_name == "markdown":
            title = title.rstrip(" #")
        if format_name == "latex":
            title = _COMMAND.sub("", title.replace("~", " "))
        if title := " ".join(title.split()):
            yield Heading(title, level, at, line)

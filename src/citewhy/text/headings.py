"""Headings and the reference list of a plain-text draft."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = r"(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,5}\.|[A-Z](?:\.\d{1,2}){1,2}\.?|[A-Z]\.)"
_NUMBERED_HEADING = re.compile(rf"{_NUMBER}\s+(?P<text>[^\W\d_].{{0,100}})")
_KNOWN_HEADING = re.compile(
    rf"(?:{_NUMBER}\s+)?(?P<text>abstract|summary|introduction|background|motivation|related work|"
    r"previous work|methods?|methodology|approach|model|data|experiments?|experimental setup|results?|"
    r"evaluation|discussion|results and discussion|analysis|limitations|conclusions?|future work|"
    r"conclusions? and future work|acknowledge?ments?|ethics statement|appendix(?: [a-z])?)\s*[.:]?",
    re.IGNORECASE,
)
_REFERENCES = re.compile(
    rf"(?:{_NUMBER}\s+)?(?:references|bibliography|works cited|literature(?: cited)?|reference list)\s*:?",
    re.IGNORECASE,
)
_AFTER_REFERENCES = re.compile(
    r"(?:[A-Z]\.?\s+)?(?:appendix|appendices|supplement(?:ary|al)?\b.{0,40}|acknowledge?ments?)"
    r"(?:\s+[A-Z])?(?:[:.]\s.{0,60})?",
    re.IGNORECASE,
)
_UNDERLINE = re.compile(r"\s*([=\-~^*#])\1{2,}\s*")
_LONGEST_HEADING = 80
_MOST_WORDS = 9


def reference_lines(lines: Sequence[str]) -> tuple[int, int]:
    """The line of the last heading such as "References", and the first line after the list under it."""
    headings = (n for n in range(len(lines) - 1, -1, -1) if _REFERENCES.fullmatch(_heading_line(lines[n])))
    start = next(headings, len(lines))
    for end in range(start + 1, len(lines)):
        if _AFTER_REFERENCES.fullmatch(lines[end].strip()[:200]) and not lines[end - 1].strip():
            return start, end
    return start, len(lines)


def _heading_line(line: str) -> str:
    return line.strip().strip("#*=").strip() if len(line) <= _LONGEST_HEADING else ""


def heading_height(lines: Sequence[str], number: int, last: int) -> int:
    """Number of lines of the heading at line `number`, before line `last`; 0 if there is no heading."""
    line = lines[number].strip()
    if not 0 < len(line) <= _LONGEST_HEADING:
        return 0
    before = lines[number - 1].strip() if number else ""
    after = lines[number + 1].strip() if number + 1 < last else ""
    if before and not before.endswith((".", "!", "?", ":")):
        return 0
    if after and is_underline(after) and any(map(str.isalpha, line)):
        return 2
    known = is_known_heading(line)
    numbered = _NUMBERED_HEADING.fullmatch(line) is not None and line[-1] not in ".,;:"
    alone = not before and not after and _looks_like_heading(line)
    return int(known or numbered or alone)


def is_known_heading(line: str) -> bool:
    """Whether a line is a common section title, numbered or not."""
    return _KNOWN_HEADING.fullmatch(line) is not None


def is_underline(line: str) -> bool:
    """Whether a line underlines the heading above it."""
    return _UNDERLINE.fullmatch(line) is not None


def section_name(line: str) -> str:
    """The text of a heading without number and markup."""
    line = line.strip().strip("#*=").strip()
    heading = _KNOWN_HEADING.fullmatch(line) or _NUMBERED_HEADING.fullmatch(line)
    return heading["text"].strip() if heading else line.rstrip(":")


def _looks_like_heading(line: str) -> bool:
    """Whether a line is short, starts with a capital, and does not end like a sentence."""
    words = line.split()
    if len(words) > _MOST_WORDS or line[-1] in '.,;:?!)]}”"' or not line.strip("#* ")[:1].isupper():
        return False
    return sum(map(str.isalpha, line)) > len(line) / 2 and not re.search(r"[\[\]@|=]|\.\s", line)

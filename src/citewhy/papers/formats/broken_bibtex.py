"""BibTeX entries that do not parse (a missing brace, a comment in the middle), read line by line.

A field starts on a line with its name and an equals sign.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Salvaged", "salvaged"]

_LONGEST = 200_000
_HEAD = re.compile(r"@[ \t]*([A-Za-z]+)[ \t\r\n]*[{(][ \t\r\n]*([^\s,{}()\"=%#]+)[ \t]*,")
_NEXT = re.compile(r"^[ \t]*@[ \t]*\w+[ \t]*[{(]", re.MULTILINE)
_FIELD = re.compile(r"^[ \t,]*([A-Za-z][\w-]*)[ \t]*=[ \t]*", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*%.*\n?", re.MULTILINE)
_NOT_ENTRIES = ("string", "preamble", "comment")
_MARK = re.compile(r"(?<!\\)[{}]")


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The fields that could be read, as `(name, value in braces)`, and the offset of the entry's end."""

    kind: str
    key: str
    fields: list[tuple[str, str]]
    end: int


def salvaged(text: str, start: int) -> Salvaged | None:
    """The entry from `start` to the next one; None without a key and a field."""
    head = _HEAD.match(text, start)
    if head is None or head[1].lower() in _NOT_ENTRIES:
        return None
    following = _NEXT.search(text, head.end(), start + _LONGEST)
    end = following.start() if following else min(len(text), start + _LONGEST)
    body = _COMMENT.sub("", text[head.end() : end])
    starts = list(_FIELD.finditer(body))
    ends = [field.start() for field in starts[1:]] + [len(body)]
    fields = []
    for field, its_end in zip(starts, ends, strict=False):
        value = _bare(body[field.end() : its_end], last=its_end == len(body))
        fields.append((field[1], f"{{{value}}}"))
    return Salvaged(head[1].lower(), head[2], fields, end) if fields else None


def _bare(value: str, *, last: bool) -> str:
    """The value without its delimiters and without unbalanced braces."""
    value = value.strip()
    if last:
        value = value.removesuffix("}").rstrip()  # of the entry
    value = value.rstrip(",").rstrip()
    if value[:1] in ("{", '"'):
        closing = "}" if value[0] == "{" else '"'
        value = value[1:].removesuffix(closing)
    pieces: list[str] = []
    depth = place = 0
    for mark in _MARK.finditer(value):
        if mark[0] == "}" and depth == 0:
            pieces.append(value[place : mark.start()])
            place = mark.end()
        else:
            depth += 1 if mark[0] == "{" else -1
    return "".join(pieces) + value[place:] + "}" * depth

"""Entries of BibTeX files that the parser rejects or cuts short."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewhy.text.bibtex_blocks import Field

_LONGEST = 200_000
_HEAD = re.compile(r"@[ \t]*([A-Za-z]+)[ \t\r\n]*[{(][ \t\r\n]*([^\s,{}()\"=%#]+)[ \t]*,")
_NEXT = re.compile(r"^[ \t]*@[ \t]*\w+[ \t]*[{(]", re.MULTILINE)
_FIELD = re.compile(r"^[ \t,]*([A-Za-z][\w-]*)[ \t]*=[ \t]*", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*%.*\n?", re.MULTILINE)
_NOT_ENTRIES = ("string", "preamble", "comment")
_MARK = re.compile(r"(?<!\\)[{}]")


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The fields that could be read, with values in braces, and the offset of the entry's end."""

    kind: str
    key: str
    fields: list[Field]
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
        fields.append(Field(field[1], f"{{{value}}}"))
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


# Entries that only need another parser -----------------------------------------------------------------

_BEGIN = re.compile(
    r"@[ \t]*([A-Za-z]+)[ \t\r\n]*([{(])\s*+(https?:[^\s,{}\"]*+|[^\s,{}()\"=#]*)\s*(?=([,=]))"
)
_BETWEEN = re.compile(r"[\s,]*")
_NAME = re.compile(r"([A-Za-z][\w:.+/-]*)\s*=\s*")
_BARE_VALUE = re.compile(r"[^\s#{}\",=()]+")
_JOINT = re.compile(r"\s*#\s*")
_DELIMITER = re.compile(r'[{}"]')
_ESCAPED_BRACE = re.compile(r"\\([{}])")


def reparsed(text: str, start: int) -> Salvaged | None:
    """The entry from `start`, read as BibTeX does: a backslash escapes no brace. Commas too many are skipped,
    and the key may be missing. None if it is no entry by these rules, or another one begins in it."""
    head = _BEGIN.match(text, start)
    if head is None or head[1].lower() in _NOT_ENTRIES:
        return None
    closing = "}" if head[2] == "{" else ")"
    key, place = (head[3], head.end()) if head[4] == "," else ("", head.start(3))
    following = _NEXT.search(text, head.end(), start + _LONGEST)
    limit = following.start() if following else min(len(text), start + _LONGEST)
    fields: list[Field] = []
    while True:
        place = _end(_BETWEEN, text, place)
        if text.startswith(closing, place):
            return Salvaged(head[1].lower(), key, fields, place + 1) if fields and place < limit else None
        name = _NAME.match(text, place)
        end = _end_of_value(text, name.end(), limit) if name else None
        if name is None or end is None:
            return None
        fields.append(Field(name[1], _balanced(text[name.end() : end])))
        place = end


def _end_of_value(text: str, place: int, limit: int) -> int | None:
    """The offset after the values that begin at `place`, joined by number signs."""
    while True:
        if text.startswith(("{", '"'), place):
            end = _closed(text, place, limit)
        else:
            bare = _BARE_VALUE.match(text, place)
            end = bare.end() if bare else None
        joint = _JOINT.match(text, end) if end is not None else None
        if joint is None:
            return end
        place = joint.end()


def _closed(text: str, start: int, limit: int) -> int | None:
    """The offset after what closes the brace or quotation mark at `start`."""
    quoted, depth = text[start] == '"', 0
    for mark in _DELIMITER.finditer(text, start + 1, limit):
        if mark[0] == "{":
            depth += 1
        elif mark[0] == "}":
            if depth == 0:
                return None if quoted else mark.end()
            depth -= 1
        elif quoted and depth == 0:
            return mark.end()
    return None


def _balanced(value: str) -> str:
    """The value without the backslashes before its braces, if the braces without one do not match."""
    if value.startswith("{") and _ESCAPED_BRACE.search(value):
        depth = 0
        for mark in _MARK.finditer(value):
            depth += 1 if mark[0] == "{" else -1
            if depth == 0:
                if mark.end() == len(value) or value[mark.end() :].lstrip().startswith("#"):
                    return value
                break
        return _ESCAPED_BRACE.sub(r"\1", value)
    return value


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return match.end() if match else place

"""The blocks of BibTeX files: entries, macros, comments, and what is broken.

Most entries are well-formed, and regular expressions that run through them once take them apart. Whatever
stands between these entries is left to bibtexparser, which copes with much more and takes ten times as long.
Both find the same blocks: an ``@`` at the beginning of a line ends every block before it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from bibtexparser.exceptions import ParsingException
from bibtexparser.model import (
    DuplicateBlockKeyBlock,
    DuplicateFieldKeyBlock,
    Entry,
    ImplicitComment,
    ParsingFailedBlock,
    String,
)
from bibtexparser.splitter import Splitter

from citewhy.base.errors import InputError

# Broken blocks are in its result; without a handler it would print them, too.
logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)  # what it cannot read is in its blocks

_REPEATING = (DuplicateBlockKeyBlock, DuplicateFieldKeyBlock)


class Field(NamedTuple):
    """A field of an entry."""

    name: str
    expression: str
    """Holds what stands between the equals sign and the comma."""
    latex: str | None = None
    """Says what it means, where this is known: a single value in braces or quotation marks, or a number."""


@dataclass(frozen=True, slots=True)
class EntryBlock:
    """An entry, ``[start, end)`` of the text."""

    line: int
    start: int
    end: int
    kind: str
    """In lower case."""
    key: str
    fields: list[Field]
    well_formed: bool
    """Whether its braces match and nothing in it can be read in two ways."""


@dataclass(frozen=True, slots=True)
class MacroBlock:
    """An ``@string``."""

    line: int
    name: str
    expression: str


@dataclass(frozen=True, slots=True)
class CommentBlock:
    """Text between the others."""

    line: int
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class BrokenBlock:
    """Holds what begins like an entry or a macro, and why it is none."""

    line: int
    start: int
    raw: str
    why: str


AnyBlock = EntryBlock | MacroBlock | CommentBlock | BrokenBlock

_NOT_ENTRIES = ("comment", "preamble", "string")
"""The names of other blocks begin with these."""

# For the parser, a backslash before a brace is an escape. What it may see as the beginning of a block, `@`
# with a brace, is left to it, too.
_NO_BLOCK = r"@(?!\w*[ \t]*[{(])"
_IN_BRACES = rf"[^{{}}\\@]++|\\(?![{{}}])|{_NO_BLOCK}"
_IN_QUOTES = rf"[^{{}}\\@\"]++|\\(?:\"|(?![{{}}\"]))|{_NO_BLOCK}"


def _nested(inside: str, depth: int) -> str:
    """The pattern of texts with braces up to a depth; it never goes back."""
    pattern = rf"(?:{inside})*+"
    for _ in range(depth):
        pattern = rf"(?:{inside}|\{{{pattern}\}})*+"
    return pattern


_BRACED, _QUOTED, _BARE = rf"\{{{_nested(_IN_BRACES, 5)}\}}", rf"\"{_nested(_IN_QUOTES, 3)}\"", r"[\w:./+-]++"
_VALUE = rf"(?:{_BRACED}|{_QUOTED}|{_BARE})"
_HEAD = re.compile(
    r"^[^\S\n]*+(?P<begin>@(?P<kind>\w+)[ \t]*+\{)\s*+(?!(?:year|month|day|volume|number|issue)=)"
    r"(?P<key>[^\s,{}\"@\\]++)\s*+,",
    re.MULTILINE | re.IGNORECASE,
)
"""The beginning of an entry. Its key may have an equals sign, as an address has; ``year=2001`` is a field of
an entry without a key."""
_FIELD = re.compile(
    rf"\s*+(?P<name>[A-Za-z][\w:.+/-]*+)\s*+=\s*+(?P<expression>{_VALUE}(?P<joined>(?:\s*+\#\s*+{_VALUE})++)?)"
    r"\s*+(?P<after>[,}])"
)
_END = re.compile(r"\s*+\}")


def blocks(text: str, path: str) -> Iterator[AnyBlock]:
    """The blocks of a text, in order. Raises InputError if it cannot be read as BibTeX."""
    place = begin = 0
    line = 1
    while head := _HEAD.search(text, begin):
        begin = head.end()
        start = head.start("begin")
        kind = head["kind"].lower()
        body = None if kind.startswith(_NOT_ENTRIES) else _fields(text, begin)
        if body is None:
            continue
        if text[place:start].strip():
            yield from _parsed(text, place, start, head.end("begin"), line, path)
        line += text.count("\n", place, start)
        fields, end = body
        yield EntryBlock(line, start, end, kind, head["key"], fields, True)
        line += text.count("\n", start, end)
        place = begin = end
    yield from _parsed(text, place, len(text), len(text), line, path)


def _fields(text: str, place: int) -> tuple[list[Field], int] | None:
    """The fields of an entry from the comma after its key, and its end; None if it is not well-formed."""
    fields = []
    while field := _FIELD.match(text, place):
        name, expression, joined, after = field.groups()
        latex = None
        if joined is None:
            if expression[0] in '{"':
                latex = expression[1:-1]
            elif expression.isdigit():
                latex = expression
        fields.append(Field(name, expression, latex))
        place = field.end()
        if after == "}":
            return fields, place
    closed = _END.match(text, place)
    return (fields, closed.end()) if closed else None


class FieldPlace(NamedTuple):
    """Where a field of an entry is: its name from `start`, its value up to `end`."""

    name: str
    """In lower case."""
    start: int
    equals: int
    value: int
    end: int


def field_places(text: str) -> list[FieldPlace]:
    """Where the fields of an entry are, the only one of the text; none if it is not well-formed.

    >>> [text[place.value:place.end] for text in ["@misc{a, year = {2001}}"] for place in field_places(text)]
    ['{2001}']
    """
    head = _HEAD.match(text)
    read = _fields(text, head.end()) if head else None
    if head is None or read is None or text[read[1] :].strip():
        return []
    places, at = [], head.end()
    while field := _FIELD.match(text, at):
        start, value = field.start("name"), field.start("expression")
        places.append(
            FieldPlace(field["name"].lower(), start, text.index("=", start), value, field.end("expression"))
        )
        at = field.end()
        if field["after"] == "}":
            break
    return places


def _parsed(text: str, start: int, end: int, until: int, line: int, path: str) -> Iterator[AnyBlock]:
    """Returns what bibtexparser finds from `start` to `end`, where the next block begins, up to the brace
    before `until`."""
    try:
        parsed = Splitter(text[start:until]).split().blocks
    except (ParsingException, LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"cannot be read as BibTeX ({type(error).__name__})", path=path, hint="is it a .bib file?"
        ) from error
    for block in parsed[:-1] if until > end else parsed:  # the last is the beginning of the next
        at = line + (block.start_line or 0)
        if isinstance(block, _REPEATING) and block.ignore_error_block:
            block = block.ignore_error_block
        if isinstance(block, String):
            yield MacroBlock(at, block.key, block.value)
        elif isinstance(block, Entry):
            raw = block.raw or ""
            begins = max(text.find(raw, start), start)
            start = begins + len(raw)
            fields = [Field(field.key, field.value) for field in block.fields]
            kind = block.entry_type.strip().lower()
            yield EntryBlock(at, begins, start, kind, block.key, fields, False)
        elif isinstance(block, ParsingFailedBlock):
            raw = block.raw or ""
            start = max(text.find(raw, start), start)
            why = getattr(block.error, "abort_reason", "it does not parse")
            yield BrokenBlock(at, start, raw, why)
        elif isinstance(block, ImplicitComment):
            start = max(text.find(block.comment, start), start)
            yield CommentBlock(at, start, block.comment)

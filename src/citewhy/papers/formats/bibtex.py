"""BibTeX and biblatex files as people write them. An entry with an error does not affect the others."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from bibtexparser.exceptions import ParsingException
from bibtexparser.model import (
    Block,
    DuplicateBlockKeyBlock,
    DuplicateFieldKeyBlock,
    ImplicitComment,
    ParsingFailedBlock,
    String,
)
from bibtexparser.model import Entry as ParsedEntry
from bibtexparser.splitter import Splitter

from citewhy.base.errors import InputError
from citewhy.base.records import Alias, Paper
from citewhy.papers.formats.bibtex_values import (
    MONTHS,
    NOT_PAPERS,
    Value,
    Written,
    evaluate,
    inherited,
    paper_of,
)
from citewhy.papers.formats.fields import MadeIds, Seen, renamed
from citewhy.papers.formats.latex_text import MAX_NESTING, nesting
from citewhy.papers.formats.printed_reference import bibitems
from citewhy.papers.formats.printed_reference import paper_of_item as listed_paper
from citewhy.papers.formats.report import ImportReport, Problem
from citewhy.text.lines import LineNumbers
from citewhy.text.source import FilePath, read_text
from citewhy.text.tidy import shorten, tidy

__all__ = ["NAME", "Entry", "Salvaged", "macros_of", "read", "read_entries", "salvaged"]

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


NAME = "BibTeX"

# Broken blocks are in its result; without a handler it would print them, too.
logging.getLogger("bibtexparser").addHandler(logging.NullHandler())

_LOST_ENTRY = re.compile(
    r"^[ \t]*@(?:article|book|in\w+|conference|misc|\w*thesis|\w*report|proceedings|unpublished|online)\b",
    re.IGNORECASE | re.MULTILINE,
)
_MOST_IN_A_ROW = 50
"""Fields of an entry without commas between them that are read."""

_MOST_EXPANDED = 16 << 20
"""Total number of characters to which macros may expand in a file."""

_TOO_LONG = "is longer than 1 MB, or 16 MB in all with macros; left out"

_REPEATING = (DuplicateBlockKeyBlock, DuplicateFieldKeyBlock)
_NO_PAPER = Paper("", "")
"""Stands for the paper of an entry that is read before all entries are known."""

_MISSING_COMMA = re.compile(r"^([A-Za-z][\w-]*)\s*=\s*(.*)$", re.DOTALL)

Notice = Callable[[int, str], None]


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a .bib file: its paper, and its position.

    The id of `paper` is the key; an entry without a title has its booktitle or the like as title, or none at
    all. `fields` are LaTeX with macros expanded and lower-case names, without inherited fields.
    """

    key: str
    paper: Paper
    line: int
    start: int
    end: int
    """Characters ``[start, end)`` of the text, from the ``@`` to the closing brace."""
    kind: str
    """``article``, ``inproceedings``, … in lower case; ``bibitem`` for an entry of a printed list."""
    fields: Mapping[str, str]
    not_kept: frozenset[str] = frozenset()
    """Names of the fields that `paper` does not contain."""


def read(
    path: FilePath, report: ImportReport, macros: Mapping[str, str] | None = None
) -> Iterator[Paper | Alias]:
    """The entries with a title, as papers whose id is their key; the keys in ``ids`` as aliases.

    `macros` are ``@string`` definitions of other files.
    """

    def skip(line: int, why: str) -> None:
        report.skip(path, line, why)

    def warn(line: int, why: str) -> None:
        report.warn(path, line, why)

    seen, made = Seen(path, report), MadeIds()
    for entry in _entries(read_text(path, notice=warn), str(path), skip, warn, dict(macros or {})):
        paper = entry.paper
        if not paper.title:
            skip(entry.line, f"entry {shorten(entry.key)!r} has no title")
            continue
        if not entry.key:
            paper = renamed(paper, paper.doi or made.make(paper))
            if not paper.id:
                skip(entry.line, f"@{shorten(entry.kind)} has no key")
                continue
            warn(entry.line, f"@{shorten(entry.kind)} has no key; it goes by {shorten(paper.id)!r}")
        report.leave(NAME, entry.not_kept)
        if placed := seen.placed(paper, entry.line):
            yield placed
            for other in _other_keys(entry):
                if other != placed.id:
                    yield Alias(placed.id, other)


def _other_keys(entry: Entry) -> list[str]:
    given = entry.fields.get("ids")
    return [key for one in given.split(",")[:_MOST_IN_A_ROW] if (key := tidy(one))] if given else []


def macros_of(path: FilePath) -> dict[str, str]:
    """The ``@string`` definitions of a file (lower-case name to LaTeX), for other files."""
    text = read_text(path)
    if not re.search(r"@\s*string\b", text, re.IGNORECASE):
        return {}
    macros: dict[str, str] = {}
    values = _Values({}, lambda line, why: None)
    for block in _blocks(text, str(path)):
        if isinstance(block, String):
            values.define(block.key, block.value, 1)
            macros[block.key.lower()] = values.macros[block.key.lower()]
    return macros


def read_entries(
    text: str, path: str, problems: list[str], macros: dict[str, str] | None = None
) -> list[Entry]:
    """Every entry of a .bib text, in order, including untitled and repeated ones.

    Sentences about what could not be read are appended to `problems`. `macros` contains ``@string``
    definitions (lower-case name to LaTeX) of files read before, and afterwards those of this file, too.
    """

    def notice(line: int, why: str) -> None:
        problems.append(str(Problem(path, line, why)))

    entries = _entries(text, path, notice, notice, {} if macros is None else macros)
    for entry in entries:
        if not entry.key:
            notice(entry.line, f"@{shorten(entry.kind)} has no key")
    return [entry for entry in entries if entry.key]


def _entries(text: str, path: str, skip: Notice, warn: Notice, macros: dict[str, str]) -> list[Entry]:
    values = _Values(macros, warn)
    found: list[Entry] = []
    place = 0
    for block in _blocks(text, path):
        line = (block.start_line or 0) + 1
        if isinstance(block, _REPEATING) and block.ignore_error_block:
            block = block.ignore_error_block
        if isinstance(block, String):
            values.define(block.key, block.value, line)
        elif isinstance(block, ParsedEntry):
            raw = block.raw or ""
            start = max(text.find(raw, place), place)
            place = start + len(raw)
            key = tidy(block.key)
            if raw.count("{") > MAX_NESTING and nesting(raw) > MAX_NESTING:
                skip(line, f"entry {shorten(key)!r}: braces nest deeper than {MAX_NESTING}")
            elif any(field.key.startswith("%") for field in block.fields) and _commented_out(text, start):
                warn(line, f"entry {shorten(key)!r} is commented out; left out")
            else:
                kind = block.entry_type.strip().lower()
                fields = values.of_entry([(field.key, field.value) for field in block.fields], key, line)
                found.append(Entry(key, _NO_PAPER, line, start, place, kind, fields))
        elif isinstance(block, ParsingFailedBlock):
            start = max(text.find(block.raw or "", place), place)
            if _commented_out(text, start):
                warn(line, f"{shorten((block.raw or '').partition(chr(10))[0])!r} is commented out; left out")
            elif entry := _salvaged(text, start, line, values, warn):
                found.append(entry)
                place = entry.end
            else:
                _report_failure(block, line, skip, warn)
        elif isinstance(block, ImplicitComment):
            place = max(text.find(block.comment, place), place)
            found.extend(_listed(block.comment, place, line))
            lines = LineNumbers(block.comment, line)
            for lost in _LOST_ENTRY.finditer(block.comment):
                skip(
                    lines.at(lost.end()),
                    f"{shorten(lost[0])} without an opening brace is not read as an entry",
                )
    return _with_papers(found, warn)


def _blocks(text: str, path: str) -> list[Block]:
    try:
        return list(Splitter(text).split().blocks)
    except (ParsingException, LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"cannot be read as BibTeX ({type(error).__name__})", path=path, hint="is it a .bib file?"
        ) from error


def _commented_out(text: str, start: int) -> bool:
    return text[text.rfind("\n", 0, start) + 1 : start].lstrip().startswith("%")


def _salvaged(text: str, start: int, line: int, values: _Values, warn: Notice) -> Entry | None:
    """An entry that BibTeX itself would reject, read line by line."""
    found = salvaged(text, start)
    if found is None:
        return None
    fields = values.of_entry(found.fields, found.key, line)
    warn(line, f"entry {shorten(found.key)!r} is broken; its fields are read line by line")
    return Entry(found.key, _NO_PAPER, line, start, found.end, found.kind, fields)


def _report_failure(block: ParsingFailedBlock, line: int, skip: Notice, warn: Notice) -> None:
    raw = block.raw or ""
    reason = getattr(block.error, "abort_reason", "it does not parse")
    head = shorten(raw.partition("\n")[0])
    lost = warn if re.match(r"@\s*(string|preamble|comment)\b", raw, re.IGNORECASE) else skip
    lost(line, f"{head!r} is broken: {tidy(reason)}")


def _listed(comment: str, place: int, line: int) -> Iterator[Entry]:
    """Entries of a ``thebibliography`` in the file."""
    if "\\bibitem" in comment:
        lines = LineNumbers(comment, line)
        for item in bibitems(comment):
            at = lines.at(item.start)
            paper = listed_paper(item.key, item.text)
            yield Entry(item.key, paper, at, place + item.start, place + item.end, "bibitem", {})


class _Values:
    """Evaluates the values of a file; limits how far their macros may expand."""

    def __init__(self, macros: dict[str, str], warn: Notice) -> None:
        self.macros = macros
        for month, name in MONTHS.items():
            macros.setdefault(month, name)
        self._warn = warn
        self._unknown: set[str] = set()
        self._left = _MOST_EXPANDED

    def define(self, name: str, expression: str, line: int) -> None:
        value = evaluate(expression, self.macros)
        if not self._fits(value, expression):
            self._warn(line, f"@string {shorten(name)!r} {_TOO_LONG}")
            value = Value("")
        self.macros[name.lower()] = value.latex

    def of_entry(self, fields: list[tuple[str, str]], key: str, line: int) -> dict[str, str]:
        """The evaluated fields, with lower-case names; as in BibTeX, the first of two counts."""
        found: dict[str, str] = {}
        for name, expression in fields:
            for _ in range(_MOST_IN_A_ROW):
                name = name.lower()
                value = evaluate(expression, self.macros)
                if not self._fits(value, expression):
                    self._warn(line, f"entry {shorten(key)!r}: {shorten(name)} {_TOO_LONG}")
                    value = Value("", value.undefined, value.rest)
                if not name.startswith("%"):
                    found.setdefault(name, value.latex)
                for macro in value.undefined:
                    self._complain(macro, line)
                if not (next_field := _MISSING_COMMA.match(value.rest)):
                    break
                self._warn(line, f"entry {shorten(key)!r}: no comma after field {shorten(name)!r}")
                name, expression = next_field[1], next_field[2]
        return found

    def _fits(self, value: Value, expression: str) -> bool:
        """Whether a value is within the limits, to which it then counts."""
        grown = max(0, len(value.latex) - len(expression))
        if value.too_long or grown > self._left:
            return False
        self._left -= grown
        return True

    def _complain(self, macro: str, line: int) -> None:
        if macro.lower() not in self._unknown:
            self._unknown.add(macro.lower())
            self._warn(line, f"@string {shorten(macro)!r} is not defined; its name is used as its text")


def _with_papers(entries: list[Entry], warn: Notice) -> list[Entry]:
    by_key: dict[str, Mapping[str, str]] = {}
    for entry in entries:
        by_key.setdefault(entry.key.lower(), entry.fields)
    papers = []
    budget = [_MOST_EXPANDED]
    for entry in entries:
        if entry.kind in NOT_PAPERS:
            continue
        if entry.kind == "bibitem":
            papers.append(entry)
            continue
        written = Written(
            entry.key, entry.line, entry.fields, inherited(entry.key, entry.fields, by_key, budget)
        )
        paper, not_kept = paper_of(written, warn)
        papers.append(
            Entry(entry.key, paper, entry.line, entry.start, entry.end, entry.kind, entry.fields, not_kept)
        )
    return papers

"""BibTeX and biblatex files as people write them. An entry with an error does not affect the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from citewhy.base.import_report import ImportReport, Problem
from citewhy.base.records import Alias, Paper, SourceEntry
from citewhy.papers.formats.bibitems import bibitems
from citewhy.papers.formats.bibitems import paper_of_item as listed_paper
from citewhy.papers.formats.compiled_references import paper_of_bibinfo
from citewhy.papers.formats.fields import MAX_VALUE, MadeIds, Seen, arxiv_numbers, renamed
from citewhy.text.bibtex_blocks import (
    BrokenBlock,
    CommentBlock,
    EntryBlock,
    Field,
    MacroBlock,
    blocks,
)
from citewhy.text.bibtex_mending import reparsed, salvaged
from citewhy.text.bibtex_source import made, needs_macros, written_out
from citewhy.text.bibtex_values import (
    MONTHS,
    NOT_PAPERS,
    REFERENCES,
    Value,
    Written,
    evaluate,
    inherited,
    paper_of,
    with_xdata_values,
)
from citewhy.text.latex_text import MAX_NESTING, nesting
from citewhy.text.lines import LineNumbers
from citewhy.text.source import FilePath, name_of_file, read_text
from citewhy.text.tidy import shorten, tidy

NAME = "BibTeX"

_LOST_ENTRY = re.compile(
    r"^[ \t]*@(?:article|book|in\w+|conference|misc|\w*thesis|\w*report|proceedings|unpublished|online)\b",
    re.IGNORECASE | re.MULTILINE,
)
_MOST_IN_A_ROW = 50
"""Fields of an entry without commas between them that are read."""

_MOST_EXPANDED = 16 << 20
"""Total number of characters to which macros may expand in a file."""

_TOO_LONG = "is longer than 1 MB, or 16 MB in all with macros; left out"

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


@dataclass(frozen=True, slots=True)
class _Unread:
    """An entry whose paper is not known until all entries are."""

    key: str
    line: int
    start: int
    end: int
    kind: str
    fields: Mapping[str, str]
    readable: bool = False
    """Whether its text is one that BibTeX can read."""
    written: Sequence[Field] = ()
    """Its fields as they are there; empty if its text is complete by itself."""


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
            for other in (*_other_keys(entry), *_numbers(placed)):
                if other != placed.id:
                    yield Alias(placed.id, other)


def _other_keys(entry: Entry) -> list[str]:
    given = entry.fields.get("ids")
    return [key for one in given.split(",")[:_MOST_IN_A_ROW] if (key := tidy(one))] if given else []


def _numbers(paper: Paper) -> Iterator[str]:
    """The ids that services gave to the paper, unless its address says them."""
    if publication := paper.publication:
        if publication.pmid:
            yield f"PMID:{publication.pmid}"
        if publication.pmcid:
            yield publication.pmcid
        if publication.arxiv and publication.arxiv not in arxiv_numbers(paper):
            yield f"arXiv:{publication.arxiv}"


def macros_of(path: FilePath) -> dict[str, str]:
    """The ``@string`` definitions of a file (lower-case name to LaTeX), for other files."""
    text = read_text(path)
    if not re.search(r"@\s*string\b", text, re.IGNORECASE):
        return {}
    macros: dict[str, str] = {}
    values = _Values({}, lambda line, why: None)
    for block in blocks(text, str(path)):
        if isinstance(block, MacroBlock):
            values.define(block.name, block.expression, 1)
            macros[block.name.lower()] = values.macros[block.name.lower()]
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

    entries = list(_entries(text, path, notice, notice, {} if macros is None else macros))
    for entry in entries:
        if not entry.key:
            notice(entry.line, f"@{shorten(entry.kind)} has no key")
    return [entry for entry in entries if entry.key]


def _entries(text: str, path: str, skip: Notice, warn: Notice, macros: dict[str, str]) -> Iterator[Entry]:
    values = _Values(macros, warn)
    entries: list[Entry | _Unread] = []
    place = 0
    for block in blocks(text, path):
        if isinstance(block, EntryBlock):
            if entry := _unread(text, block, values, skip, warn):
                entries.append(entry)
                place = entry.end
        elif isinstance(block, MacroBlock):
            values.define(block.name, block.expression, block.line)
        elif isinstance(block, BrokenBlock):
            start = max(block.start, place)
            if _commented_out(text, start):
                warn(block.line, f"{shorten(block.raw.partition(chr(10))[0])!r} is commented out; left out")
            elif salvaged := _salvaged(text, start, block.line, values, warn):
                entries.append(salvaged)
                place = salvaged.end
            else:
                _report_failure(block, skip, warn)
        else:
            entries.extend(_listed(block.text, max(block.start, place), block.line))
            _report_lost(block, skip)
    return _with_papers(text, entries, name_of_file(str(path)), warn)


def _unread(text: str, block: EntryBlock, values: _Values, skip: Notice, warn: Notice) -> _Unread | None:
    """The entry; None for one that is not read, which is reported."""
    key, line, start, end = tidy(block.key), block.line, block.start, block.end
    written = block.fields
    if not block.well_formed:
        raw = text[start:end]
        if raw.count("{") > MAX_NESTING and nesting(raw) > MAX_NESTING:
            skip(line, f"entry {shorten(key)!r}: braces nest deeper than {MAX_NESTING}")
            return None
        if any(field.name.startswith("%") for field in written) and _commented_out(text, start):
            warn(line, f"entry {shorten(key)!r} is commented out; left out")
            return None
        if "\\" in raw and raw.count("{") != raw.count("}") and (again := reparsed(text, start)):
            # the parser takes a backslash before a brace for an escape, and BibTeX does not
            written, end = again.fields, again.end
    fields, mended = values.of_entry(written, key, line)
    if not _says_of_others(written, fields):
        written = []
    return _Unread(key, line, start, end, block.kind, fields, not mended, written)


def _says_of_others(written: Sequence[Field], fields: Mapping[str, str]) -> bool:
    """Whether an entry needs the rest of its file to be complete."""
    return (
        any(field.latex is None and needs_macros(field.expression) for field in written)
        or any(name in fields for name in REFERENCES)
        or any("xdata=" in value for value in fields.values())
    )


def _commented_out(text: str, start: int) -> bool:
    return text[text.rfind("\n", 0, start) + 1 : start].lstrip().startswith("%")


def _salvaged(text: str, start: int, line: int, values: _Values, warn: Notice) -> _Unread | None:
    """An entry that BibTeX itself would reject, read line by line."""
    if entry := reparsed(text, start):
        fields, _ = values.of_entry(entry.fields, entry.key, line)
        return _Unread(entry.key, line, start, entry.end, entry.kind, fields)
    entry = salvaged(text, start)
    if entry is None:
        return None
    fields, _ = values.of_entry(entry.fields, entry.key, line)
    warn(line, f"entry {shorten(entry.key)!r} is broken; its fields are read line by line")
    return _Unread(entry.key, line, start, entry.end, entry.kind, fields)


def _report_failure(block: BrokenBlock, skip: Notice, warn: Notice) -> None:
    head = shorten(block.raw.partition("\n")[0])
    lost = warn if re.match(r"@\s*(string|preamble|comment)\b", block.raw, re.IGNORECASE) else skip
    lost(block.line, f"{head!r} is broken: {tidy(block.why)}")


def _report_lost(comment: CommentBlock, skip: Notice) -> None:
    lines = LineNumbers(comment.text, comment.line)
    for lost in _LOST_ENTRY.finditer(comment.text):
        why = f"{shorten(lost[0])} without an opening brace is not read as an entry"
        skip(lines.at(lost.end()), why)


def _listed(comment: str, place: int, line: int) -> Iterator[Entry]:
    """Entries of a ``thebibliography`` in the file."""
    if "\\bibitem" in comment:
        lines = LineNumbers(comment, line)
        for item in bibitems(comment):
            at = lines.at(item.start)
            marked = paper_of_bibinfo(item.key, comment[item.start : item.end])
            paper = marked or listed_paper(item.key, item.text)
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

    def of_entry(self, fields: Sequence[Field], key: str, line: int) -> tuple[dict[str, str], bool]:
        """The evaluated fields, with lower-case names, and whether commas between them were missing; as in
        BibTeX, the first of two fields counts."""
        values: dict[str, str] = {}
        mended = False
        for name, expression, latex in fields:
            if latex is not None and len(latex) <= MAX_VALUE:
                values.setdefault(name.lower(), latex)
            elif self._evaluate(name, expression, key, line, values):
                mended = True
        return values, mended

    def _evaluate(self, name: str, expression: str, key: str, line: int, values: dict[str, str]) -> bool:
        """Adds a field to those that were found. Returns whether others follow it without a comma."""
        mended = False
        for _ in range(_MOST_IN_A_ROW):
            name = name.lower()
            value = evaluate(expression, self.macros)
            if not self._fits(value, expression):
                self._warn(line, f"entry {shorten(key)!r}: {shorten(name)} {_TOO_LONG}")
                value = Value("", value.undefined, value.rest)
            if not name.startswith("%"):
                values.setdefault(name, value.latex)
            for macro in value.undefined:
                self._complain(macro, line)
            if not (next_field := _MISSING_COMMA.match(value.rest)):
                break
            self._warn(line, f"entry {shorten(key)!r}: no comma after field {shorten(name)!r}")
            name, expression = next_field[1], next_field[2]
            mended = True
        return mended

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


def _with_papers(text: str, entries: list[Entry | _Unread], file: str, warn: Notice) -> Iterator[Entry]:
    by_key: dict[str, Mapping[str, str]] = {}
    for entry in entries:
        by_key.setdefault(entry.key.lower(), entry.fields)
    granular = any(entry.kind == "xdata" for entry in entries)
    budget = [_MOST_EXPANDED]
    for entry in entries:
        if entry.kind in NOT_PAPERS:
            continue
        if isinstance(entry, Entry):
            yield entry
            continue
        own = with_xdata_values(entry.fields, by_key, budget) if granular else entry.fields
        written = Written(entry.key, entry.line, own, inherited(entry.key, own, by_key, budget), entry.kind)
        source = SourceEntry(NAME, _complete(text, entry, written), entry.key, file)
        paper, not_kept = paper_of(written, source, warn)
        yield Entry(entry.key, paper, entry.line, entry.start, entry.end, entry.kind, own, not_kept)


def _complete(text: str, entry: _Unread, written: Written) -> str:
    """The entry's text without macros of its file and with all that it inherits."""
    if not entry.readable:
        fields = {name: value for name, value in written.fields.items() if name not in REFERENCES}
        return made(entry.kind, entry.key, fields)
    raw = text[entry.start : entry.end]
    values: dict[str, str | None] = {
        field.name.lower(): written.own.get(field.name.lower(), "")
        for field in entry.written
        if field.latex is None and needs_macros(field.expression)
    }
    if written.own is not entry.fields:
        values |= {name: value for name, value in written.own.items() if value != entry.fields[name]}
    if written.fields is written.own:
        return written_out(raw, entry.written, values, {}) if values else raw
    others = {name: value for name, value in written.fields.items() if name not in written.own}
    if others:
        values |= dict.fromkeys(REFERENCES)
        if entry.kind == "inbook" and "title" not in written.fields and "booktitle" in others:
            others["title"] = others["booktitle"]  # BibTeX's inbook inherits the title of its book as its own
    return written_out(raw, entry.written, values, others)

"""BibTeX and biblatex files as people write them. An entry that does not parse never takes others with it."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

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

from citewhy.errors import InputError
from citewhy.formats.bibtex_values import MONTHS, evaluate, people, verbatim
from citewhy.formats.fields import Seen, clean_doi, doi_in_url, year_of
from citewhy.formats.latex_text import MAX_NESTING, nesting, plain
from citewhy.formats.report import ImportReport, Problem
from citewhy.records import Paper
from citewhy.text.source import FilePath, read_text
from citewhy.text.tidy import shorten, tidy

__all__ = ["Entry", "read", "read_entries"]

# Broken blocks are in its result; without a handler here it would print them on the screen as well.
logging.getLogger("bibtexparser").addHandler(logging.NullHandler())

_NOT_PAPERS = frozenset({"xdata", "set", "control"})
_VENUES = ("journal", "journaltitle", "booktitle", "school", "institution", "howpublished", "publisher")
_NOT_INHERITED = frozenset({"crossref", "xdata", "ids", "label", "sortkey", "shorthand"})
_LOST_ENTRY = re.compile(
    r"^[ \t]*@(?:article|book|in\w+|conference|misc|\w*thesis|\w*report|proceedings|unpublished|online)\b",
    re.IGNORECASE | re.MULTILINE,
)
_MOST_IN_A_ROW = 50
"""Fields of one entry with no comma between them."""

_MISSING_COMMA = re.compile(r"^([A-Za-z][\w-]*)\s*=\s*(.*)$", re.DOTALL)
_ARXIV = re.compile(r"^(?:arxiv:)?(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?$", re.IGNORECASE)

Notice = Callable[[int, str], None]


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a .bib file: what it says as a paper, and where it stands.

    `paper` has the key for its id, and an empty title where the entry has none. `fields` are LaTeX, macros
    resolved, names in lower case, without what came through crossref.
    """

    key: str
    paper: Paper
    line: int
    start: int
    end: int
    """Characters ``[start, end)`` of the text, from the ``@`` to the closing brace."""
    kind: str
    """``article``, ``inproceedings``, … in lower case."""
    fields: Mapping[str, str]


def read(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """The entries with a title, as papers whose id is their key."""

    def skip(line: int, why: str) -> None:
        report.skip(path, line, why)

    def warn(line: int, why: str) -> None:
        report.warn(path, line, why)

    seen = Seen(path, report)
    for entry in _entries(read_text(path, notice=warn), str(path), skip, warn, None):
        if not entry.paper.title:
            skip(entry.line, f"entry {shorten(entry.key)!r} has no title")
        elif not seen.again(entry.key, entry.paper.title, entry.line):
            yield entry.paper


def read_entries(
    text: str, path: str, problems: list[str], macros: dict[str, str] | None = None
) -> list[Entry]:
    """Every entry of a .bib text, untitled ones and repetitions included, in the order of the file.

    Sentences about what could not be read are appended to `problems`. `macros` holds ``@string`` definitions
    (lower-case name to LaTeX) of files read before, and afterwards those of this one too.
    """

    def notice(line: int, why: str) -> None:
        problems.append(str(Problem(path, line, why)))

    return _entries(text, path, notice, notice, macros)


def _entries(text: str, path: str, skip: Notice, warn: Notice, macros: dict[str, str] | None) -> list[Entry]:
    macros = {} if macros is None else macros
    for month, name in MONTHS.items():
        macros.setdefault(month, name)
    unknown: set[str] = set()  # macros already complained about
    found: list[Entry] = []
    place = 0
    for block in _blocks(text, path):
        line = (block.start_line or 0) + 1
        if isinstance(block, DuplicateBlockKeyBlock | DuplicateFieldKeyBlock) and block.ignore_error_block:
            block = block.ignore_error_block
        if isinstance(block, String):
            macros[block.key.lower()] = evaluate(block.value, macros).latex
        elif isinstance(block, ParsedEntry):
            raw = block.raw or ""
            start = max(text.find(raw, place), place)
            place = start + len(raw)
            key = tidy(block.key)
            if not key:
                skip(line, f"@{shorten(block.entry_type)} has no key")
            elif raw.count("{") > MAX_NESTING and nesting(raw) > MAX_NESTING:
                skip(line, f"entry {shorten(key)!r}: braces nest deeper than {MAX_NESTING}")
            else:
                kind = block.entry_type.strip().lower()
                fields = _fields(block, key, line, macros, unknown, warn)
                found.append(Entry(key, Paper(key, ""), line, start, place, kind, fields))
        elif isinstance(block, ParsingFailedBlock):
            _report_failure(block, line, skip, warn)
        elif isinstance(block, ImplicitComment):
            for lost in _LOST_ENTRY.finditer(block.comment):
                at = line + block.comment.count("\n", 0, lost.end())
                skip(at, f"{shorten(lost[0])} without an opening brace is not read as an entry")
    return _with_papers(found, warn)


def _blocks(text: str, path: str) -> list[Block]:
    try:
        return list(Splitter(text).split().blocks)
    except (ParsingException, LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"cannot be read as BibTeX ({type(error).__name__})", path=path, hint="is it a .bib file?"
        ) from error


def _report_failure(block: ParsingFailedBlock, line: int, skip: Notice, warn: Notice) -> None:
    raw = block.raw or ""
    reason = getattr(block.error, "abort_reason", "it does not parse")
    head = shorten(raw.partition("\n")[0])
    lost = warn if re.match(r"@\s*(string|preamble|comment)\b", raw, re.IGNORECASE) else skip
    lost(line, f"{head!r} is broken: {tidy(reason)}")


def _fields(
    block: ParsedEntry, key: str, line: int, macros: dict[str, str], unknown: set[str], warn: Notice
) -> dict[str, str]:
    """The fields of an entry evaluated; names in lower case; as in BibTeX, the first of two counts."""
    fields: dict[str, str] = {}
    for field in block.fields:
        name, expression = field.key.lower(), field.value
        for _ in range(_MOST_IN_A_ROW):
            value = evaluate(expression, macros)
            fields.setdefault(name, value.latex)
            for macro in value.undefined:
                if macro.lower() not in unknown:
                    unknown.add(macro.lower())
                    warn(line, f"@string {shorten(macro)!r} is not defined; its name is used as its text")
            if not (next_field := _MISSING_COMMA.match(value.rest)):
                break
            warn(line, f"entry {shorten(key)!r}: no comma after field {shorten(name)!r}")
            name, expression = next_field[1].lower(), next_field[2]
    return fields


def _with_papers(entries: list[Entry], warn: Notice) -> list[Entry]:
    by_key: dict[str, Entry] = {}
    for entry in entries:
        by_key.setdefault(entry.key.lower(), entry)
    return [
        replace(entry, paper=_paper(entry, _inherited(entry, by_key), warn))
        for entry in entries
        if entry.kind not in _NOT_PAPERS
    ]


def _inherited(entry: Entry, by_key: Mapping[str, Entry]) -> Mapping[str, str]:
    """The entry's fields and those of its crossref and xdata parents; a parent's title is its booktitle."""
    if "crossref" not in entry.fields and "xdata" not in entry.fields:
        return entry.fields
    fields = dict(entry.fields)
    done = {entry.key.lower()}
    waiting = _parents(entry)
    while waiting:
        relation, key = waiting.pop(0)
        parent = by_key.get(key)
        if parent is None or key in done:
            continue
        done.add(key)
        if relation == "crossref":
            fields.setdefault("booktitle", parent.fields.get("booktitle") or parent.fields.get("title", ""))
        for name, value in parent.fields.items():
            if name not in _NOT_INHERITED and (relation == "xdata" or name not in ("title", "subtitle")):
                fields.setdefault(name, value)
        waiting.extend(_parents(parent))
    return fields


def _parents(entry: Entry) -> list[tuple[str, str]]:
    return [
        (relation, key.strip().lower())
        for relation in ("crossref", "xdata")
        for key in entry.fields.get(relation, "").split(",")
        if key.strip()
    ]


def _paper(entry: Entry, fields: Mapping[str, str], warn: Notice) -> Paper:
    def text(name: str) -> str:
        return tidy(plain(fields[name])) if name in fields else ""

    title = text("title")
    if title and (subtitle := text("subtitle")):
        title = f"{title}: {subtitle}"
    url = verbatim(fields.get("url", ""))
    editors = "" if "crossref" in fields else fields.get("editor", "")  # its own, not those of its volume
    return Paper(
        id=entry.key,
        title=title,
        abstract=text("abstract"),
        authors=people(fields.get("author") or editors),
        year=_year(entry, fields, warn),
        venue=next((venue for name in _VENUES if (venue := text(name))), ""),
        doi=_doi(entry, fields, warn) or doi_in_url(url),
        url=url or _arxiv_address(fields),
    )


def _year(entry: Entry, fields: Mapping[str, str], warn: Notice) -> int | None:
    given = [value for name in ("year", "date") if (value := tidy(plain(fields.get(name, ""))))]
    for value in given:
        if (year := year_of(value)) is not None:
            return year
    if given:
        shown = shorten(given[0])
        warn(entry.line, f"entry {shorten(entry.key)!r}: year {shown!r} is not a year; left empty")
    return None


def _doi(entry: Entry, fields: Mapping[str, str], warn: Notice) -> str:
    given = verbatim(fields.get("doi", ""))
    doi = clean_doi(given)
    if given and not doi:
        warn(entry.line, f"entry {shorten(entry.key)!r}: {shorten(given)!r} is not a DOI; left empty")
    return doi


def _arxiv_address(fields: Mapping[str, str]) -> str:
    archive = fields.get("archiveprefix") or fields.get("eprinttype") or "arxiv"
    number = _ARXIV.match(verbatim(fields.get("eprint", "")))
    return f"https://arxiv.org/abs/{number[1]}" if number and verbatim(archive).lower() == "arxiv" else ""

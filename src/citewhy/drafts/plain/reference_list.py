"""A printed reference list: its entries, and which of them a printed citation refers to."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from citewhy.base.records import Paper, Reference
from citewhy.papers.formats.printed_reference import Parsed, parse
from citewhy.text.author_year import Group
from citewhy.text.markers import Resolver
from citewhy.text.names import surname
from citewhy.text.tokens import words

_NUMBER = re.compile(r"\s*(?:\[(?P<square>\d{1,4})\]|(?P<plain>\d{1,3})[.)](?=\s))\s*")
_BULLET = re.compile(r"\A\s*[-*•·‣–]\s+(?=\S)")
_LABEL = re.compile(r"[^\W\d_][^\d()]{0,80}\s?\((?:1[89]|20)\d\d(?P<suffix>[a-z])?\)\s+(?=[^\W\d_a-z])")
"""A label that some converters print before an entry: "Brown et al. (1993) Peter Brown, …"."""
_EMPHASIS = re.compile(r"(?<![\w*])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![\w*])")
_ANY_YEAR = re.compile(r"\b(?:1[89]|20)\d\d[a-z]?\b")
_ENTRY_BEGINS = re.compile(r"[^\W\d_a-z][\w'’-]+(?:,\s+[^\W\d_a-z]|\s+[^\W\d_a-z][\w'’.-]*)")
_LONGEST_ENTRY = 3000
_LINES_OF_AN_ENTRY = 8
_SHORTEST_ENTRY = 12


@dataclass(frozen=True, slots=True)
class _Entry:
    number: int | None
    parsed: Parsed
    reference: Reference


class PrintedList:
    """The references of a list, and which of them a citation refers to."""

    def __init__(self, entries: Sequence[_Entry] = ()) -> None:
        self.references = tuple(entry.reference for entry in entries)
        self.numbered = any(entry.number is not None for entry in entries)
        self._by_number = {entry.number: entry.reference.key for entry in reversed(entries)}
        self._suffix = {entry.reference.key: entry.parsed.suffix for entry in entries}
        self._resolver = Resolver(map(_with_unnamed_authors, entries))
        self._by_first_author: dict[tuple[str, int | None], list[str]] = {}
        for entry in entries:
            if entry.parsed.authors:
                first = (surname(entry.parsed.authors[0]), entry.parsed.year)
                self._by_first_author.setdefault(first, []).append(entry.reference.key)

    def key(self, group: Group) -> str | None:
        """The key of the entry that a citation refers to; None if none or more than one fits."""
        if group.number is not None:
            return self._by_number.get(group.number)
        if not group.names:
            return None
        keys = [paper.id for paper in self._resolver.fits(group)]
        if not keys:  # in a list of this length, first author and year are enough
            keys = self._by_first_author.get((surname(group.names[0]), group.year), [])
        if group.suffix:
            keys = [key for key in keys if self._suffix[key] == group.suffix]
        return keys[0] if len(keys) == 1 else None


def _with_unnamed_authors(entry: _Entry) -> Paper:
    """The paper, with placeholders for authors that the entry omits, so that "et al." matches it."""
    paper = entry.reference.paper
    unnamed = ("et al.", "et al.") if entry.parsed.et_al else ()
    return replace(paper, authors=paper.authors + unnamed)


def read_list(lines: Sequence[str]) -> PrintedList:
    """Reads the lines under a heading such as "References".

    The key of a numbered entry is its number, that of any other entry its first author, year and letter. An
    entry in an unknown style may have nothing but its text as the title.
    """
    entries: list[_Entry] = []
    used: set[str] = set()
    for lines_of_entry in _split(lines):
        text = " ".join(" ".join(lines_of_entry).split())[:_LONGEST_ENTRY]
        number = _NUMBER.match(text)
        bare = _EMPHASIS.sub("", text[number.end() :] if number else text)
        if len(bare) < _SHORTEST_ENTRY:
            continue
        parsed = _parsed(bare)
        value = int(number["square"] or number["plain"]) if number else None
        key = _new_key(value, parsed, used)
        paper = Paper(
            key,
            parsed.title or bare,
            authors=parsed.authors,
            year=parsed.year,
            venue=parsed.venue,
            doi=parsed.doi,
            url=parsed.url,
        )
        entries.append(_Entry(value, parsed, Reference(key, paper)))
    return PrintedList(entries)


def _parsed(text: str) -> Parsed:
    label = _LABEL.match(text)
    if label:
        parsed = parse(text[label.end() :])
        if parsed.authors and parsed.year and parsed.title:
            return replace(parsed, suffix=parsed.suffix or label["suffix"] or "")
    return parse(text)


def _new_key(number: int | None, parsed: Parsed, used: set[str]) -> str:
    first = surname(parsed.authors[0]) if parsed.authors else (words(parsed.title) or ["entry"])[0]
    base = (
        str(number) if number is not None else f"{first.replace(' ', '')}{parsed.year or ''}{parsed.suffix}"
    )
    key, again = base, 1
    while key in used:
        again += 1
        key = f"{base}-{again}"
    used.add(key)
    return key


# Where entries begin --------------------------------------------------------------------------------------


def _split(lines: Sequence[str]) -> list[list[str]]:
    """The lines of each entry, separated by numbers, blank lines, indents or typical first lines."""
    kept = [line for line in lines if line.strip()]
    if not kept:
        return []
    if sum(_BULLET.match(line) is not None for line in kept) * _LINES_OF_AN_ENTRY > len(kept):
        bullets = _cut(kept, lambda line, _: _BULLET.match(line) is not None)
        return [[_BULLET.sub("", entry[0], count=1), *entry[1:]] for entry in bullets]
    first = _NUMBER.match(kept[0])
    if first:
        form = "square" if first["square"] else "plain"
        return _cut(
            kept, lambda line, _: (found := _NUMBER.match(line)) is not None and found[form] is not None
        )
    blocks = _blocks(lines)
    if len(blocks) > 1 and max(map(len, blocks)) <= _LINES_OF_AN_ENTRY:
        return blocks
    if not kept[0][0].isspace() and any(line[0].isspace() for line in kept):
        return _cut(kept, lambda line, _: not line[0].isspace())
    return _cut(kept, _begins_entry)


def _blocks(lines: Sequence[str]) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _cut(lines: Sequence[str], begins: Callable[[str, list[str]], bool]) -> list[list[str]]:
    entries: list[list[str]] = []
    for line in lines:
        if not entries or begins(line, entries[-1]):
            entries.append([])
        entries[-1].append(line)
    return entries


def _begins_entry(line: str, before: list[str]) -> bool:
    """Whether a line starts with a name, after an entry that has a year and seems complete."""
    ended = before[-1].rstrip().endswith((".", ")", "]")) or "http" in before[-1]
    return ended and _ENTRY_BEGINS.match(line) is not None and any(map(_ANY_YEAR.search, before))

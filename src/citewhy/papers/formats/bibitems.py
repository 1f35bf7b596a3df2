"""The ``\\bibitem`` entries of ``thebibliography`` and of ``.bbl`` files."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from citewhy.base.import_report import ImportReport
from citewhy.base.records import Paper
from citewhy.papers.formats.compiled_references import paper_of_bibinfo
from citewhy.papers.formats.fields import Seen
from citewhy.text.latex_text import plain
from citewhy.text.lines import LineNumbers
from citewhy.text.printed_reference import parse
from citewhy.text.source import FilePath, read_text
from citewhy.text.tidy import shorten, tidy

__all__ = ["BLOCK", "Item", "bibitems", "paper_of_item", "read_bibitems"]

BLOCK = "\x1e"
"""The character that replaces ``\\newblock``."""

_LONGEST_LABEL = 2000
_LONGEST_ITEM = 20_000
_ITEM = re.compile(r"(?<!\\)\\bibitem\b[ \t\r\n]*")
_KEY = re.compile(r"[ \t\r\n%]*\{([^{}]{1,300})\}")
_END = re.compile(r"(?<!\\)\\end[ \t]*\{thebibliography\}")
_NEW_BLOCK = re.compile(r"\\newblock\b")
_COMMENT = re.compile(r"(?<!\\)%.*\n?")
_YEAR_ALONE = re.compile(r"\(?(?:19|20)\d\d[a-z]?\)?\.?")


@dataclass(frozen=True, slots=True)
class Item:
    """An entry: its key, its text with `BLOCK`s, and its position."""

    key: str
    text: str
    start: int
    end: int


def read_bibitems(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """The entries whose title can be found, under their keys."""
    seen = Seen(path, report)
    text = read_text(path, notice=functools.partial(report.warn, path))
    lines = LineNumbers(text)
    for item in bibitems(text):
        line = lines.at(item.start)
        marked = paper_of_bibinfo(item.key, text[item.start : item.end])
        paper = marked or paper_of_item(item.key, item.text)
        if not paper.title:
            report.skip(path, line, f"no title found in the entry {shorten(item.key)!r}")
        elif placed := seen.placed(paper, line):
            yield placed


def bibitems(text: str) -> Iterator[Item]:
    """The entries in a text."""
    starts = list(_ITEM.finditer(text))
    ends = [start.start() for start in starts[1:]] + [len(text)]
    for start, end in zip(starts, ends, strict=False):
        key = _KEY.match(text, _after_label(text, start.end(), end))
        if key is None:
            continue
        end = min(end, key.end() + _LONGEST_ITEM)
        if closing := _END.search(text, key.end(), end):
            end = closing.start()
        body = _NEW_BLOCK.sub(BLOCK, _COMMENT.sub("", text[key.end() : end]))
        blocks = (tidy(plain(block)) for block in body.split(BLOCK))
        yield Item(tidy(key[1]), BLOCK.join(block for block in blocks if block), start.start(), end)


def _after_label(text: str, place: int, end: int) -> int:
    """The offset after the label in square brackets, if there is one; braces may contain other brackets."""
    if not text.startswith("[", place):
        return place
    depth = 0
    for at in range(place + 1, min(end, place + _LONGEST_LABEL)):
        if text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
        elif text[at] == "]" and depth <= 0:
            return at + 1
    return place


def paper_of_item(key: str, text: str) -> Paper:
    """A printed reference, as far as it can be parsed; its blocks, if it has any, delimit the title."""
    blocks = [block for part in text.split(BLOCK) if (block := " ".join(part.split()))]
    parsed = parse(" ".join(blocks))
    title, venue = parsed.title, parsed.venue
    # "Papineni. 2002. BLEU: …" has its year in place of the title.
    parts = [block for block in blocks[1:] if not _YEAR_ALONE.fullmatch(block)]
    if parts:
        title, venue = parts[0].strip(' .,“”"'), " ".join(parts[1:]).strip(" .,")
    return Paper(
        key, title, authors=parsed.authors, year=parsed.year, venue=venue, doi=parsed.doi, url=parsed.url
    )

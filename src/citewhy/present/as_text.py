"""Answers for a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from citewhy.records import Advice, Paper, Suggestion

__all__ = ["advice", "authors", "suggestions"]

_WIDTH = 80
_INDENT = " " * 7
_AUTHORS_SHOWN = 3
_REASONS_SHOWN = 4
_PASSAGE_SHOWN = 220


def advice(found: Advice, number: int) -> str:
    """One open place: where it is, its sentence with the gap, and the papers that fit."""
    marker = found.marker
    head = f"{number}. {_clean(Path(marker.place.file).name)}:{marker.place.line}"
    if found.undefined:
        head += f"  (no entry for: {_clean(', '.join(found.undefined))})"
    return "\n".join([head, *_wrapped(_with_gap(found), "   "), "", suggestions(found.suggestions)])


def suggestions(found: Sequence[Suggestion]) -> str:
    """A numbered list with reasons; a sentence where it is empty."""
    if not found:
        return "   Nothing in the library fits well."
    return "\n".join(line for rank, each in enumerate(found, 1) for line in _suggestion(rank, each))


def authors(paper: Paper) -> str:
    """The first authors' names; empty where none is known."""
    if len(paper.authors) <= _AUTHORS_SHOWN:
        return ", ".join(paper.authors)
    first = paper.authors[: _AUTHORS_SHOWN - 1]
    return f"{', '.join(first)} and {len(paper.authors) - len(first)} others"


def _with_gap(found: Advice) -> str:
    """The sentence with [?] where the citation is missing."""
    text, offset = found.sentence.text, found.marker.offset
    after = text[offset:].lstrip()
    space = "" if after[:1] in set(".,;:!?)") else " "
    return f"{text[:offset].rstrip()} [?]{space}{after}"


def _suggestion(rank: int, found: Suggestion) -> Iterator[str]:
    paper = found.paper
    yield from _wrapped(paper.title, f"   {rank:>2}  ", _INDENT)
    facts = [authors(paper), "" if paper.year is None else str(paper.year), paper.venue]
    yield from _wrapped(". ".join(fact for fact in facts if fact), _INDENT)
    key = f"key {found.key}, " if found.key else ""
    # A score says something only beside others of the same list; a probability says it alone.
    worth = f"score {found.score:.2f}" if found.probability is None else f"{found.probability:.0%} sure"
    yield _clean(f"{key}id {paper.id}, {worth}", _INDENT)
    for reason in found.reasons[:_REASONS_SHOWN]:
        yield from _wrapped(reason.text, f"{_INDENT}– ", f"{_INDENT}  ")
    for passage in found.passages[:1]:
        where = "its abstract" if passage.sid is None else f"its section {passage.section or '?'}"
        quoted = textwrap.shorten(_clean(passage.text), _PASSAGE_SHOWN, placeholder="…")
        yield from _wrapped(f"{where}: “{quoted}”", f"{_INDENT}– ", f"{_INDENT}  ")
    yield ""


def _wrapped(text: str, first: str, rest: str | None = None) -> list[str]:
    """Lines that fit the screen, indented; none for an empty text."""
    return textwrap.wrap(
        _clean(text), _WIDTH, initial_indent=first, subsequent_indent=first if rest is None else rest
    )


def _clean(text: str, indent: str = "") -> str:
    """One line: no line break or control character of foreign data reaches the terminal."""
    return indent + " ".join("".join(c if c.isprintable() else " " for c in text).split())

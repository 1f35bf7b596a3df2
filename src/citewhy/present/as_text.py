"""Answers for a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from citewhy.records import Advice, Paper, Passage, Suggestion

__all__ = ["advice", "authors", "heading", "passages", "suggestions"]

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
    # Whom the passage credits is told beside it.
    credited = [reason.text for reason in found.reasons if reason.kind == "credits"]
    told = [reason.text for reason in found.reasons if reason.kind != "credits"][:_REASONS_SHOWN]
    told += [f"{_where(passage)}: “{_quoted(passage)}”" for passage in found.passages[:1]]
    if found.source == "none":
        told.append("the library has no text of it")
    for line in (*told, *credited):
        yield from _wrapped(line, f"{_INDENT}– ", f"{_INDENT}  ")
    yield ""


def heading(paper: Paper) -> str:
    """Title, authors, year and venue, id."""
    facts = [authors(paper), "" if paper.year is None else str(paper.year), paper.venue]
    lines = [
        *_wrapped(paper.title, _INDENT),
        *_wrapped(". ".join(fact for fact in facts if fact), _INDENT),
        _clean(f"id {paper.id}", _INDENT),
    ]
    return "\n".join(lines)


def passages(found: Sequence[Passage], credited: Sequence[Sequence[Paper]]) -> str:
    """A numbered list of passages of one paper; `credited` has for each the papers that it credits."""
    return "\n".join(
        line
        for rank, (passage, papers) in enumerate(zip(found, credited, strict=True), 1)
        for line in _passage(rank, passage, papers)
    )


def _passage(rank: int, found: Passage, credited: Sequence[Paper]) -> Iterator[str]:
    yield from _wrapped(found.text, f"   {rank:>2}  ", _INDENT)
    several = found.last_sid is not None and found.last_sid != found.sid
    number = f", sentences {found.sid} to {found.last_sid}" if several else f", sentence {found.sid}"
    facet = f"; cited for: {found.facet}" if found.facet else ""
    where = _where(found).removeprefix("its ")
    yield from _wrapped(
        f"{where}{'' if found.sid is None else number}{facet}", f"{_INDENT}– ", f"{_INDENT}  "
    )
    for paper in credited:
        year = "" if paper.year is None else f" {paper.year}"
        said = f"it credits {authors(paper)}{year}: “{paper.title}” (id {paper.id})"
        yield from _wrapped(said, f"{_INDENT}– ", f"{_INDENT}  ")
    yield ""


def _where(passage: Passage) -> str:
    return "its abstract" if passage.sid is None else f"its section {passage.section or '?'}"


def _quoted(passage: Passage) -> str:
    return textwrap.shorten(_clean(passage.text), _PASSAGE_SHOWN, placeholder="…")


def _wrapped(text: str, first: str, rest: str | None = None) -> list[str]:
    """Lines that fit the screen, indented; none for an empty text."""
    return textwrap.wrap(
        _clean(text), _WIDTH, initial_indent=first, subsequent_indent=first if rest is None else rest
    )


def _clean(text: str, indent: str = "") -> str:
    """One line: no line break or control character of foreign data reaches the terminal."""
    return indent + " ".join("".join(c if c.isprintable() else " " for c in text).split())

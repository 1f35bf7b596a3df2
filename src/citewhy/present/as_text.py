"""Answers for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from citewhy.present.lines import clean, shortened, wrapped
from citewhy.records import Advice, Manuscript, Paper, Passage, Place, Suggestion, Unit
from citewhy.reports import Classified, PaperPassages

__all__ = ["advice", "authors", "classified", "draft", "left_open", "passages", "problems", "suggestions"]

_INDENT = " " * 7
_AUTHORS_SHOWN = 3
_REASONS_SHOWN = 4
_PASSAGE_SHOWN = 220
_PROBLEMS_SHOWN = 5

_SEARCHED = {
    "full text": "from its full text:",
    "abstract": "The library has no full text of it; from its abstract:",
    "none": "The library has neither full text nor abstract of it.",
}
_NOTHING = {
    "full text": "No sentence of its full text shares a word with the text.",
    "abstract": "The library has no full text of it; its abstract shares no word with the text.",
    "none": _SEARCHED["none"],
}

_UNITS: dict[Unit, str] = {
    "place": "open citations",
    "set": "citations",
    "paragraph": "paragraphs without citations",
    "draft": "text",
}


# A draft --------------------------------------------------------------------------------------------------


def draft(manuscript: Manuscript, found: Iterable[Advice], units: Sequence[Unit] = ("place",)) -> str:
    """The answers to a draft, numbered; a sentence if it has none of the `units`."""
    answers = [advice(each, number) for number, each in enumerate(found, 1)]
    nothing = f"{manuscript.path}: no {' and no '.join(_UNITS[each] for each in units)}."
    return "\n".join(answers) if answers else nothing


def problems(manuscript: Manuscript) -> list[str]:
    """The first problems of a draft, one on each line, and the number of further ones."""
    shown = list(manuscript.problems[:_PROBLEMS_SHOWN])
    more = len(manuscript.problems) - len(shown)
    return [*shown, f"{more} more problems in the draft; --json lists them all"] if more else shown


def left_open(found: Iterable[tuple[Place, str]]) -> list[str]:
    """What an edit does not write, and why; a line each."""
    lines = [f"  {clean(Path(place.file).name)}:{place.line}: {clean(why)}" for place, why in found]
    return [f"Left open: {len(lines)}", *lines] if lines else []


def advice(found: Advice, number: int) -> str:
    """The answer to one unit: where it is, its sentence with the gap, and the papers that fit."""
    where = f"{clean(Path(found.place.file).name)}:{found.place.line}"
    head = f"{number}. {where}{_note(found)}"
    return "\n".join([head, *wrapped(_shown(found), "   "), "", suggestions(found.suggestions)])


def _note(found: Advice) -> str:
    if found.unit == "set" and found.marker is not None:
        return f"  (beside: {clean(', '.join(found.marker.keys))})"
    if found.undefined:
        return f"  (not in the bibliography: {clean(', '.join(found.undefined))})"
    return {"paragraph": "  (paragraph)", "draft": "  (whole draft)"}.get(found.unit, "")


def _shown(found: Advice) -> str:
    """The sentence, with [?] where the citation is missing."""
    if found.sentence is None or found.marker is None:
        return "" if found.sentence is None else found.sentence.text
    text, offset = found.sentence.text, found.marker.offset
    after = text[offset:].lstrip()
    space = "" if after[:1] in set(".,;:!?)") else " "
    return f"{text[:offset].rstrip()} [?]{space}{after}"


# Suggestions ----------------------------------------------------------------------------------------------


def suggestions(found: Sequence[Suggestion]) -> str:
    """A numbered list with reasons; a sentence if it is empty."""
    if not found:
        return "   Nothing in the library fits well."
    return "\n".join(line for rank, each in enumerate(found, 1) for line in _suggestion(rank, each))


def authors(paper: Paper) -> str:
    """The first authors' names; empty if none is known."""
    if len(paper.authors) <= _AUTHORS_SHOWN:
        return ", ".join(paper.authors)
    first = paper.authors[: _AUTHORS_SHOWN - 1]
    return f"{', '.join(first)} and {len(paper.authors) - len(first)} others"


def _suggestion(rank: int, found: Suggestion) -> Iterator[str]:
    paper = found.paper
    yield from wrapped(paper.title, f"   {rank:>2}  ", _INDENT)
    yield from wrapped(_facts(paper), _INDENT)
    key = f"key {found.key}, " if found.key else ""
    # A score can only be compared with others in the same list; a probability has a meaning of its own.
    worth = f"score {found.score:.2f}" if found.probability is None else f"{found.probability:.0%} sure"
    yield clean(f"{key}id {paper.id}, {worth}", _INDENT)
    # Whom the passage credits is shown below it.
    credited = [reason.text for reason in found.reasons if reason.kind == "credits"]
    lines = [reason.text for reason in found.reasons if reason.kind != "credits"][:_REASONS_SHOWN]
    lines += [
        f"{_where(passage)}: “{shortened(passage.text, _PASSAGE_SHOWN)}”" for passage in found.passages[:1]
    ]
    if found.source == "none":
        lines.append("the library has neither its full text nor its abstract")
    for line in (*lines, *credited):
        yield from wrapped(line, f"{_INDENT}– ", f"{_INDENT}  ")
    yield ""


def _facts(paper: Paper) -> str:
    facts = [authors(paper), "" if paper.year is None else str(paper.year), paper.venue]
    return ". ".join(fact for fact in facts if fact)


# Classified sentences ---------------------------------------------------------------------------------------


def classified(found: Sequence[Classified]) -> str:
    """Each sentence below its label."""
    return "\n".join(line for each in found for line in _classified(each))


def _classified(found: Classified) -> Iterator[str]:
    place = found.place
    where = "" if place is None else f"{clean(Path(place.file).name)}:{place.line}  "
    yield f"{where}{clean(found.label)}, {found.probabilities[found.label]:.0%} sure"
    yield from wrapped(found.text, "   ")
    yield ""


# Passages -------------------------------------------------------------------------------------------------


def passages(found: PaperPassages) -> str:
    """The paper, what of it was searched, and its passages, numbered."""
    paper = found.paper
    lines = [
        *wrapped(paper.title, _INDENT),
        *wrapped(_facts(paper), _INDENT),
        clean(f"id {paper.id}", _INDENT),
    ]
    lines += wrapped((_SEARCHED if found.passages else _NOTHING)[found.source], _INDENT)
    credited = {each.id: each for each in found.credited}
    for rank, passage in enumerate(found.passages, 1):
        lines += ["", *_passage(rank, passage, [credited[each] for each in passage.credits])]
    return "\n".join(lines)


def _passage(rank: int, found: Passage, credited: Sequence[Paper]) -> Iterator[str]:
    yield from wrapped(found.text, f"   {rank:>2}  ", _INDENT)
    several = found.last_sid is not None and found.last_sid != found.sid
    number = f", sentences {found.sid} to {found.last_sid}" if several else f", sentence {found.sid}"
    facet = f"; cited for: {found.facet}" if found.facet else ""
    where = _where(found).removeprefix("its ")
    yield from wrapped(f"{where}{'' if found.sid is None else number}{facet}", f"{_INDENT}– ", f"{_INDENT}  ")
    for paper in credited:
        year = "" if paper.year is None else f" {paper.year}"
        credit = f"it credits {authors(paper)}{year}: “{paper.title}” (id {paper.id})"
        yield from wrapped(credit, f"{_INDENT}– ", f"{_INDENT}  ")


def _where(passage: Passage) -> str:
    return "its abstract" if passage.sid is None else f"its section {passage.section or '?'}"

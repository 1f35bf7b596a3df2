"""Answers for a terminal."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from citewhy.answers.answer import is_by_key, seems_complete, worth_showing
from citewhy.base.records import (
    Manuscript,
    Paper,
    Passage,
    Place,
    Resolution,
    ResolutionKind,
    Suggestion,
    UnitAnswer,
    UnitKind,
)
from citewhy.base.reports import Classified, Finding, PaperPassages
from citewhy.doors.present.lines import PLAIN, Look, clean, shortened, styled, wrapped
from citewhy.drafts.formats import format_named
from citewhy.drafts.sentences import shown
from citewhy.text.counted import counted

_INDENT = " " * 7
_AUTHORS_SHOWN = 3
_REASONS_SHOWN = 4
_PASSAGE_SHOWN = 220
_PROBLEMS_SHOWN = 5
_REASONS_SHORT, _LINES_SHORT = 2, 2
"""Reasons, and lines of each reason and of the passage, that are shown unless all are asked for."""

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

_ADDRESSES: dict[ResolutionKind, str] = {"doi": "DOI", "arxiv": "arXiv number"}
_FILE_OF_PROBLEM = re.compile(r":(?:\d+:)? ")
_UNITS: dict[UnitKind, str] = {
    "place": "open citations",
    "set": "citations",
    "paragraph": "paragraphs without citations",
    "draft": "text",
}


# A draft --------------------------------------------------------------------------------------------------


def draft(
    manuscript: Manuscript,
    unit_answers: Iterable[UnitAnswer],
    units: Sequence[UnitKind] = ("place",),
    look: Look = PLAIN,
) -> str:
    """The answers to a draft, numbered; a sentence if it has none of the `units`."""
    answers = [unit_answer(answer, number, look) for number, answer in enumerate(unit_answers, 1)]
    return "\n".join(answers) if answers else nothing_open(manuscript, units)


def nothing_open(manuscript: Manuscript, units: Sequence[UnitKind] = ("place",)) -> str:
    """Says that a draft has none of the `units`, and how an open citation is marked."""
    none = f"{manuscript.path}: no {' and no '.join(_UNITS[unit] for unit in units)}."
    return f"{none} Mark one with {format_named(manuscript.format).mark}." if "place" in units else none


def problems(manuscript: Manuscript, verbose: bool = False) -> list[str]:
    """The problems of a draft, a line each. Unless `verbose`, several of one file are one line, which shows
    the first; problems of different kinds are not hidden by each other."""
    every = manuscript.problems
    if verbose:
        return list(every)
    by_file: dict[str, list[str]] = {}
    for problem in every:
        # A missing file changes all answers: it is always shown.
        group = problem if "no such file" in problem else _FILE_OF_PROBLEM.split(problem, maxsplit=1)[0]
        by_file.setdefault(group, []).append(problem)
    lines = []
    for group in by_file.values():
        more = len(group) - 1
        others = f" (and {counted(more, 'more problem')} in this file; --verbose lists all)"
        lines.append(group[0] + (others if more else ""))
    if (rest := len(lines) - _PROBLEMS_SHOWN) > 0:
        lines[_PROBLEMS_SHOWN:] = [f"problems in {counted(rest, 'more file')}; --verbose lists all"]
    return lines


def left_open(left: Iterable[tuple[Place, str]]) -> list[str]:
    """Lists what an edit does not write, and why; a line each."""
    lines = [f"  {clean(Path(place.file).name)}:{place.line}: {clean(why)}" for place, why in left]
    return [f"Left open: {len(lines)}", *lines] if lines else []


def unit_answer(answer: UnitAnswer, number: int, look: Look = PLAIN) -> str:
    """The answer to one unit: where it is, its sentence with the gap, and the papers that fit."""
    where = f"{clean(Path(answer.unit.place.file).name)}:{answer.unit.place.line}"
    head, note = f"{number}. {where}", _note(answer)
    below = len(head) + len(note) > look.width
    first = f"{styled(head, 'strong', look)}{'' if below else note}"
    sentence = "" if answer.unit.sentence is None else shown(answer.unit.sentence, answer.unit.marker)
    lines = wrapped(note, "   ", width=look.width) if below else []
    lines += wrapped(sentence, "   ", width=look.width)
    for resolution in answer.resolutions:
        if not resolution.paper_ids:
            lines += wrapped(_unknown(resolution, answer.unit.undefined), "   ", width=look.width)
    if seems_complete(answer):
        lines += ["   Nothing seems to be missing here. The papers that come nearest:"]
    return "\n".join([first, *lines, "", suggestions(answer.suggestions, look)])


def _unknown(resolution: Resolution, keys: Collection[str]) -> str:
    """Says that the library has no paper that a text names."""
    if resolution.kind == "authors":
        return f"The library has no paper that is cited as {resolution.text.rstrip('.')}."
    what = "the key " if resolution.text in keys else ""
    return f"No paper in the library matches {what}“{resolution.text}”."


def _note(answer: UnitAnswer) -> str:
    if answer.unit.undefined and answer.unit.kind != "set":
        return f"  (not in the bibliography: {clean(', '.join(answer.unit.undefined))})"
    if answer.unit.marker is not None and answer.unit.marker.keys:
        return f"  (beside: {clean(', '.join(answer.unit.marker.keys))})"
    return {"paragraph": "  (paragraph)", "draft": "  (whole draft)"}.get(answer.unit.kind, "")


# Suggestions ----------------------------------------------------------------------------------------------


def suggestions(answer: Sequence[Suggestion], look: Look = PLAIN) -> str:
    """A numbered list with reasons; a sentence if it is empty. Unless the look is verbose, papers after the
    first that are hardly probable are left out."""
    if not answer:
        return "   Nothing in the library fits well."
    kept = shown_suggestions(answer, look)
    lines = (line for rank, suggestion in enumerate(kept, 1) for line in _suggestion(rank, suggestion, look))
    return "\n".join([*_proposal(kept), *lines])


def _proposal(answer: Sequence[Suggestion]) -> list[str]:
    """Which of the numbered papers are proposed together, if there are several."""
    numbers = [str(rank) for rank, suggestion in enumerate(answer, 1) if suggestion.proposed]
    if len(numbers) < 2:
        return []
    return [f"   Proposed together: {', '.join(numbers[:-1])} and {numbers[-1]}", ""]


def shown_suggestions(answer: Sequence[Suggestion], look: Look = PLAIN) -> list[Suggestion]:
    """The suggestions that `suggestions` shows."""
    return list(answer) if look.verbose else worth_showing(answer)


def authors(paper: Paper) -> str:
    """The first authors' names; empty if none is known."""
    if len(paper.authors) <= _AUTHORS_SHOWN:
        return ", ".join(paper.authors)
    first = paper.authors[: _AUTHORS_SHOWN - 1]
    return f"{', '.join(first)} and {len(paper.authors) - len(first)} others"


def _suggestion(rank: int, suggestion: Suggestion, look: Look) -> Iterator[str]:
    paper = suggestion.paper
    for line in wrapped(paper.title, f"   {rank:>2}  ", _INDENT, look.width):
        yield styled(line, "strong", look)
    if look.verbose:
        yield from wrapped(_facts(paper), _INDENT, width=look.width)
    elif facts := _facts(paper):
        yield f"{_INDENT}{shortened(facts, look.width - len(_INDENT))}"
    for line in wrapped(_naming(suggestion), _INDENT, width=look.width):
        yield styled(line, "key", look)
    for line in _reasons(suggestion, look):
        yield from wrapped(line, f"{_INDENT}– ", f"{_INDENT}  ", look.width)
    yield ""


def _naming(suggestion: Suggestion) -> str:
    """Its key, its id, and how sure it is: a score can only be compared with others in the same list, a
    probability has a meaning of its own; a match by key needs neither."""
    if suggestion.reasons[0].kind == "own-entry":  # which the library does not have
        return clean(f"key {suggestion.key}")
    if suggestion.key == suggestion.paper.id:
        named = [f"key and id {suggestion.key}"]
    else:
        named = [f"key {suggestion.key}" if suggestion.key else "", f"id {suggestion.paper.id}"]
    if suggestion.in_bibliography:
        named.append("in your bibliography")
    elif suggestion.library:
        named.append(f"in {suggestion.library}")
    if not is_by_key(suggestion):
        named.append(
            f"score {suggestion.score:.2f}"
            if suggestion.probability is None
            else f"{suggestion.probability:.0%} sure"
        )
    return clean(", ".join(filter(None, named)))


def _reasons(suggestion: Suggestion, look: Look) -> list[str]:
    """The lines that say why; unless the look is verbose, two reasons and the passage, shortened."""
    # Whom the passage credits is shown below it.
    credited = [reason.text for reason in suggestion.reasons if reason.kind == "credits"]
    reasons = [reason.text for reason in suggestion.reasons if reason.kind != "credits"]
    quotes = [(_where(passage), passage.text) for passage in suggestion.passages[:1]]
    # Most entries of a bibliography have no abstract, and their author knows.
    no_text = suggestion.source == "none" and (look.verbose or not suggestion.in_bibliography)
    none = ["the library has neither its full text nor its abstract"] if no_text else []
    if look.verbose:
        passage = [f"{where}: “{shortened(text, _PASSAGE_SHOWN)}”" for where, text in quotes]
        return [*reasons[:_REASONS_SHOWN], *passage, *none, *credited]
    room = _LINES_SHORT * (look.width - len(_INDENT) - 2) - 10  # wrapping between words leaves some free
    passage = [f"{where}: “{shortened(text, room - len(where) - 4)}”" for where, text in quotes]
    return [_cut(text, room) for text in [*reasons[:_REASONS_SHORT], *passage, *none]]


def _cut(text: str, limit: int) -> str:
    """The text in one line of about `limit` characters; a quotation that is cut is still closed."""
    line = shortened(text, limit)
    return f"{line}”" if line.count("“") > line.count("”") else line


def _facts(paper: Paper) -> str:
    facts = [authors(paper), "" if paper.year is None else str(paper.year), paper.venue]
    return ". ".join(fact for fact in facts if fact)


# Papers ---------------------------------------------------------------------------------------------------


def finding(answer: Finding, look: Look = PLAIN) -> str:
    """The papers that a text names, and then those that have its words, numbered throughout."""
    if not answer.papers:
        what = _ADDRESSES.get(answer.resolution.kind)
        text = clean(answer.text)
        return (
            f"no paper in the library has the {what} {text}"
            if what
            else f"nothing in the library fits {text!r}"
        )
    equal = answer.resolution.paper_ids
    named = sum(paper.id in equal for paper in answer.papers)
    papers = ["\n".join(_paper(rank, paper, look)) for rank, paper in enumerate(answer.papers, 1)]
    head = [f"{len(equal)} papers fit equally:"] if len(equal) > 1 else []
    rest = ["Papers with these words:"] if 0 < named < len(papers) else []
    return "\n".join([*head, *papers[:named], *rest, *papers[named:]])


def _paper(rank: int, paper: Paper, look: Look) -> Iterator[str]:
    for line in wrapped(paper.title, f"   {rank:>2}  ", _INDENT, look.width):
        yield styled(line, "strong", look)
    if facts := _facts(paper):
        yield f"{_INDENT}{shortened(facts, look.width - len(_INDENT))}"
    doi = f", DOI {paper.doi}" if paper.doi else ""
    yield f"{_INDENT}{styled(clean(f'id {paper.id}{doi}'), 'key', look)}"
    yield ""


# Classified sentences ---------------------------------------------------------------------------------------


def classified(answer: Sequence[Classified]) -> str:
    """Each sentence below its label."""
    return "\n".join(line for sentence in answer for line in _classified(sentence))


def _classified(sentence: Classified) -> Iterator[str]:
    place = sentence.place
    where = "" if place is None else f"{clean(Path(place.file).name)}:{place.line}  "
    yield f"{where}{clean(sentence.label)}, {sentence.probabilities[sentence.label]:.0%} sure"
    yield from wrapped(sentence.text, "   ")
    yield ""


# Passages -------------------------------------------------------------------------------------------------


def passages(answer: PaperPassages) -> str:
    """The paper, what of it was searched, and its passages, numbered."""
    paper = answer.paper
    lines = [
        *wrapped(paper.title, _INDENT),
        *wrapped(_facts(paper), _INDENT),
        clean(f"id {paper.id}", _INDENT),
    ]
    lines += wrapped((_SEARCHED if answer.passages else _NOTHING)[answer.source], _INDENT)
    credited = {paper.id: paper for paper in answer.credited}
    for rank, passage in enumerate(answer.passages, 1):
        lines += ["", *_passage(rank, passage, [credited[paper_id] for paper_id in passage.credits])]
    return "\n".join(lines)


def _passage(rank: int, passage: Passage, credited: Sequence[Paper]) -> Iterator[str]:
    yield from wrapped(passage.text, f"   {rank:>2}  ", _INDENT)
    several = passage.last_sid is not None and passage.last_sid != passage.sid
    number = f", sentences {passage.sid} to {passage.last_sid}" if several else f", sentence {passage.sid}"
    facet = f"; cited for: {passage.facet}" if passage.facet else ""
    where = _where(passage).removeprefix("its ")
    yield from wrapped(
        f"{where}{'' if passage.sid is None else number}{facet}", f"{_INDENT}– ", f"{_INDENT}  "
    )
    for paper in credited:
        year = "" if paper.year is None else f" {paper.year}"
        credit = f"it credits {authors(paper)}{year}: “{paper.title}” (id {paper.id})"
        yield from wrapped(credit, f"{_INDENT}– ", f"{_INDENT}  ")


def _where(passage: Passage) -> str:
    return "its abstract" if passage.sid is None else f"its section {passage.section or '?'}"

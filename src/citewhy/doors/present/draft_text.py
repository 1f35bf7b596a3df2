"""The answer to a draft for a terminal: a summary, a few lines for each place, and what is true of all."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from citewhy.answers.answer import is_by_key, is_likely, likely, seems_complete
from citewhy.answers.edits import Chosen, LeftOpen, taken_back_of
from citewhy.answers.resolve.keys import alike_keys
from citewhy.base.records import Manuscript, Place, Resolution, Suggestion, Unit, UnitAnswer, UnitKind
from citewhy.doors.present.as_text import (
    lacking_text,
    nothing_fits,
    proposal,
    shown_suggestions,
    suggestions,
    sure,
)
from citewhy.doors.present.lines import (
    PLAIN,
    Look,
    around,
    clean,
    cut_in_the_middle,
    folded,
    from_here,
    located,
    shortened,
    styled,
    wrapped,
)
from citewhy.drafts.formats import format_named
from citewhy.drafts.sentences import GAP, shown
from citewhy.text.counted import counted, inflected
from citewhy.text.names import key_form, key_surnames
from citewhy.text.person import parts

_CANDIDATE = 0.02
"""Probability below which a candidate after the first is not shown in short."""

OFFERED, _KEY, _ROOM = 5, 24, 30
"""Papers shown for a place of which none is likely, columns in which keys are aligned, and those that a title
needs beside a key."""

_PROBLEMS_SHOWN = 5
_NOTES_SHOWN = 20
_FILE_OF_PROBLEM = re.compile(r":(?:\d+:)? ")
_UNITS: dict[UnitKind, tuple[str, str]] = {
    "place": ("open citation", "open citations"),
    "set": ("citation", "citations"),
    "paragraph": ("paragraph without citations", "paragraphs without citations"),
    "draft": ("text", "text"),
}
_NEEDED = "sentence without a citation", "sentences without a citation"


def draft(
    manuscript: Manuscript,
    unit_answers: Iterable[UnitAnswer],
    units: Sequence[UnitKind] = ("place",),
    look: Look = PLAIN,
) -> str:
    """The answers to a draft, numbered, after their summary; a sentence if it has none of the `units`. Unless
    the look is verbose, places are shown in short."""
    answers = list(unit_answers)
    if not answers:
        return nothing_open(manuscript, units)
    lines = _with_hint(folded(summary(answers), width=look.width), look)
    lines += ["", *_numbered(manuscript, answers, look), *_lacking(answers, look)]
    return "\n".join([*lines, *folded(notes(manuscript), width=look.width)]).rstrip("\n")


def draft_of_several(
    manuscript: Manuscript, answers: Sequence[UnitAnswer], units: Sequence[UnitKind], look: Look = PLAIN
) -> str:
    """As `draft`, for one of several: below its name, and without what is said at the end of all."""
    what = summary(answers) if answers else f"no {_units(units)}"
    head = folded(f"{clean(from_here(manuscript.path))}: {what}", width=look.width)
    lines = [*(styled(line, "strong", look) for line in head), ""]
    lines += [*_numbered(manuscript, answers, look), *folded(notes(manuscript), width=look.width)]
    return "\n".join(lines)


def several(drafts: Sequence[Sequence[UnitAnswer]], units: Sequence[UnitKind], look: Look = PLAIN) -> str:
    """What is said at the end of several drafts: what all of them have together."""
    answers = [answer for draft in drafts for answer in draft]
    what = summary(answers) if answers else f"no {_units(units)}"
    lines = folded(f"{counted(len(drafts), 'draft')}: {what}", width=look.width)
    return "\n".join([*_with_hint(lines, look), *_lacking(answers, look)])


def _numbered(manuscript: Manuscript, answers: Sequence[UnitAnswer], look: Look) -> Iterator[str]:
    show = unit_answer if look.verbose else in_short
    defined = [reference.key for reference in manuscript.references]
    return (show(answer, number, look, defined) for number, answer in enumerate(answers, 1))


def _lacking(answers: Sequence[UnitAnswer], look: Look) -> list[str]:
    papers = (paper for answer in answers for paper in shown_suggestions(answer.suggestions, look))
    return wrapped(lacking_text(papers), width=look.width)


def _units(units: Sequence[UnitKind]) -> str:
    return " and no ".join(_UNITS[unit][1] for unit in units)


def nothing_open(manuscript: Manuscript, units: Sequence[UnitKind] = ("place",)) -> str:
    """Says that a draft has none of the `units`, and how an open citation is marked."""
    none = f"{manuscript.path}: no {_units(units)}."
    if "place" not in units:
        return none
    name = shlex.quote(manuscript.path)
    review = f"Sentences without a citation that probably need one: citewhy review {name}"
    mark = f"Mark one with {format_named(manuscript.format).mark}."
    return "\n".join(filter(None, (f"{none} {mark}", notes(manuscript), review)))


def notes(manuscript: Manuscript) -> str:
    """Counts the notes that may be citations, with the lines of some; empty if there are none."""
    if not manuscript.notes:
        return ""
    where = places((place, "") for place in manuscript.notes[:_NOTES_SHOWN])
    more = ", …" if len(manuscript.notes) > _NOTES_SHOWN else ""
    what = inflected(len(manuscript.notes), "may be a citation", "may be citations")
    how = f"where one is missing, write {format_named(manuscript.format).mark}"
    return f"{counted(len(manuscript.notes), 'note')} {what} ({where}{more}); {how}."


def _with_hint(lines: list[str], look: Look) -> list[str]:
    """The lines with what shows reasons, unless they are shown: at the end of the last line, or below."""
    hint, last = "-v for reasons", lines[-1]
    if look.verbose:
        return lines
    return [*lines[:-1], f"{last}; {hint}"] if len(f"{last}; {hint}") <= look.width else [*lines, hint]


def summary(answers: Sequence[UnitAnswer]) -> str:
    """How many units there are, for how many of them a paper is likely, and how many keys are undefined."""
    kinds = Counter(_what(answer) for answer in answers if answer.unit.kind != "draft")
    counts = [counted(count, *what) for what, count in kinds.items()]
    undefined = {key for answer in answers for key in answer.unit.undefined}
    facts = [
        " and ".join(counts) or "the whole draft",
        f"{sum(map(is_likely, answers))} with a likely paper" if _has_probabilities(answers) else "",
        f"{counted(len(undefined), 'key')} that no bibliography has" if undefined else "",
    ]
    return "; ".join(filter(None, facts))


def _what(answer: UnitAnswer) -> tuple[str, str]:
    """What people call a unit, in singular and plural."""
    unit = answer.unit
    return _NEEDED if unit.kind == "place" and unit.marker is None else _UNITS[unit.kind]


def _has_probabilities(answers: Iterable[UnitAnswer]) -> bool:
    """False for a pipeline that gives none."""
    ranked = [paper for answer in answers for paper in answer.suggestions if not is_by_key(paper)]
    return not ranked or any(paper.probability is not None for paper in ranked)


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


# What is written, and what stays open ---------------------------------------------------------------------


def to_write(chosen: Sequence[Chosen], look: Look = PLAIN) -> list[str]:
    """Lists what an edit writes: how many citations, and where; which undefined keys give way to which, and
    why."""
    where = places((marker.place, "") for marker, _ in chosen)
    lines = folded(f"To write: {len(chosen)}: {where}", width=look.width)
    replaced = [
        (_why_replaced(paper), marker.place, f"{paper.for_key} → {paper.key}")
        for marker, papers in chosen
        for paper in papers
        if paper.for_key and paper.for_key != paper.key
    ]
    for reason in dict.fromkeys(reason for reason, _, _ in replaced):
        keys = places((place, keys) for why, place, keys in replaced if why == reason)
        lines += folded(f"{clean(reason)}: {keys}", "  ", width=look.width)
    return lines


def _why_replaced(paper: Suggestion) -> str:
    """Why an undefined key gives way to that of a paper: what the key says of it, or the author's choice."""
    said = paper.reasons[0].text.partition(f"your undefined key “{paper.for_key}” ")[2]
    return f"the key {said}" if said else "you chose"


def left_open(left: Sequence[LeftOpen], look: Look = PLAIN) -> list[str]:
    """Lists what an edit does not write, and why: the places by reason, or with the verbose look each with
    all that there is to say."""
    if not left:
        return []
    head = f"Left open: {len(left)}"
    if look.verbose:
        return [head, *(f"  {located(one.place)}: {clean(one.why)}" for one in left)]
    by_reason: dict[str, list[LeftOpen]] = {}
    for one in left:
        by_reason.setdefault(one.in_short or one.why, []).append(one)
    lines = [head]
    for reason, group in by_reason.items():
        where = places((one.place, one.key) for one in group)
        lines += folded(f"{clean(reason)}: {where}", "  ", width=look.width)
    return lines


def places(where: Iterable[tuple[Place, str]]) -> str:
    """Places by file, each file once with its lines; what is said of a place stands in brackets behind it."""
    by_file: dict[str, list[str]] = {}
    for place, what in where:
        line = f"{place.line} ({clean(what)})" if what else str(place.line)
        lines = by_file.setdefault(clean(from_here(place.file)), [])
        if line not in lines:
            lines.append(line)
    return "; ".join(f"{file}:{', '.join(lines)}" for file, lines in by_file.items())


# One unit -------------------------------------------------------------------------------------------------


def in_short(
    answer: UnitAnswer, number: int, look: Look = PLAIN, defined: Collection[str] = (), *, every: bool = False
) -> str:
    """The answer to one unit in a few lines: where it is, the words before the gap, and the papers that are
    likely, with the first reason; or else, or if `every` one is wanted, some candidates, a line each. Of an
    undefined key it is asked which of the `defined` ones may be meant."""
    papers = offered(answer, look)
    if not every:
        kept = shown_suggestions(answer.suggestions, look)
        named = any(likely(paper, answer) and is_by_key(paper) for paper in kept)
        alone = [paper for paper in kept if likely(paper, answer) or (paper.proposed and not named)]
        papers = alone if is_likely(answer) else [*papers[:1], *filter(_is_candidate, papers[1:])]
    lines = list(_head(answer, number, proposal(papers, answer.several), look))
    if answer.unit.sentence is not None:
        room = look.width - 3
        lines.append(f"   {around(_sentence(answer.unit), GAP, room)}")
    lines += _about(answer, look, defined)
    if not papers:
        return "\n".join([*lines, nothing_fits(), ""])
    for suggestion, line in zip(papers, candidates(papers, look), strict=True):
        lines.append(line)
        said = taken_back_of(suggestion)
        if said or likely(suggestion, answer):
            lines.append(f"           {shortened(said or suggestion.reasons[0].text, look.width - 11)}")
    return "\n".join([*lines, ""])


def _is_candidate(suggestion: Suggestion) -> bool:
    probability = None if is_by_key(suggestion) else suggestion.probability
    return suggestion.proposed or probability is None or probability >= _CANDIDATE


def offered(answer: UnitAnswer, look: Look = PLAIN) -> list[Suggestion]:
    """The papers of a unit to choose from."""
    return shown_suggestions(answer.suggestions, look)[:OFFERED]


def context(answer: UnitAnswer, look: Look = PLAIN) -> str:
    """The section and the paragraph around a unit, and its papers with all reasons."""
    unit = answer.unit
    sentences = () if unit.paragraph is None else unit.paragraph.sentences
    text = " ".join(
        shown(sentence, unit.marker if sentence is unit.sentence else None) for sentence in sentences
    )
    section = "" if unit.paragraph is None else unit.paragraph.section
    lines = [*wrapped(section, "   ", width=look.width), *wrapped(text, "   ", width=look.width), ""]
    return "\n".join([*lines, suggestions(answer.suggestions, replace(look, verbose=True), answer.several)])


def unit_answer(answer: UnitAnswer, number: int, look: Look = PLAIN, defined: Collection[str] = ()) -> str:
    """The answer to one unit: where it is, its sentence with the gap, and the papers that fit."""
    lines = [*_head(answer, number, "", look), *wrapped(_sentence(answer.unit), "   ", width=look.width)]
    lines += _about(answer, look, defined)
    return "\n".join([*lines, "", suggestions(answer.suggestions, look, answer.several)])


def _sentence(unit: Unit) -> str:
    """The sentence of a unit with the gap; before that of a footnote the one that it hangs on."""
    if unit.sentence is None:
        return ""
    sentence, noted = shown(unit.sentence, unit.marker), unit.paragraph and unit.paragraph.note_to
    return f"{shown(noted)} {sentence}" if noted else sentence


def candidates(papers: Sequence[Suggestion], look: Look = PLAIN) -> list[str]:
    """Papers in a line each: how sure it is, its key, and its title; who wrote it and when, unless the key
    says so."""
    lengths = [len(_named(paper)) for paper in papers]
    column = max((length for length in lengths if length <= _KEY), default=0)
    return [_candidate(rank, paper, column, look) for rank, paper in enumerate(papers, 1)]


def _candidate(rank: int, suggestion: Suggestion, column: int, look: Look) -> str:
    """The title stands beside the key, or on a line of its own where a long key leaves it little room."""
    before = f"   {rank:>2} {sure(suggestion):>5}  "
    named = cut_in_the_middle(_named(suggestion), look.width - len(before))
    after = " " * (max(column - len(named), 0) + 2)
    title, beside = f"{_who(suggestion)}{suggestion.paper.title}", look.width - len(f"{before}{named}{after}")
    if beside < min(len(title), _ROOM):
        after, beside = f"\n{' ' * len(before)}", look.width - len(before)
    return f"{before}{styled(named, 'key', look)}{after}{shortened(title, beside)}".rstrip()


def _named(suggestion: Suggestion) -> str:
    return clean(suggestion.key or suggestion.paper.id)


def _who(suggestion: Suggestion) -> str:
    """The first author and the year; empty if the key has both."""
    paper, key = suggestion.paper, key_form(_named(suggestion))
    year = "" if paper.year is None else str(paper.year)
    first = paper.authors[0] if paper.authors else ""
    if (not first or any(form in key for form in key_surnames(first))) and year[-2:] in key:
        return ""
    name = parts(first).family or first if first else ""
    who = f"{name}{' et al.' if len(paper.authors) > 1 else ''} {year}".strip()
    return f"{who}: " if who else ""


def _head(answer: UnitAnswer, number: int, together: str, look: Look) -> Iterator[str]:
    """The number and the place, with what is to be noted of it: on the same line, or else below. What stands
    beside a gap is in the draft: in short, it is left out where it needs lines of its own."""
    head, note = f"{number}. {located(answer.unit.place)}", _note(answer)
    line, width = styled(head, "strong", look), len(head)
    below: list[str] = []
    for remark in filter(None, (note, together)):
        if not below and width + 2 + len(remark) <= look.width:
            line, width = f"{line}  {remark}", width + 2 + len(remark)
        elif look.verbose or remark is together or answer.unit.undefined:
            below.append(remark)
    yield line
    for remark in below:
        yield from wrapped(remark, "   ", width=look.width)


def _about(answer: UnitAnswer, look: Look, defined: Collection[str]) -> Iterator[str]:
    """What there is to say of the place before its papers."""
    for resolution in answer.resolutions:
        if not resolution.paper_ids and (unknown := _unknown(resolution, answer.unit.undefined, look)):
            yield from wrapped(unknown, "   ", width=look.width)
    if not is_likely(answer):
        for key in answer.unit.undefined:
            if near := " or ".join(alike_keys(key, defined)):
                yield from folded(f"{clean(key)}: did you mean {clean(near)}?", "   ", width=look.width)
    if seems_complete(answer):
        yield "   Nothing seems to be missing here. The papers that come nearest:"


def _unknown(resolution: Resolution, keys: Collection[str], look: Look) -> str:
    """Says that the library has no paper that a text names. In short, the head of a place says it of keys."""
    if resolution.kind == "again":
        return f"“{resolution.text}” means the citation before it, which is open, or not marked."
    if resolution.kind == "authors":
        return f"The library has no paper that is cited as {resolution.text.rstrip('.')}."
    if resolution.text in keys:
        return f"No paper in the library matches the key “{resolution.text}”." if look.verbose else ""
    return f"No paper in the library matches “{resolution.text}”."


def _note(answer: UnitAnswer) -> str:
    if answer.unit.undefined and answer.unit.kind != "set":
        return f"(not in the bibliography: {clean(', '.join(answer.unit.undefined))})"
    if answer.unit.marker is not None and answer.unit.marker.keys:
        return f"(beside: {clean(', '.join(answer.unit.marker.keys))})"
    return {"paragraph": "(paragraph)", "draft": "(whole draft)"}.get(answer.unit.kind, "")

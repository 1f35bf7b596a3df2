"""Makes an edit of a draft from answers: selects the suggestions to write, explains which citations stay
open, and builds the changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from citewhy.answers.entries_beside import KIND
from citewhy.answers.resolve.keys import alike_keys, describes, key_parts
from citewhy.base.errors import InputError
from citewhy.base.records import Manuscript, Marker, Paper, Place, Resolution, Suggestion, UnitAnswer
from citewhy.drafts.edit.citations import add_entries, editable_format, fill, is_key, rename
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.edit.patch import Patch
from citewhy.drafts.files import DISK, DraftFiles
from citewhy.text.taken_back import TAKEN_BACK

AT_LEAST = 0.5
"""Default minimum probability of a suggestion that is written: more likely right than wrong."""

_IMPOSSIBLE = 0.002
"""Probability below which a paper that an undefined key fits is another one of the same name and year."""

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")

Ask = Callable[[UnitAnswer, str], Sequence[Suggestion]]
"""Asks the author for the papers of a citation, or the one of one of its undefined keys (empty: of the
citation). Raises `Stop` and `Back`."""

_SHOWN = 3
"""Maximum number of ids in a reason why a key stays open."""

_Question = tuple[UnitAnswer, str, str]
"""An answer, the undefined key that is asked about, and why it is not asked."""

Chosen = tuple[Marker, Sequence[Suggestion]]
"""A citation, and the papers to insert. A suggestion with `Suggestion.for_key` is for this key."""


class Stop(Exception):  # noqa: N818 (the author's wish, no error)
    """The author wants to be asked nothing more."""


class Back(Exception):  # noqa: N818 (the author's wish, no error)
    """The author wants to be asked the question before once more."""


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """A citation, or one of its keys, for which nothing is written."""

    place: Place
    why: str
    in_short: str = ""
    """What is true of others, too, by which they are listed together; empty: `why`."""
    key: str = ""
    """The undefined key that it is about, and what may be meant, if `in_short` does not say it."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The suggestions to write, and the citations that stay open."""

    chosen: list[Chosen] = field(default_factory=list)
    left_open: list[LeftOpen] = field(default_factory=list)


# Choosing -------------------------------------------------------------------------------------------------


def first_choices(
    answers: Iterable[UnitAnswer],
    manuscript: Manuscript,
    at_least: float = AT_LEAST,
    files: DraftFiles = DISK,
    *,
    outside: bool = False,
) -> Choices:
    """Selects the suggestions that are probable enough to be written; no paper twice in one sentence.

    Each undefined key is resolved separately (`UnitAnswer.resolutions`): by the paper that it names for
    certain; or by the only paper that it fits, if the draft's bibliography has this under another key
    (`fits_own_entry`), or if it is probable enough in its sentence. An empty citation or a placeholder gets
    the first suggestion if its note names it for certain, or by a surname and a year that fit it alone in the
    draft's bibliography (`notes_own_entry`), or unless its probability is below `at_least` in [0, 1]
    (pipelines without probabilities have no such minimum). Where several papers fit equally, nothing is
    written. Files outside of the folder of the draft's root are not changed unless `outside`.
    """
    choices = Choices()
    cited: set[tuple[Place, str]] = set()
    printed = editable_format(manuscript).unfilled(manuscript)
    defined = [reference.key for reference in manuscript.references]
    for answer in answers:
        marker, sentence = answer.unit.marker, answer.unit.sentence
        if marker is None or sentence is None:
            continue
        if not outside and not _is_inside(manuscript, marker.place.file, files):
            choices.left_open.append(LeftOpen(marker.place, "its file is outside of the draft's folder"))
            continue
        picked: list[Suggestion] = []
        here = {paper_id for place, paper_id in cited if place == sentence.place}
        for choice in (
            _of_keys(answer, at_least, defined)
            if answer.unit.undefined
            else [_of_place(answer, here, at_least, printed)]
        ):
            if isinstance(choice, LeftOpen):
                choices.left_open.append(choice)
            elif taken_back := taken_back_of(choice):
                why = f"{choice.key or choice.paper.id}, which fits, {taken_back}"
                choices.left_open.append(LeftOpen(marker.place, why, "the paper that fits was taken back"))
            elif (sentence.place, choice.paper.id) in cited:
                why = f"its sentence cites {choice.key or choice.paper.id} already"
                choices.left_open.append(LeftOpen(marker.place, why, "its sentence cites the paper already"))
            else:
                picked.append(choice)
                cited.add((sentence.place, choice.paper.id))
        if picked:
            choices.chosen.append((marker, tuple(picked)))
    return choices


def taken_back_of(suggestion: Suggestion) -> str:
    """What is said of a suggested paper that was retracted or withdrawn; empty for all others."""
    return next((one.text for one in suggestion.reasons if one.kind in TAKEN_BACK), "")


def _of_keys(
    answer: UnitAnswer, at_least: float, defined: Collection[str]
) -> Iterator[Suggestion | LeftOpen]:
    """For each undefined key of a citation, its suggestion, or the reason why it stays open, with what is
    alike among the `defined` keys."""
    by_key = {
        suggestion.for_key: suggestion for suggestion in reversed(answer.suggestions) if suggestion.for_key
    }
    if described := _described(answer, at_least):
        yield described
        return
    for key, resolution in zip(answer.unit.undefined, answer.resolutions, strict=True):
        suggestion = by_key.get(key)
        if why := _not_one(f"the key “{key}”", resolution):
            short = "several papers fit the key equally" if resolution.paper_ids else "no paper fits the key"
            near = " or ".join(f"“{known}”" for known in alike_keys(key, defined))
            meant = f"; did you mean {near}?" if near else ""
            yield LeftOpen(answer.unit.place, f"{why}{meant}", short, f"{key}{meant}")
        elif not is_key(key):
            yield LeftOpen(answer.unit.place, f"“{key}” is not a valid key for an entry")
        elif suggestion is None:
            yield LeftOpen(
                answer.unit.place, f"the key “{key}” names a paper that is suggested for another key"
            )
        elif not resolution.certain and not fits_own_entry(suggestion) and _is_unlikely(suggestion, at_least):
            short = f"a paper fits the key, and is less than {at_least:.0%} sure"
            if _fits_an_entry(suggestion):
                short = "an entry of the bibliography fits the key, but hardly the sentence"
            yield LeftOpen(
                answer.unit.place,
                f"the key “{key}” fits {suggestion.paper.id}, but not for certain; in its sentence, the "
                f"paper is {suggestion.probability:.0%} sure, below {at_least:.0%}",
                short,
                key,
            )
        else:
            yield suggestion


def fits_own_entry(suggestion: Suggestion) -> bool:
    """Whether an undefined key fits one paper alone, by more than a surname, and this is in the draft's
    bibliography under another key, and not impossible in its sentence."""
    return _fits_an_entry(suggestion) and not _is_unlikely(suggestion, _IMPOSSIBLE)


def _fits_an_entry(suggestion: Suggestion) -> bool:
    parts = key_parts(suggestion.for_key)
    return suggestion.in_bibliography and (bool(parts.years) or len(parts.words) > 1)


def notes_own_entry(suggestion: Suggestion, answer: UnitAnswer) -> bool:
    """Whether the mark of a citation names a surname and a year ("[Kuhn 1962?]") that fit one paper alone,
    and this is in the draft's bibliography, and not impossible in its sentence."""
    marker = answer.unit.marker
    if marker is None or not suggestion.in_bibliography or _is_unlikely(suggestion, _IMPOSSIBLE):
        return False
    years = set(_YEAR.findall(marker.note))
    return any(
        named.paper_ids == (suggestion.paper.id,) and not years.isdisjoint(_YEAR.findall(named.text))
        for named in answer.resolutions
    )


def _described(answer: UnitAnswer, at_least: float) -> Suggestion | None:
    """The first suggestion, if a single key without a year that names no paper shares a word with it
    (``skip-gram-sampling``)."""
    keys = () if answer.unit.marker is None else answer.unit.marker.keys
    of_library = [suggestion for suggestion in answer.suggestions if suggestion.reasons[0].kind != KIND]
    named = any(resolution.paper_ids for resolution in answer.resolutions)
    if len(keys) != 1 or keys != answer.unit.undefined or named or not of_library:
        return None
    first = of_library[0]
    if not describes(keys[0], first.paper) or _is_unlikely(first, at_least):
        return None
    return replace(first, for_key=keys[0])


def _not_one(what: str, resolution: Resolution) -> str:
    """Why a text names no single paper; empty if it names one."""
    if not resolution.paper_ids and resolution.kind == "authors":
        return f"the library has no paper that is cited as {resolution.text}"
    if not resolution.paper_ids and resolution.kind == "again":
        return f"{what} means the citation before it, which is open, or not marked"
    if not resolution.paper_ids:
        return f"no paper in the library matches {what}"
    if len(resolution.paper_ids) == 1:
        return ""
    shown = ", ".join(resolution.paper_ids[:_SHOWN]) + (", …" if len(resolution.paper_ids) > _SHOWN else "")
    return f"{what} fits {len(resolution.paper_ids)} papers in the library equally: {shown}"


def _of_place(
    answer: UnitAnswer, cited: Collection[str], at_least: float, printed: str
) -> Suggestion | LeftOpen:
    """The first suggestion for an empty citation or a placeholder that is not yet cited in its sentence."""
    if answer.unit.marker is None or answer.unit.marker.slot is None:
        return LeftOpen(answer.unit.place, "it comes from a macro or a link, or has notes between its keys")
    if printed:
        return LeftOpen(answer.unit.place, printed)
    for named in answer.resolutions:
        if why := _not_one(f"“{named.text}”", named):
            return LeftOpen(answer.unit.place, why)
    # An entry that the library does not have was found by its words alone: that is not enough to write it.
    ranked = [suggestion for suggestion in answer.suggestions if suggestion.reasons[0].kind != KIND]
    first = next((suggestion for suggestion in ranked if suggestion.paper.id not in cited), None)
    used = ranked[0] if ranked and ranked[0] is not first else None
    already = "" if used is None else f"its sentence cites {used.key or used.paper.id} already"
    if first is None:
        return LeftOpen(answer.unit.place, already or "nothing in the library fits well")
    naming = [named for named in answer.resolutions if first.paper.id in named.paper_ids]
    if answer.resolutions and not naming:
        return LeftOpen(answer.unit.place, already or "the paper that it names cannot be cited here")
    if any(named.certain for named in naming) or notes_own_entry(first, answer):
        return first
    if _is_unlikely(first, at_least):
        which = f"{already}; the next paper" if already else "the first paper"
        why = f"{which} is {first.probability:.0%} sure, below {at_least:.0%}"
        return LeftOpen(answer.unit.place, why, f"no paper is {at_least:.0%} sure")
    return first


def _is_unlikely(suggestion: Suggestion, at_least: float) -> bool:
    return suggestion.probability is not None and suggestion.probability < at_least


def _is_inside(manuscript: Manuscript, name: str, files: DraftFiles) -> bool:
    """Whether a file is in the folder of the draft's root, or of its book or project, or below it."""
    path = files.resolve(files.path(name))
    roots = {files.resolve(files.path(manuscript.path)).parent}
    roots |= {files.resolve(files.path(manuscript.folder))} if manuscript.folder else set()
    return ".." not in path.parts and any(root in path.parents or root == PurePath() for root in roots)


def asked_choices(
    answers: Iterable[UnitAnswer],
    manuscript: Manuscript,
    ask: Ask,
    files: DraftFiles = DISK,
    *,
    outside: bool = False,
) -> Choices:
    """The papers that the author chooses, citation by citation, and for each undefined key on its own: its
    entry is written under this key. What cannot be written is not asked. After `Back` the question before is
    asked again, after `Stop` none: all others stay open.
    """
    printed = editable_format(manuscript).unfilled(manuscript)
    coming = (
        (answer, key, _why_not_asked(answer, key, manuscript, files, printed, outside=outside))
        for answer in answers
        if answer.unit.marker is not None and answer.unit.sentence is not None
        for key in answer.unit.undefined or ("",)
    )
    questions: list[_Question] = []
    chosen, stopped = _asked(coming, questions, ask)
    questions += coming
    choices = Choices()
    for number, (answer, key, why) in enumerate(questions):
        marker = answer.unit.marker
        if marker is None:
            continue
        last = choices.chosen[-1] if choices.chosen else None
        picked = list(last[1]) if last is not None and last[0] is marker else []
        there = {suggestion.paper.id for suggestion in picked}
        new = [
            replace(suggestion, for_key=key)
            for suggestion in chosen.get(number, ())
            if suggestion.paper.id not in there
        ]
        if not new:
            name = f"“{key}”: " if key else ""
            reason = "you stopped before it" if number >= stopped else "you chose none"
            left = LeftOpen(answer.unit.place, why or f"{name}{reason}", why or reason, key)
            choices.left_open.append(left)
        elif picked:
            choices.chosen[-1] = (marker, (*picked, *new))
        else:
            choices.chosen.append((marker, tuple(new)))
    return choices


def _asked(
    coming: Iterator[_Question], questions: list[_Question], ask: Ask
) -> tuple[dict[int, Sequence[Suggestion]], int]:
    """What was chosen, by the number of the question, and the number of the first that was not asked any
    more. Each question goes from those that are `coming` to the `questions` when it is its turn."""
    chosen: dict[int, Sequence[Suggestion]] = {}
    to_ask: list[int] = []
    position = 0
    while True:
        while position == len(to_ask):
            question = next(coming, None)
            if question is None:
                return chosen, len(questions)
            if not question[2]:
                to_ask.append(len(questions))
            questions.append(question)
        number = to_ask[position]
        try:
            chosen[number] = ask(*questions[number][:2])
        except Back:
            position = max(position - 1, 0)
        except Stop:
            return chosen, number
        else:
            position += 1


def _why_not_asked(
    answer: UnitAnswer, key: str, manuscript: Manuscript, files: DraftFiles, printed: str, *, outside: bool
) -> str:
    """Why nothing can be written for a citation or one of its keys; empty if something can."""
    if not outside and not _is_inside(manuscript, answer.unit.place.file, files):
        return "its file is outside of the draft's folder"
    if key and not is_key(key):
        return f"“{key}” is not a valid key for an entry"
    if not key and (answer.unit.marker is None or answer.unit.marker.slot is None):
        return "it comes from a macro or a link, or has notes between its keys"
    if not key and printed:
        return printed
    return ""


# Writing --------------------------------------------------------------------------------------------------


def patch(
    manuscript: Manuscript, chosen: Iterable[Chosen], files: DraftFiles = DISK, *, outside: bool = False
) -> Patch:
    """The edit that inserts the keys of the chosen papers into the citations, and new entries into the
    bibliography. `files` gives access to the files of the draft.

    An undefined key of the author becomes the key of the new entry, unless the bibliography has the paper
    under another key. Raises InputError if the bibliography is outside of the folder of the draft's root
    (unless `outside`), or if it is missing although the draft cites from it.
    """
    wanted = list(chosen)
    defined = {reference.key for reference in manuscript.references}
    own: dict[str, str] = {}
    for _, suggestions in wanted:
        for suggestion in suggestions:
            if suggestion.for_key and suggestion.key not in defined:
                own.setdefault(suggestion.paper.id, suggestion.for_key)
    edits: list[Edit] = []
    new_papers: dict[str, Paper] = {}
    for marker, suggestions in wanted:
        new: list[str] = []
        for suggestion in suggestions:
            key = own.get(suggestion.paper.id, suggestion.key)
            if not suggestion.for_key:
                new.append(key)
            elif key != suggestion.for_key:
                edits.append(rename(manuscript, marker, suggestion.for_key, key, files))
            if key not in defined:
                new_papers.setdefault(key, replace(suggestion.paper, abstract=""))
        if new:
            edits.append(fill(manuscript, marker, new, files))
    entries = add_entries(manuscript, new_papers, files)
    if not outside:
        _refuse_outside(manuscript, entries, files)
    return Patch([*edits, *entries], manuscript.path, files, outside=outside, folder=manuscript.folder)


def _refuse_outside(manuscript: Manuscript, entries: Iterable[Edit], files: DraftFiles) -> None:
    for edit in entries:
        if not _is_inside(manuscript, edit.file, files):
            raise InputError(
                "the bibliography is outside of the draft's folder, which is not changed by default",
                path=edit.file,
                hint="allow it with --outside, or name a .bib file in the draft's folder",
            )

"""Reads a draft again of which one paragraph has changed, as it has whenever a writer pauses.

To read a thesis of LaTeX takes seconds. Here the paragraph is read alone, before and after the change. If,
before, it is read as it was in the draft, nothing around it matters to it; then what it is now is put in its
place, and all that stands behind it in its file is moved. Otherwise the draft has to be read as a whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from operator import is_
from typing import NamedTuple

from citewhy.base.errors import InputError
from citewhy.base.records import DraftSentence, Manuscript, Marker, Paragraph, Place, Reference
from citewhy.drafts import read_files
from citewhy.drafts.latex.commands import is_citation
from citewhy.drafts.latex.front import ABSTRACT

_COMMAND = re.compile(r"\\(?:[A-Za-z@]+|.)", re.DOTALL)
_DEFINES = re.compile(
    r"\\(?:(?:re)?newcommand|[gex]?def|let|new(?:acronym|acro|abbreviation|glossaryentry)|acro(?:def)?"
    r"|DeclareAcronym|(?:gls|ac)resetall)(?![A-Za-z@])"
)
"""A command that tells what others print, wherever these stand."""
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n|\Z")
_PART, _KNOWN, _UNCITED = "part.tex", "known.bib", "@misc{uncited-entry, title = {A}}\n"


class Change(NamedTuple):
    """Characters ``[start, end)`` of a text became ``[start, new_end)`` of another."""

    start: int
    end: int
    new_end: int


def change_of(before: str, now: str) -> Change:
    """The part in which two texts differ, from the first to the last difference."""
    shorter = min(len(before), len(now))
    same = _common(before, now, shorter)
    after = _common(before[same:][::-1], now[same:][::-1], shorter - same)
    return Change(same, len(before) - after, len(now) - after)


def _common(one: str, other: str, most: int) -> int:
    """The length of the common beginning, by halving, which is fast for long texts."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def read_paragraph_again(manuscript: Manuscript, file: str, before: str, now: str) -> Manuscript | None:
    """The draft with the text `now` of one of its files, of which `manuscript` was read with the text
    `before`; None if more of it than a paragraph has to be read."""
    if manuscript.format != "latex" or manuscript.book or manuscript.unread or not manuscript.references:
        return None
    found = _around(manuscript, file, before, change_of(before, now))
    if found is None:
        return None
    number, start, end = found
    first = before.count("\n", 0, start) + 1
    last = first + before.count("\n", start, end)
    moved = _Moved(file, end, last, len(now) - len(before), now.count("\n") - before.count("\n"))
    old, new = before[start:end], now[start : end + moved.characters]
    if not _is_text(old, new) or _is_remarked(manuscript, file, (start, end), (first, last)):
        return None
    here = _Moved(_PART, 0, 0, start, first - 1, to=file)
    paragraph, defined = manuscript.paragraphs[number], {one.key for one in manuscript.references}
    if any(one.note_to in paragraph.sentences for one in manuscript.paragraphs if one.note_to is not None):
        return None
    if _alone(old, here, defined, paragraph.section) != paragraph:
        return None
    read = _alone(new, here, defined, paragraph.section)
    if read is None or _cites_other_spellings(paragraph, read, defined):
        return None
    paragraphs = list(map(moved.paragraph, manuscript.paragraphs))
    paragraphs[number] = read
    references = tuple(map(moved.reference, manuscript.references))
    return replace(
        manuscript,
        paragraphs=tuple(paragraphs),
        # The same ones, if none has moved, so that what is known of them is known.
        references=manuscript.references if references == manuscript.references else references,
        problems=tuple(map(moved.problem, manuscript.problems)),
        notes=tuple(map(moved.place, manuscript.notes)),
    )


def _around(manuscript: Manuscript, file: str, text: str, change: Change) -> tuple[int, int, int] | None:
    """The paragraph that a change is in, by number, and what of its file it is: ``[start, end)``. None if
    there is none, or if more than one is there."""
    found: tuple[int, int, int] | None = None
    for number, paragraph in enumerate(manuscript.paragraphs):
        places = [sentence.place for sentence in paragraph.sentences if sentence.place.file == file]
        start, end = (
            min((one.start for one in places), default=0),
            max((one.end for one in places), default=0),
        )
        if not places or start > change.end or end < change.start - _BLANKS:
            continue
        blank = _BLANK_LINE.search(text, end)
        if blank is not None and not text[end : blank.start()].strip():
            end = blank.start()  # of which a next sentence is written
        if end < change.start:
            continue
        begins = start < change.start or (start == change.start and text.endswith("\n\n", 0, start))
        whole = len(places) == len(paragraph.sentences) and change.end <= end
        if found or not (begins and whole) or not _is_running(paragraph):
            return None
        found = number, start, end
    return found


def _is_running(paragraph: Paragraph) -> bool:
    """Whether a paragraph is running text: no heading, which others name, and no note or abstract."""
    names = {paragraph.section, ABSTRACT}
    heads = paragraph.section == ABSTRACT or any(one.text in names for one in paragraph.sentences)
    return not (heads or paragraph.aside or paragraph.asked)


_BLANKS = 200
"""White space at the end of a paragraph in which a next sentence is looked for, in characters."""


def _is_text(old: str, new: str) -> bool:
    """Whether what is written in the place of `old` is text with citations, and does nothing to what
    follows."""
    commands = Counter(_COMMAND.findall(new)) - Counter(_COMMAND.findall(old))
    if _DEFINES.search(old) or _DEFINES.search(new):
        return False
    same = all((new.count(sign) - old.count(sign)) % 2 == 0 for sign in "$")
    return same and new.count("%") == old.count("%") and all(is_citation(name[1:]) for name in commands)


def _is_remarked(manuscript: Manuscript, file: str, span: tuple[int, int], lines: tuple[int, int]) -> bool:
    """Whether the draft has a problem or a note in a part of a file."""
    problems = filter(None, (_numbered(file).match(problem) for problem in manuscript.problems))
    return any(lines[0] <= int(problem[1]) <= lines[1] for problem in problems) or any(
        note.file == file and span[0] <= note.start < span[1] for note in manuscript.notes
    )


def _numbered(file: str) -> re.Pattern[str]:
    """How a problem with a line of a file begins."""
    return re.compile(rf"{re.escape(file)}:(\d+)(?=:)")


def _alone(text: str, here: _Moved, defined: Collection[str], section: str) -> Paragraph | None:
    """A paragraph that is read alone, with places in its draft; None if it is not one paragraph of text."""
    cited = "".join(f"@misc{{{key}, title = {{A}}}}\n" for key in defined if key in text)
    try:
        read = read_files({_PART: f"{text}\n\n\\bibliography{{known}}\n", _KNOWN: cited + _UNCITED}, _PART)
    except InputError:
        return None
    if len(read.paragraphs) != 1 or read.problems or read.notes or read.nocite or read.title:
        return None
    (paragraph,) = read.paragraphs
    return None if paragraph.section else replace(here.paragraph(paragraph), section=section)


def _cites_other_spellings(old: Paragraph, new: Paragraph, defined: Collection[str]) -> bool:
    """Whether a key was written or deleted that is an entry's but for upper and lower case
    (`bibliography.as_cited`)."""
    before, after = (
        {key for sentence in one.sentences for marker in sentence.markers for key in marker.keys}
        for one in (old, new)
    )
    changed = before ^ after
    return any(one != key and one.lower() == key.lower() for key in changed for one in defined)


@dataclass(frozen=True, slots=True)
class _Moved:
    """Moves what stands in `file` from the offset `start` on, after `last_line`, and calls the file `to`, if
    given."""

    file: str
    start: int
    last_line: int
    characters: int
    lines: int
    to: str = ""

    def place(self, place: Place) -> Place:
        if place.file != self.file or place.start < self.start:
            return place
        start, end = place.start + self.characters, place.end + self.characters
        return Place(self.to or place.file, start, end, place.line + self.lines, place.part)

    def paragraph(self, paragraph: Paragraph) -> Paragraph:
        sentences = tuple(map(self.sentence, paragraph.sentences))
        note_to = None if paragraph.note_to is None else self.sentence(paragraph.note_to)
        if note_to is paragraph.note_to and all(map(is_, sentences, paragraph.sentences)):
            return paragraph
        return replace(paragraph, sentences=sentences, note_to=note_to)

    def sentence(self, sentence: DraftSentence) -> DraftSentence:
        place, markers = self.place(sentence.place), tuple(map(self.marker, sentence.markers))
        if place is sentence.place and all(map(is_, markers, sentence.markers)):
            return sentence
        return DraftSentence(sentence.text, place, markers)

    def marker(self, marker: Marker) -> Marker:
        place, slot = self.place(marker.place), marker.slot and self.place(marker.slot)
        return (
            marker
            if place is marker.place and slot is marker.slot
            else replace(marker, place=place, slot=slot)
        )

    def reference(self, reference: Reference) -> Reference:
        place = reference.place and self.place(reference.place)
        return reference if place is reference.place else replace(reference, place=place)

    def problem(self, problem: str) -> str:
        numbered = _numbered(self.file).match(problem)
        if numbered is None or int(numbered[1]) <= self.last_line:
            return problem
        return f"{self.file}:{int(numbered[1]) + self.lines}{problem[numbered.end() :]}"

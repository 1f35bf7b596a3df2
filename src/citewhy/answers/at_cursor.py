"""The question where an author types: the sentence as it stands now, in a draft that was read before."""

from __future__ import annotations

import re
from dataclasses import replace

from citewhy.answers.reread import change_of
from citewhy.base.errors import InputError
from citewhy.base.records import DraftSentence, Manuscript, Marker, Paragraph, Place, Unit
from citewhy.drafts import read_files
from citewhy.drafts.formats import format_named
from citewhy.drafts.typed import TypedKey

_OPEN = "[CITE]"
"""Stands for the citation that is being typed; every format knows it."""

_BLANK = re.compile(r"\n[ \t\r]*\n")

_LONGEST = 5000
"""Characters of a paragraph that are read before and after the citation."""


def unit_at(manuscript: Manuscript, file: str, before: str, now: str, typed: TypedKey) -> Unit | None:
    """The open citation that is being typed in a file of a draft, as a unit to be asked.

    The sentence is read from `now`, the present text of the file. What is around it is known from
    `manuscript`, for which the file was read as `before`; so a change costs the reading of one paragraph.
    None if what is there is no text, such as a comment or a formula.
    """
    begin, end = typed.citation
    read = _read_around(manuscript.format, now, begin, end)
    if read is None:
        return None
    paragraph, sentence, marker = read
    here = _offset_before(before, now, begin)
    around, anchor = _around(manuscript, file, here)
    place = Place(file, here, here, now.count("\n", 0, begin) + 1)
    if anchor is not None:
        place = next((one.place for one in anchor.markers if one.place.start <= here <= one.place.end), place)
    typing = replace(marker, place=place, keys=typed.beside, note="")
    asked = replace(
        sentence,
        place=sentence.place if anchor is None else anchor.place,
        markers=tuple(typing if one is marker else one for one in sentence.markers),
    )
    whole = replace(
        paragraph,
        sentences=tuple(asked if one is sentence else one for one in paragraph.sentences),
        section=paragraph.section if around is None else around.section,
    )
    return Unit("place", place, typing, asked, whole)


def _read_around(
    format_name: str, text: str, begin: int, end: int
) -> tuple[Paragraph, DraftSentence, Marker] | None:
    """Reads the paragraph around a citation, which stands open at ``[begin, end)`` of a text: the paragraph
    with the sentence and the marker of the citation."""
    start = max((blank.end() for blank in _BLANK.finditer(text, max(0, begin - _LONGEST), begin)), default=0)
    start = max(start, begin - _LONGEST, 0)
    blank = _BLANK.search(text, end, end + _LONGEST)
    stop = end + _LONGEST if blank is None else blank.start()
    name = f"typed{format_named(format_name).suffixes[0]}"
    space = " " if begin and not text[begin - 1].isspace() else ""
    try:
        part = read_files({name: f"{text[start:begin]}{space}{_OPEN}{text[end:stop]}"})
    except InputError:
        return None
    at = begin - start + len(space)
    for paragraph in part.paragraphs:
        for sentence in paragraph.sentences:
            for marker in sentence.markers:
                if marker.place.start == at:
                    return paragraph, sentence, marker
    return None


def _offset_before(before: str, now: str, offset: int) -> int:
    """Where an offset of the present text was before: texts are equal but for one changed part."""
    if before == now:
        return offset
    change = change_of(before, now)
    if offset <= change.start:
        return offset
    return offset - len(now) + len(before) if offset >= change.new_end else change.start


def _around(manuscript: Manuscript, file: str, offset: int) -> tuple[Paragraph | None, DraftSentence | None]:
    """The paragraph and the sentence of a draft at an offset, or the next after it, or the last before."""
    last: tuple[Paragraph | None, DraftSentence | None] = (None, None)
    for paragraph in manuscript.paragraphs:
        if paragraph.aside:
            continue
        for sentence in paragraph.sentences:
            if sentence.place.file == file:
                last = paragraph, sentence
                if sentence.place.end >= offset:
                    return last
    return last

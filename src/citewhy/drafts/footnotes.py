"""Footnotes and endnotes: which sentence each of them hangs on.

In every format, a note stands where its mark is, or its mark names it; what stands directly before its first
word says that it is one.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from dataclasses import replace

from citewhy.base.records import DraftSentence, Manuscript
from citewhy.drafts.files import DraftFiles, read_text

_OPENING = re.compile(
    r"""(?:
    \\[A-Za-z]{0,20}(?:foot|end|side|margin)note(?:text)?\*?[ \t]*(?:\[[^\[\]]*\])?\{  # LaTeX
    |\#(?:foot|side)note(?:\([^()\n]*\))?\[  # Typst
    |\^\[  # Pandoc
    |\[\^(?P<pandoc>[^\]\s]{1,200})\]:  # whose mark is elsewhere
    |\[fn:(?:[\w-]*:|(?P<org>[\w-]+)\])
    )(?:[\s%*_/(\[{“"']|\\[A-Za-z]+\{)*\Z""",
    re.VERBOSE,
)
_CALL = re.compile(r"\[\^(?P<pandoc>[^\]\s]{1,200})\](?!:)|(?<=[^\n])\[fn:(?P<org>[\w-]+)\]")
"""The mark of a note whose text is elsewhere."""
_NEAR = 300
"""Maximum number of characters of such an opening."""
_HINT = re.compile(rb"(?:foot|end|side|margin)note|\^\[|\[\^|\[fn:")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")


def with_footnotes(manuscript: Manuscript, files: DraftFiles) -> Manuscript:
    """The draft with `Paragraph.note_to`; a note is no part of the running text."""
    found = {
        number: anchor for name in manuscript.files for number, anchor in _anchors(manuscript, name, files)
    }
    if not found:
        return manuscript
    paragraphs = (
        replace(paragraph, note_to=found[number], aside=True) if number in found else paragraph
        for number, paragraph in enumerate(manuscript.paragraphs)
    )
    return replace(manuscript, paragraphs=tuple(paragraphs))


def _anchors(manuscript: Manuscript, name: str, files: DraftFiles) -> Iterator[tuple[int, DraftSentence]]:
    """The notes in one file, by the number of their paragraph, with the sentences that they hang on."""
    path = files.path(name)
    if not files.is_file(path) or not _HINT.search(files.read(path)):
        return
    text = read_text(files, path)
    calls = {call["pandoc"] or call["org"]: call.start() for call in reversed(list(_CALL.finditer(text)))}
    notes: list[tuple[int, int]] = []
    """The number of a note's paragraph, and where its mark is."""
    running: list[DraftSentence] = []
    """The sentences that are in no note."""
    for number, paragraph in enumerate(manuscript.paragraphs):
        sentences = [sentence for sentence in paragraph.sentences if sentence.place.file == name]
        if not sentences:
            continue
        start = sentences[0].place.start
        opening = _OPENING.search(text[max(start - _NEAR, 0) : start])
        if opening is None:
            running += sentences
        else:
            # A note stands at its mark, or is called by its name.
            notes.append((number, calls.get(opening["pandoc"] or opening["org"], start)))
    running.sort(key=lambda sentence: sentence.place.start)
    starts = [sentence.place.start for sentence in running]
    for number, mark in notes:
        before = bisect.bisect_right(starts, mark) - 1
        if before >= 0 and not _BLANK_LINE.search(text, running[before].place.end, mark):
            yield number, running[before]

"""Marks that ask for the papers of a paragraph: a comment ``cite-paragraph`` on a line of its own, beside the
paragraph or in it.

    % cite-paragraph            LaTeX
    <!-- cite-paragraph -->     Markdown
    // cite-paragraph           Typst
    # cite-paragraph            Org
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from citewhy.base.records import Manuscript, Paragraph
from citewhy.drafts.files import DraftFiles, read_text
from citewhy.drafts.formats import formats

_WORD = b"cite-paragraph"


def with_asked_paragraphs(manuscript: Manuscript, files: DraftFiles) -> Manuscript:
    """The draft with `Paragraph.asked` set where a mark asks for a paragraph: the one around it, the one that
    begins on the next line, or else the one that ends on the line before. A mark beside none is a problem of
    the draft."""
    asked: set[int] = set()
    problems: list[str] = []
    for name in manuscript.files:
        path = files.path(name)
        if not files.is_file(path) or _WORD not in files.read(path):
            continue
        text = read_text(files, path)
        for mark in _marks(text):
            number = _beside(manuscript, name, text, mark.start(), mark.end())
            if number is None:
                line = text.count("\n", 0, mark.start()) + 1
                problems.append(f"{name}, line {line}: cite-paragraph without a paragraph beside it")
            else:
                asked.add(number)
    if not asked and not problems:
        return manuscript
    paragraphs = tuple(
        replace(paragraph, asked=number in asked) for number, paragraph in enumerate(manuscript.paragraphs)
    )
    return replace(manuscript, paragraphs=paragraphs, problems=(*manuscript.problems, *problems))


def _marks(text: str) -> Iterator[re.Match[str]]:
    """The lines of `text` that are such a comment, in any format: Markdown may have LaTeX in it."""
    signs = "|".join(sorted({re.escape(form.comment) for form in formats() if form.comment}))
    # Authors repeat the sign: "%% cite-paragraph", "/// cite-paragraph".
    mark = rf"^[ \t]*(?:{signs})[%/]*[ \t]*cite-paragraph\b[^\n]*$"
    return re.finditer(mark, text, re.MULTILINE)


def _beside(manuscript: Manuscript, name: str, text: str, start: int, end: int) -> int | None:
    """The number of the paragraph that a mark at ``[start, end)`` of `text` is about."""
    before = None
    for number, first, last in _spans(manuscript.paragraphs, name):
        if first <= start < last:
            return number
        if first >= end and _adjacent(text[end:first]):
            return number
        if last <= start and _adjacent(text[last:start]):
            before = number
    return before


def _spans(paragraphs: tuple[Paragraph, ...], name: str) -> Iterator[tuple[int, int, int]]:
    for number, paragraph in enumerate(paragraphs):
        places = [sentence.place for sentence in paragraph.sentences if sentence.place.file == name]
        if places:
            yield number, places[0].start, places[-1].end


def _adjacent(between: str) -> bool:
    """Whether there is nothing but one line end between a mark and a paragraph, and perhaps blanks."""
    return not between.strip() and between.count("\n") <= 1

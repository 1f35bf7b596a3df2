"""A chapter that is read alone, but is a part of a book."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import PurePath

from citewhy.base.records import Manuscript, Paragraph
from citewhy.drafts.files import DraftFiles


def in_book(chapter: Manuscript, book: Manuscript, files: DraftFiles) -> Manuscript:
    """The `chapter` of a `book`, with the authors and the year of the book and the paragraphs around its own
    (`Manuscript.book`); unchanged if it is not in it."""
    # A part of a LaTeX draft reads its root, too, for the preamble.
    own = {files.resolve(files.path(name)) for name in chapter.files} - {files.resolve(files.path(book.path))}
    belongs = [_is_in(own, paragraph, files) for paragraph in book.paragraphs]
    if True not in belongs:
        return chapter
    first = belongs.index(True)
    around = [paragraph for paragraph, inside in zip(book.paragraphs, belongs, strict=True) if not inside]
    before = first - sum(belongs[:first])
    return replace(
        chapter,
        title=chapter.title or book.title,
        authors=chapter.authors or book.authors,
        year=chapter.year or book.year,
        book=(*around[:before], *chapter.paragraphs, *around[before:]),
    )


def _is_in(own: Collection[PurePath], paragraph: Paragraph, files: DraftFiles) -> bool:
    names = [sentence.place.file for sentence in paragraph.sentences[:1]]
    return any(files.resolve(files.path(name)) in own for name in names)

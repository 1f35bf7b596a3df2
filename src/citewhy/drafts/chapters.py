"""A chapter that is read alone, but is a part of a book."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import PurePath

from citewhy.base.errors import CiteWhyError
from citewhy.base.records import Manuscript, Paragraph
from citewhy.drafts.files import DraftFiles

_MOST_KEPT = 8


@dataclass(frozen=True, slots=True)
class _Kept:
    """A book as it was read for one of its chapters, and what its other files had in them."""

    book: Manuscript
    digests: dict[str, bytes]


_kept: dict[tuple[object, ...], _Kept] = {}
"""An editor reads a chapter again at every keystroke; the rest of its book changes less often."""
_lock = threading.Lock()


def in_book(
    chapter: Manuscript, root: PurePath, read: Callable[[], Manuscript], files: DraftFiles, *parts: PurePath
) -> Manuscript:
    """The `chapter` of the book with this `root`, which `read` reads, with the paragraphs around its own
    (`Manuscript.book`); unchanged if it is not in the book, or this cannot be read: what is wrong with other
    files is said where the whole is read. `parts` are the files of the book, where they are known."""
    # A part of a LaTeX draft reads its root, too, for the preamble.
    own = {files.resolve(files.path(name)) for name in chapter.files} - {files.resolve(root)}
    asked = (files.name(root), chapter.path, parts)
    kept = _kept.get(asked)
    if kept is None or any(_digest(files, name) != digest for name, digest in kept.digests.items()):
        try:
            book = read()
        except CiteWhyError:
            return chapter
        others = [name for name in book.files if files.resolve(files.path(name)) not in own]
        kept = _Kept(book, {name: _digest(files, name) for name in others})
        with _lock:
            _kept[asked] = kept
            for oldest in list(_kept)[:-_MOST_KEPT]:
                del _kept[oldest]
    return _within(kept.book, chapter, own, files, root)


def _digest(files: DraftFiles, name: str) -> bytes:
    """What a file has in it, in short; nothing if it cannot be read."""
    try:
        return hashlib.blake2b(files.read(files.path(name)), digest_size=16).digest()
    except CiteWhyError:
        return b""


def _within(
    book: Manuscript, chapter: Manuscript, own: Collection[PurePath], files: DraftFiles, root: PurePath
) -> Manuscript:
    belongs = [_is_in(own, paragraph, files) for paragraph in book.paragraphs]
    if True not in belongs:
        return chapter
    first = belongs.index(True)
    around = [paragraph for paragraph, inside in zip(book.paragraphs, belongs, strict=True) if not inside]
    before = first - sum(belongs[:first])
    return replace(
        chapter,
        title=chapter.title or book.title,
        book_title=book.title if chapter.title not in ("", book.title) else "",
        authors=chapter.authors or book.authors,
        year=chapter.year or book.year,
        book=(*around[:before], *chapter.paragraphs, *around[before:]),
        folder=chapter.folder or files.name(files.normal(root.parent)),
    )


def _is_in(own: Collection[PurePath], paragraph: Paragraph, files: DraftFiles) -> bool:
    names = [sentence.place.file for sentence in paragraph.sentences[:1]]
    return any(files.resolve(files.path(name)) in own for name in names)

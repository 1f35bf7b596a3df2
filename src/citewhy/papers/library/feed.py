"""What indexes need to follow a library: its state, and what has changed since an earlier one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

from citewhy.base.records import Context, Paper
from citewhy.papers.library.checked import pieces
from citewhy.papers.library.contexts import citations, contexts_changed, contexts_numbered, contexts_of
from citewhy.papers.library.database import Database
from citewhy.papers.library.entries import read_entries
from citewhy.papers.library.schema import COMMITS, OWN_ID, PAPERS, REMOVED, read_state

__all__ = ["Feed"]

_ENTRIES_AT_ONCE = 1000


class Feed:
    """Access to a library by numbers and generations. Raises the same errors as `Library`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    @property
    def generation(self) -> int:
        """Increases by one with every commit that changes something."""
        return read_state(self._db).generation

    def mark_of(self, generation: int) -> int | None:
        """The random number of the commit with this generation; None if there is no such commit.

        A library that was restored from a backup or rebuilt may reach the same generation again, but with
        another mark, by which derived data can tell whether it was derived from this library.
        """
        for commit in COMMITS.where(self._db, "generation", [generation]):
            return commit.mark
        return None

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """All reads in the block see the same state, whatever other processes commit in the meantime."""
        with self._db.reading():
            yield

    def numbered_papers(
        self, since: int = 0, numbers: Iterable[int] | None = None
    ) -> Iterator[tuple[int, Paper]]:
        """The papers that changed after generation `since`, or those with the given `numbers`, by number."""
        with self._db.reading():
            if numbers is None:
                heads = PAPERS.all(self._db, "entry = number AND generation > ?", [since])
            else:
                heads = iter(sorted(PAPERS.where(self._db, "number", set(numbers), "entry = number")))
            for entries in pieces(heads, _ENTRIES_AT_ONCE):
                papers = read_entries(self._db, entries)
                yield from zip((entry.number for entry in entries), papers, strict=True)

    def removed_numbers(self, since: int = 0) -> list[int]:
        """Numbers of papers that were removed or merged into another paper after generation `since`."""
        with self._db.reading():
            return [row.number for row in REMOVED.all(self._db, "generation > ?", [since])]

    def numbered_contexts(
        self, since: int = 0, numbers: Iterable[int] | None = None
    ) -> Iterator[tuple[int, Context]]:
        """The contexts that changed after generation `since`, or those with the given `numbers`, by number.

        Only contexts that cite a paper in the library. Ids are canonical, unknown cited papers are omitted,
        and an unknown year is replaced by that of the citing paper.
        """
        with self._db.reading():
            found = (
                contexts_changed(self._db, since) if numbers is None else contexts_numbered(self._db, numbers)
            )
            yield from ((context.number, context.record()) for context in found if context.cited)

    def removed_contexts(self, since: int = 0) -> list[int]:
        """Numbers of contexts that changed after generation `since` and cite no paper in the library."""
        with self._db.reading():
            return [context.number for context in contexts_changed(self._db, since) if not context.cited]

    def edges(self) -> Iterator[tuple[str, str]]:
        """Each pair of a citing and a cited paper in the library, once, by canonical ids."""
        with self._db.reading():
            yield from ((citing.id, cited.id) for citing, cited in citations(self._db))

    def numbered_citations(self) -> Iterator[tuple[int, int]]:
        """As `edges`, but by paper numbers."""
        with self._db.reading():
            yield from ((citing.number, cited.number) for citing, cited in citations(self._db))

    def sentences_of_writings(self) -> Iterator[tuple[str, str]]:
        """The citing sentences of the owner's own writings, each with the paper id of its writing."""
        with self._db.reading():
            for context in contexts_of(self._db, OWN_ID):
                if context.citing is not None and context.cited:
                    yield context.citing.id, context.stored.text

    def context_links(self) -> Iterator[tuple[int, int, int, tuple[int, ...]]]:
        """Number, citing paper (-1: unknown), year (0: unknown), cited papers of all `numbered_contexts`."""
        with self._db.reading():
            for context in contexts_changed(self._db, since=0):
                if context.cited:
                    citing = -1 if context.citing is None else context.citing.number
                    cited = tuple(entry.number for entry in context.cited)
                    yield context.number, citing, context.year or 0, cited

"""What indexes follow: the state of a library, and what changed in it since an earlier one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

from citewhy.library.checked import pieces
from citewhy.library.contexts import citations, contexts_changed, contexts_numbered, contexts_of
from citewhy.library.database import Database
from citewhy.library.entries import read_entries
from citewhy.library.schema import COMMITS, OWN_ID, PAPERS, REMOVED, read_state
from citewhy.records import Context, Paper

__all__ = ["Feed"]

_ENTRIES_AT_ONCE = 1000


class Feed:
    """The part of a library that is read by numbers and generations. Raises as `Library` does."""

    def __init__(self, db: Database) -> None:
        self._db = db

    @property
    def generation(self) -> int:
        """Grows by one with every commit that changed something."""
        return read_state(self._db).generation

    def mark_of(self, generation: int) -> int | None:
        """A random number that the commit with this generation drew; None where there was none.

        A copy that was put back, or a library made again in its place, may come to a generation twice, but
        not with the same mark: what is derived from a library knows by it whether it still is its past.
        """
        for commit in COMMITS.where(self._db, "generation", [generation]):
            return commit.mark
        return None

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Every read in the block sees one state, whatever other processes commit meanwhile."""
        with self._db.reading():
            yield

    def numbered_papers(
        self, since: int = 0, numbers: Iterable[int] | None = None
    ) -> Iterator[tuple[int, Paper]]:
        """Papers that changed after generation `since`, or those with the `numbers` given, by number."""
        with self._db.reading():
            if numbers is None:
                heads = PAPERS.all(self._db, "entry = number AND generation > ?", [since])
            else:
                heads = iter(sorted(PAPERS.where(self._db, "number", set(numbers), "entry = number")))
            for entries in pieces(heads, _ENTRIES_AT_ONCE):
                papers = read_entries(self._db, entries)
                yield from zip((entry.number for entry in entries), papers, strict=True)

    def removed_numbers(self, since: int = 0) -> list[int]:
        """Numbers that stopped to be a paper's after generation `since`: removed, or merged into another."""
        with self._db.reading():
            return [row.number for row in REMOVED.all(self._db, "generation > ?", [since])]

    def numbered_contexts(
        self, since: int = 0, numbers: Iterable[int] | None = None
    ) -> Iterator[tuple[int, Context]]:
        """Contexts that changed after generation `since`, or those with the `numbers` given, by number.

        Only those that cite a paper of the library. Ids are canonical, unknown cited papers are left out, an
        unknown year is the citing paper's.
        """
        with self._db.reading():
            found = (
                contexts_changed(self._db, since) if numbers is None else contexts_numbered(self._db, numbers)
            )
            yield from ((context.number, context.record()) for context in found if context.cited)

    def removed_contexts(self, since: int = 0) -> list[int]:
        """Numbers of contexts that changed after generation `since` and cite no paper here (any more)."""
        with self._db.reading():
            return [context.number for context in contexts_changed(self._db, since) if not context.cited]

    def edges(self) -> Iterator[tuple[str, str]]:
        """Citing and cited paper by canonical id, once a pair, where the library has both."""
        with self._db.reading():
            yield from ((citing.id, cited.id) for citing, cited in citations(self._db))

    def numbered_citations(self) -> Iterator[tuple[int, int]]:
        """As `edges`, by numbers of papers."""
        with self._db.reading():
            yield from ((citing.number, cited.number) for citing, cited in citations(self._db))

    def writings_said(self) -> Iterator[tuple[str, str]]:
        """The citing sentences of the owner's own writings, each with the paper id of its writing."""
        with self._db.reading():
            for context in contexts_of(self._db, OWN_ID):
                if context.citing is not None and context.cited:
                    yield context.citing.id, context.said.text

    def context_links(self) -> Iterator[tuple[int, int, int, tuple[int, ...]]]:
        """Number, citing paper (-1: not there), year (0: unknown), cited papers: all `numbered_contexts`."""
        with self._db.reading():
            for context in contexts_changed(self._db, since=0):
                if context.cited:
                    citing = -1 if context.citing is None else context.citing.number
                    cited = tuple(entry.number for entry in context.cited)
                    yield context.number, citing, context.year or 0, cited

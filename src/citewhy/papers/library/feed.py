"""Tells what indexes need to follow a library: its state, and what has changed since an earlier one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from citewhy.base.records import Alias, Citation, Context, FullText, Notice, Paper
from citewhy.papers.library.checked import LayeredDatabase, pieces
from citewhy.papers.library.database import Database
from citewhy.papers.library.entries import entries_of, heads_of, members_of, read_bodies, read_entries
from citewhy.papers.library.notices import all_notices
from citewhy.papers.library.schema import (
    ALIASES,
    CITATIONS,
    CITING,
    COMMITS,
    CONTEXTS,
    OWN_ID,
    PAPERS,
    REMOVED,
    TEXT_BODIES,
    TEXTS,
    CitationRow,
    ContextRow,
    Head,
    has,
    read_state,
)
from citewhy.text.codec import StoredContext, read_context, read_text

__all__ = [
    "Feed",
    "LinkedContext",
    "citations",
    "citations_of_layer",
    "contexts_changed",
    "contexts_numbered",
    "contexts_of",
]

_ROWS_AT_ONCE = 1000
_REMEMBERED = 1_000_000
"""Ids of which it is remembered to which entry they belong: in about 130 MB."""


class LinkedContext(NamedTuple):
    """A context with the entries of its citing and cited papers."""

    number: int
    row: ContextRow
    stored: StoredContext
    citing: Head | None
    """None if the citing paper is not in the library."""
    cited: tuple[Head, ...]
    """Papers in the library, each once; empty if the context cites none of them."""
    year: int | None
    """It is as stored, or else that of the citing paper."""

    def record(self) -> Context:
        return Context(
            id=self.row.id,
            citing_id=self.row.citing_id if self.citing is None else self.citing.id,
            cited_ids=tuple(entry.id for entry in self.cited),
            text=self.stored.text,
            year=self.year,
            section=self.stored.section,
            intent=self.stored.intent,
        )


def contexts_changed(db: Database, since: int) -> Iterator[LinkedContext]:
    """All contexts that changed after generation `since`, by number, even if they cite no known paper."""
    for rows in pieces(CONTEXTS.all(db, "generation > ?", [since]), _ROWS_AT_ONCE):
        yield from _linked(db, rows)


def contexts_numbered(db: Database, numbers: Iterable[int]) -> Iterator[LinkedContext]:
    """The contexts with the given numbers, by number; unknown numbers are omitted."""
    for some in pieces(sorted(set(numbers)), _ROWS_AT_ONCE):
        yield from _linked(db, sorted(CONTEXTS.where(db, "number", some)))


def contexts_of(db: Database, prefix: str) -> Iterator[LinkedContext]:
    """Yields those of citing papers whose ids begin with `prefix`, by number."""
    rows = CONTEXTS.all(
        db, "citing_id >= ? AND citing_id < ?", [prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)]
    )
    for some in pieces(rows, _ROWS_AT_ONCE):
        yield from _linked(db, some)


def citations(db: Database) -> Iterator[tuple[int, int]]:
    """Each pair of different citing and cited entries. That of merged papers may come several times."""
    return _edges(db, CITATIONS.all(db))


def citations_of_layer(db: LayeredDatabase) -> Iterator[tuple[int, int]]:
    """Gives of `citations` those that the database below may not have: of rows of the layer, and of ids that
    were unknown below, or belonged to another entry."""
    own = {head.id: head.entry for head in PAPERS.own_rows(db)}
    below = {head.id: head.entry for head in PAPERS.where(db.below, "id", own)}
    moved = [identifier for identifier, entry in own.items() if below.get(identifier) != entry]
    rows = {
        *CITATIONS.own_rows(db),
        *CITATIONS.where(db, "citing_id", moved),
        *CITATIONS.where(db, "cited_id", moved),
    }
    return _edges(db, sorted(rows))


def citing_changed(db: Database, since: int) -> set[int] | None:
    """See `Feed.citing_changed`."""
    told = CITING.all(db, "generation > ? OR id = ''", [since]) if has(db, CITING) else ()
    ids = {row.id: row.generation for row in told}
    if ids.pop("", since + 1) > since:
        return None
    moved = [head.id for head in PAPERS.all(db, "generation > ?", [since])]
    citing = {row.citing_id for row in CITATIONS.among(db, "cited_id", moved)} if moved else set()
    return {entry.number for entry in entries_of(db, citing.union(ids, moved)).values()}


def citations_of(db: Database, numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """See `Feed.citations_of`."""
    entries = list(PAPERS.where(db, "number", set(numbers), "entry = number"))
    ids = [head.id for group in members_of(db, entries).values() for head in group]
    if not ids:
        return
    yield from _edges(db, CITATIONS.among(db, "citing_id", ids))
    CONTEXTS.verify_lookups(db, "citing_id")
    for rows in pieces(CONTEXTS.where(db, "citing_id", ids), _ROWS_AT_ONCE):
        for context in _linked(db, rows):
            if context.citing is not None:
                citing = context.citing.number
                yield from ((citing, cited.number) for cited in context.cited if cited.number != citing)


def _edges(db: Database, citations: Iterable[CitationRow]) -> Iterator[tuple[int, int]]:
    entries: dict[str, int | None] = {}
    last = None
    for rows in pieces(citations, _ROWS_AT_ONCE):
        if len(entries) > _REMEMBERED:
            entries.clear()
        named = {identifier for row in rows for identifier in row[:2]}
        ids = [identifier for identifier in named if identifier not in entries]  # `-` would go through them
        found = heads_of(db, ids)
        entries.update(
            (identifier, found[identifier].entry if identifier in found else None) for identifier in ids
        )
        for citing_id, cited_id, _, _ in rows:
            citing, cited = entries[citing_id], entries[cited_id]
            if citing is None or cited is None or citing == cited:
                continue
            if (pair := (citing, cited)) != last:  # another source may say the same
                yield (last := pair)


def _linked(db: Database, rows: Sequence[ContextRow]) -> Iterator[LinkedContext]:
    stored = [read_context(row.data) for row in rows]
    entries = entries_of(db, {row.citing_id for row in rows}.union(*(one.cited_ids for one in stored)))
    undated = {
        entry.number: entry
        for row, context in zip(rows, stored, strict=True)
        if context.year is None and (entry := entries.get(row.citing_id))
    }
    papers = read_entries(db, list(undated.values()))
    years = {number: paper.year for number, paper in zip(undated, papers, strict=True)}
    for row, context in zip(rows, stored, strict=True):
        citing = entries.get(row.citing_id)
        year = years[citing.number] if context.year is None and citing is not None else context.year
        cited = tuple(dict.fromkeys(entries[name] for name in context.cited_ids if name in entries))
        yield LinkedContext(row.number, row, context, citing, cited, year)


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
            contexts = (
                contexts_changed(self._db, since) if numbers is None else contexts_numbered(self._db, numbers)
            )
            yield from ((context.number, context.record()) for context in contexts if context.cited)

    def removed_contexts(self, since: int = 0) -> list[int]:
        """Numbers of contexts that changed after generation `since` and cite no paper in the library."""
        with self._db.reading():
            return [context.number for context in contexts_changed(self._db, since) if not context.cited]

    def edges(self) -> Iterator[tuple[str, str]]:
        """Each pair of a citing and a cited paper in the library, once, by canonical ids."""
        with self._db.reading():
            ids: dict[int, str] = {}
            merged: set[int] = set()
            for head in PAPERS.all(self._db, "entry = number"):
                ids[head.number] = head.id
                if head.members > 1:
                    merged.add(head.number)
            seen: set[tuple[int, int]] = set()
            for pair in citations(self._db):
                if not merged.isdisjoint(pair):  # others come once
                    if pair in seen:
                        continue
                    seen.add(pair)
                yield ids[pair[0]], ids[pair[1]]

    def numbered_citations(self) -> Iterator[tuple[int, int]]:
        """Gives `edges` by the numbers of papers; one of merged papers may come several times."""
        with self._db.reading():
            yield from citations(self._db)

    def citing_changed(self, since: int) -> set[int] | None:
        """Numbers of papers, among them all whose citations changed after generation `since`, but for those
        by citing sentences, which change themselves. None: that is not told."""
        with self._db.reading():
            return citing_changed(self._db, since)

    def citations_of(self, numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
        """The citations that some papers make, also by citing sentences, by numbers; one may come several
        times. Numbers that no paper has are omitted."""
        with self._db.reading():
            yield from citations_of(self._db, numbers)

    @property
    def made_over(self) -> int:
        """The generation of the library below, when the layer was made. Raises ValueError if this is none."""
        return self._layer.made_over

    def is_above(self, number: int) -> bool:
        """Whether a paper with a number was added by the layer. Raises ValueError if this is none."""
        return number >= self._layer.first_numbers[PAPERS.name]

    def added_citations(self) -> Iterator[tuple[int, int]]:
        """Gives of `numbered_citations` those that the library below a layer may not have. Raises ValueError
        if this is none."""
        with self._db.reading():
            yield from citations_of_layer(self._layer)

    def hides_citations(self) -> bool:
        """Whether a layer has not all citations of the library below. Raises ValueError if this is none."""
        with self._db.reading():
            own = {row[:3] for row in CITATIONS.own_rows(self._layer)}
            return not own.issuperset(self._layer.hidden(CITATIONS.name))

    @property
    def _layer(self) -> LayeredDatabase:
        if not isinstance(self._db, LayeredDatabase):
            raise ValueError("the library lies on no other one")
        return self._db

    def records(self) -> Iterator[Paper | Alias | Citation | Context | FullText | Notice]:
        """All records as they were added: papers by their own ids, not merged."""
        with self._db.reading():
            for heads in pieces(PAPERS.all(self._db, "stored = 1"), _ROWS_AT_ONCE):
                yield from read_bodies(self._db, heads).values()
            yield from (Alias(*row) for row in ALIASES.all(self._db))
            yield from (Citation(*row) for row in CITATIONS.all(self._db))
            for row in CONTEXTS.all(self._db):
                stored = read_context(row.data)
                yield Context(row.id, row.citing_id, tuple(stored.cited_ids), *stored[1:])
            for text in TEXTS.all(self._db):
                for body in TEXT_BODIES.where(self._db, "number", [text.number]):
                    yield read_text(text.paper_id, body.data)
            yield from all_notices(self._db)

    def sentences_of_writings(self) -> Iterator[tuple[str, str]]:
        """The citing sentences of the owner's own writings, each with the paper id of its writing."""
        with self._db.reading():
            for context in contexts_of(self._db, OWN_ID):
                if context.citing is not None and context.cited:
                    yield context.citing.id, context.stored.text

    def context_links(self, since: int = 0) -> Iterator[tuple[int, int, int, tuple[int, ...]]]:
        """Number, citing paper (-1: unknown), year (0: unknown), cited papers of `numbered_contexts`."""
        with self._db.reading():
            for context in contexts_changed(self._db, since):
                if context.cited:
                    citing = -1 if context.citing is None else context.citing.number
                    cited = tuple(entry.number for entry in context.cited)
                    yield context.number, citing, context.year or 0, cited

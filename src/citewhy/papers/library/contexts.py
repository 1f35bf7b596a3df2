"""Contexts and citations between papers in the library, from their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from citewhy.base.records import Context
from citewhy.papers.library.checked import pieces
from citewhy.papers.library.codec import StoredContext, read_context
from citewhy.papers.library.database import Database
from citewhy.papers.library.entries import entries_of, read_entries
from citewhy.papers.library.schema import CITATIONS, CONTEXTS, ContextRow, Head

__all__ = ["LinkedContext", "citations", "contexts_changed", "contexts_numbered", "contexts_of"]

_ROWS_AT_ONCE = 1000


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
    """As stored, or else that of the citing paper."""

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
    """Those of citing papers whose ids begin with `prefix`, by number."""
    rows = CONTEXTS.all(
        db, "citing_id >= ? AND citing_id < ?", [prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)]
    )
    for some in pieces(rows, _ROWS_AT_ONCE):
        yield from _linked(db, some)


def citations(db: Database) -> Iterator[tuple[Head, Head]]:
    """Each pair of different citing and cited entries, once, regardless of how many sources have it."""
    seen: set[tuple[int, int]] = set()
    for rows in pieces(CITATIONS.all(db), _ROWS_AT_ONCE):
        entries = entries_of(db, (identifier for row in rows for identifier in (row.citing_id, row.cited_id)))
        for row in rows:
            citing, cited = entries.get(row.citing_id), entries.get(row.cited_id)
            if citing is None or cited is None or citing == cited:
                continue
            pair = (citing.number, cited.number)
            if pair not in seen:
                seen.add(pair)
                yield citing, cited


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

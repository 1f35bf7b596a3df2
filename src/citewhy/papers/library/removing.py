"""Removing papers from a library."""

from __future__ import annotations

from collections.abc import Collection

from citewhy.papers.library.change import Change
from citewhy.papers.library.entries import members_of
from citewhy.papers.library.own_writings import remove_records_of
from citewhy.papers.library.schema import PAPER_BODIES, PAPERS, REMOVED, TEXT_BODIES, TEXTS, Head, Removed

__all__ = ["remove_entries"]


def remove_entries(change: Change, entries: Collection[Head]) -> None:
    """Removes all records, aliases and full texts of the entries; contexts that cite them are kept.

    The citations and contexts of the owner's own writings among them are removed as well.
    """
    db = change.db
    heads = [head for group in members_of(db, entries).values() for head in group]
    texts = list(TEXTS.where(db, "paper_id", [head.id for head in heads]))
    TEXT_BODIES.delete(db, "number", [text.number for text in texts])
    TEXTS.delete(db, "number", [text.number for text in texts])
    PAPER_BODIES.delete(db, "number", [head.number for head in heads if head.stored])
    PAPERS.delete(db, "number", [head.number for head in heads])
    REMOVED.insert(db, [Removed(entry.number, change.generation) for entry in entries])
    remove_records_of(change, heads)
    change.touched.update(head.id for head in heads)
    change.removed += len(entries)
    change.mark_contexts()

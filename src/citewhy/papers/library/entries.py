"""From rows to papers: the entry that an id belongs to, and merging the records of an entry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from citewhy.base.records import Paper
from citewhy.papers.library.database import Database
from citewhy.papers.library.schema import PAPER_BODIES, PAPERS, Head
from citewhy.text.codec import read_paper
from citewhy.text.dedupe import merged, same_paper, work_key
from citewhy.text.repair import is_encodable

__all__ = [
    "entries_of",
    "find_entries",
    "heads_of",
    "members_of",
    "read_bodies",
    "read_entries",
]


def heads_of(db: Database, ids: Iterable[str]) -> dict[str, Head]:
    """The rows of `ids`, by id and in their order; unknown ids are omitted."""
    # A string with an unpaired surrogate can neither be stored nor be looked up.
    known = dict.fromkeys(paper_id for paper_id in ids if is_encodable(paper_id))
    heads = {head.id: head for head in PAPERS.where(db, "id", known)}
    return {paper_id: heads[paper_id] for paper_id in known if paper_id in heads}


def entries_of(db: Database, ids: Iterable[str]) -> dict[str, Head]:
    """The row of the entry that each of `ids` belongs to, in their order; unknown ids are omitted."""
    heads = heads_of(db, ids)
    elsewhere = {head.entry for head in heads.values() if head.entry != head.number}
    entries = {head.number: head for head in PAPERS.where(db, "number", elsewhere)}
    if entries.keys() != elsewhere:
        raise db.damaged("an entry is missing")
    return {identifier: entries.get(head.entry, head) for identifier, head in heads.items()}


def find_entries(db: Database, papers: Sequence[Paper]) -> list[Head | None]:
    """The entry of each paper, by DOI or else by title, first author and year; ids are not used."""
    keys: dict[str, list[Any]] = {
        "doi": [paper.doi or None for paper in papers],
        "work": [work_key(paper) for paper in papers],
    }
    groups: dict[tuple[str, object], list[Head]] = defaultdict(list)
    for column, values in keys.items():
        for head in PAPERS.where(db, column, dict.fromkeys(value for value in values if value is not None)):
            groups[column, getattr(head, column)].append(head)
    records = read_bodies(db, {head.number: head for group in groups.values() for head in group}.values())
    matches: list[Head | None] = []
    for position, paper in enumerate(papers):
        heads = [
            head
            for column, values in keys.items()
            for head in sorted(groups.get((column, values[position]), ()))
        ]
        same = (
            head
            for head in heads
            for record in [records[head.number]]
            if record == paper or same_paper(record, paper)  # the former is quick
        )
        matches.append(next(same, None))
    entries = entries_of(db, [head.id for head in matches if head is not None])
    return [None if head is None else entries[head.id] for head in matches]


def members_of(db: Database, entries: Collection[Head]) -> dict[int, list[Head]]:
    """All rows of each entry, by entry number; the entry's own row comes first, then the others by number."""
    groups = {entry.number: [entry] for entry in entries}
    shared = [entry.number for entry in entries if entry.members > 1]
    others = sorted(PAPERS.where(db, "entry", shared, "entry <> number"))
    for head in others:
        groups[head.entry].append(head)
    for entry in entries:
        if len(groups[entry.number]) != entry.members:
            raise db.damaged("a record of an entry is missing")
    return groups


def read_entries(db: Database, entries: Sequence[Head]) -> list[Paper]:
    """The papers of the entries, in the given order: the merged records of each entry."""
    groups = members_of(db, entries)
    records = read_bodies(db, [head for group in groups.values() for head in group if head.stored])
    papers: dict[int, list[Paper]] = defaultdict(list)
    for number, group in groups.items():
        papers[number] = [records[head.number] for head in group if head.stored]
    return [merged(papers[entry.number]) for entry in entries]


def read_bodies(db: Database, heads: Collection[Head]) -> dict[int, Paper]:
    """The record of each row, by row number. All rows must be stored ones."""
    ids = {head.number: head.id for head in heads}
    records = {
        body.number: read_paper(ids[body.number], body.data) for body in PAPER_BODIES.where(db, "number", ids)
    }
    if records.keys() != ids.keys():
        raise db.damaged("a paper's record is missing")
    return records

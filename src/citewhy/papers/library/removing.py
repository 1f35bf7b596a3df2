"""Taking papers, and single records of papers, out of a library."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from citewhy.papers.library.change import Change
from citewhy.papers.library.checked import LayeredDatabase
from citewhy.papers.library.entries import entries_of, members_of, read_bodies, read_entries
from citewhy.papers.library.own_writings import remove_records_of
from citewhy.papers.library.schema import (
    ALIASES,
    HOLDINGS,
    OWN_ID,
    PAPER_BODIES,
    PAPERS,
    REMOVED,
    TEXT_BODIES,
    TEXTS,
    AliasRow,
    Body,
    Head,
    Removed,
    has,
)
from citewhy.papers.library.splitting import renumbered
from citewhy.text.codec import paper_data
from citewhy.text.dedupe import merged, work_key

__all__ = ["remove_entries", "remove_records"]


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
    if not isinstance(db, LayeredDatabase) and has(db, HOLDINGS):  # nobody follows the sources of a layer
        HOLDINGS.delete(db, "id", [head.id for head in heads])
    remove_records_of(change, heads)
    change.touched.update(head.id for head in heads)
    change.removed += len(entries)
    change.mark_contexts()


def remove_records(change: Change, ids: Collection[str]) -> None:
    """Removes the records under these ids, of which some may not exist, and the papers that have no other.

    Of a paper with other records, the id becomes another name: it has only got another key. What the record
    alone knew is kept. Own writings are never removed.
    """
    db = change.db
    gone = {paper_id for paper_id in ids if not paper_id.startswith(OWN_ID)}
    entries = {entry.number: entry for entry in entries_of(db, gone).values()}
    whole: list[Head] = []
    for number, group in members_of(db, list(entries.values())).items():
        staying = [head for head in group if head.stored and head.id not in gone]
        leaving = [head for head in group if head.stored and head.id in gone]
        if leaving and staying:
            _make_names(change, entries[number], leaving, staying, [one for one in group if not one.stored])
        elif leaving:
            whole.append(entries[number])
    papers = read_entries(db, whole)
    change.vanished.update({entry.id: paper.title for entry, paper in zip(whole, papers, strict=True)})
    remove_entries(change, whole)


def _make_names(
    change: Change, entry: Head, leaving: Sequence[Head], staying: Sequence[Head], names: Sequence[Head]
) -> None:
    """Keeps of the records that are `leaving` their ids, as names of the first one that is `staying`."""
    db = change.db
    records = read_bodies(db, [*staying, *leaving])
    first = records[staying[0].number]
    filled = replace(
        merged([first, *(records[head.number] for head in leaving)]),
        source=first.source,
        publication=first.publication,
    )
    PAPER_BODIES.put(db, [Body(staying[0].number, paper_data(filled))])
    PAPER_BODIES.delete(db, "number", [head.number for head in leaving])
    ALIASES.put(db, [AliasRow(*sorted((head.id, first.id))) for head in leaving])
    group = [
        staying[0]._replace(doi=filled.doi or None, work=work_key(filled), generation=change.generation),
        *staying[1:],
        *(head._replace(stored=0, doi=None, work=None, generation=change.generation) for head in leaving),
        *names,
    ]
    if staying[0].number == entry.number:
        PAPERS.put(db, group)
    else:  # the entry's own row is leaving, and an entry is told to indexes by the number of that row
        renumbered(change, group)
        REMOVED.insert(db, [Removed(entry.number, change.generation)])
    change.altered = True
    change.touched.update(head.id for head in group)
    change.renamed.update({head.id: first.id for head in leaving})

"""Taking an entry apart: a person says that a record that was merged is another paper."""

from __future__ import annotations

from collections.abc import Sequence

from citewhy.base.errors import QueryError
from citewhy.papers.library.change import Change
from citewhy.papers.library.entries import entries_of, heads_of, members_of, read_entries
from citewhy.papers.library.groups import ids_linked
from citewhy.papers.library.schema import (
    PAPER_BODIES,
    PAPERS,
    SEPARATIONS,
    Body,
    Head,
    Separation,
)

_HINT = "citewhy add and citewhy find --json show the ids of merged papers"


def split_entry(change: Change, paper_id: str) -> tuple[str, str]:
    """Makes a paper of its own of the record with this id; returns the ids of both papers.

    The part without the entry's own row gets new numbers, since those of merged entries were told to indexes
    as removed. The ids are stored as those of two papers, so that nothing joins them again. Raises QueryError
    for an id that was not merged with another one.
    """
    db = change.db
    (entry,) = entries_of(db, [paper_id]).values()
    heads = members_of(db, [entry])[entry.number]
    head = heads_of(db, [paper_id])[paper_id]
    stored = [row for row in heads if row.stored]
    if not head.stored:
        (paper,) = read_entries(db, [entry])
        raise QueryError(f"{paper_id!r} is only another name of {entry.id!r}, {paper.title!r}", hint=_HINT)
    if len(stored) == 1:
        raise QueryError(f"{paper_id!r} was not merged with another paper", hint=_HINT)
    leaving = [head] if head.number != entry.number else stored[1:]
    staying = [row for row in stored if row not in leaving]
    names = ids_linked(change, [row.id for row in leaving], {row.id for row in heads if not row.stored})
    leaving += [row for row in heads if row.id in names]
    staying += [row for row in heads if not row.stored and row.id not in names]
    pairs = [(one.id, other.id) for one in leaving for other in staying if one.stored and other.stored]
    SEPARATIONS.put(db, [Separation(*sorted(pair)) for pair in pairs])
    PAPERS.put(db, [entry._replace(members=len(staying), generation=change.generation)])
    new = renumbered(change, leaving)
    change.altered = True
    change.touched.update(row.id for row in heads)
    change.mark_contexts()
    return (paper_id, entry.id) if head in leaving else (paper_id, new)


def renumbered(change: Change, heads: Sequence[Head]) -> str:
    """Makes an entry of the rows, with new numbers; returns its id."""
    db = change.db
    numbers = {head.number: change.paper_number() for head in heads}
    bodies = list(PAPER_BODIES.where(db, "number", [head.number for head in heads if head.stored]))
    PAPER_BODIES.delete(db, "number", [body.number for body in bodies])
    PAPER_BODIES.insert(db, [Body(numbers[body.number], body.data) for body in bodies])
    PAPERS.delete(db, "number", numbers)
    first = heads[0]
    PAPERS.insert(
        db,
        [
            head._replace(
                number=numbers[head.number],
                entry=numbers[first.number],
                members=len(heads) if head is first else 0,
                generation=change.generation,
            )
            for head in heads
        ],
    )
    return first.id

"""A commit under construction: its generation, the numbers that it assigns, and its changes so far."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from citewhy.base.reports import Merge
from citewhy.papers.library.checked import LayeredDatabase, pieces
from citewhy.papers.library.database import Database
from citewhy.papers.library.entries import entries_of, members_of, read_bodies
from citewhy.papers.library.opening import pragma
from citewhy.papers.library.schema import (
    CITING,
    COMMITS,
    CONTEXTS,
    MENTIONS,
    PAPERS,
    SCHEMA_VERSION,
    STATES,
    Citing,
    Commit,
    has,
    read_state,
)
from citewhy.text.dedupe import work_key

__all__ = ["AddResult", "Change"]

_IDS_AT_ONCE = 2000
_MOST_TOLD = 50_000
"""Ids of which one commit tells that their citations changed; of more, indexes read all citations again."""
_WITH_SURNAMES = 3
"""The version of the schema from which on `Head.work` knows all spellings of a surname."""


@dataclass(frozen=True)
class AddResult:
    """The effect of an import on a library, with counts by kind of record as in `ImportReport.read`."""

    generation: int
    """Generation of the library afterwards."""
    changed: bool
    new: Counter[str]
    updated: Counter[str]
    unchanged: Counter[str]
    merged: int
    """Number of entries and new records that were merged into other entries: of `merges`."""
    removed: int
    refused: Counter[str] = field(default_factory=Counter)
    """Records that could be read but were not added."""
    missing: tuple[str, ...] = ()
    """Identifiers in the import for which the library has no paper."""
    withdrawn: Counter[str] = field(default_factory=Counter)
    """Contexts and citations of an earlier version of a writing that the new version no longer has."""
    papers_before: int = 0
    papers: int = 0
    """Entries before and afterwards."""
    merges: tuple[Merge, ...] = ()
    vanished: Mapping[str, str] = field(default_factory=dict)
    """Titles by id of the papers that were removed since no source has them any more."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Ids that no source has any more, each with the id of the same paper that one has."""


@dataclass
class Change:
    """A commit. Create and finish it inside `db.writing()`."""

    db: Database
    new: Counter[str] = field(default_factory=Counter)
    updated: Counter[str] = field(default_factory=Counter)
    unchanged: Counter[str] = field(default_factory=Counter)
    merges: list[Merge] = field(default_factory=list)
    altered: bool = False
    """Whether rows changed that nothing else tells of: names without a record, and what was split."""
    removed: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    withdrawn: Counter[str] = field(default_factory=Counter)
    missing: list[str] = field(default_factory=list)
    vanished: dict[str, str] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    """Ids whose entry or its year changed: contexts that refer to them change as well."""
    citing: set[str] = field(default_factory=set)
    """Ids whose citations change; an empty one among them: not all of them are told."""

    def __post_init__(self) -> None:
        _recognise_surnames(self.db)
        state = read_state(self.db)
        self._state = state
        self.generation = state.generation + 1
        self.first_paper = state.next_paper
        """The smallest number of a paper that is added by this commit."""
        self._next_paper = state.next_paper
        self._next_context = state.next_context
        self._next_text = state.next_text
        self._papers_before = _entries(self.db)

    def paper_number(self) -> int:
        self._next_paper += 1
        return self._next_paper - 1

    def context_number(self) -> int:
        self._next_context += 1
        return self._next_context - 1

    def text_number(self) -> int:
        self._next_text += 1
        return self._next_text - 1

    def mark_entries(self, ids: Collection[str], *, touch: bool) -> None:
        """Marks the entries of `ids` as changed; if `touch` is true, also adds all their ids to `touched`."""
        entries = {head.number: head for head in entries_of(self.db, ids).values()}
        PAPERS.put(self.db, (head._replace(generation=self.generation) for head in entries.values()))
        if touch:
            groups = members_of(self.db, list(entries.values()))
            self.touched.update(head.id for group in groups.values() for head in group)

    def new_ids(self) -> Iterator[str]:
        """The ids of the records that this commit adds, as far as it has stored them."""
        return (head.id for head in PAPERS.numbered_from(self.db, self.first_paper, "stored = 1"))

    def mark_contexts(self, *, new: bool = False) -> None:
        """Marks the contexts of which a touched id, or a `new` one, is the citing or a cited paper as
        changed."""
        if not CONTEXTS.may_have_rows(self.db):
            return  # a new library may have a million new ids, but no contexts
        for ids in pieces(chain(self.touched, self.new_ids() if new else ()), _IDS_AT_ONCE):
            numbers = {mention.context for mention in MENTIONS.where(self.db, "cited_id", set(ids))}
            numbers |= {context.number for context in CONTEXTS.where(self.db, "citing_id", set(ids))}
            contexts = list(CONTEXTS.where(self.db, "number", numbers))
            CONTEXTS.put(self.db, (context._replace(generation=self.generation) for context in contexts))

    def _tell_citing(self) -> None:
        """Stores whose citations changed. Nobody asks that of a layer."""
        if not self.citing or isinstance(self.db, LayeredDatabase) or not has(self.db, CITING):
            return
        if "" in self.citing or len(self.citing) > _MOST_TOLD:
            self.db.run(f"DELETE FROM {CITING.name}")
            self.citing = {""}
        CITING.put(self.db, (Citing(name, self.generation) for name in sorted(self.citing)))

    def finish(self) -> AddResult:
        """Writes the new state if anything changed."""
        counts = (self.new, self.updated, self.withdrawn)
        changed = bool(any(kind.total() for kind in counts) or self.merges or self.removed or self.altered)
        if changed:
            state = self._state._replace(
                generation=self.generation,
                next_paper=self._next_paper,
                next_context=self._next_context,
                next_text=self._next_text,
            )
            STATES.put(self.db, [state])
            self._tell_citing()
            self.db.run(f"PRAGMA user_version = {SCHEMA_VERSION}")
            COMMITS.insert(self.db, [Commit(self.generation, secrets.randbits(62))])
        return AddResult(
            generation=self.generation if changed else self._state.generation,
            changed=changed,
            new=+self.new,
            updated=+self.updated,
            unchanged=+self.unchanged,
            merged=len(self.merges),
            removed=self.removed,
            refused=+self.refused,
            missing=tuple(self.missing),
            withdrawn=+self.withdrawn,
            papers_before=self._papers_before,
            papers=_entries(self.db),
            merges=tuple(self.merges),
            vanished=self.vanished,
            renamed=self.renamed,
        )


def _entries(db: Database) -> int:
    """How many entries there are."""
    return PAPERS.count(db, "entry = number")


def _recognise_surnames(db: Database) -> None:
    """Gives the papers of a library of an earlier version the keys by which this one recognises them."""
    version = pragma(db, "user_version")
    if isinstance(version, int) and version >= _WITH_SURNAMES:
        return
    for heads in list(pieces(PAPERS.all(db, "stored = 1"), 10_000)):
        papers = read_bodies(db, heads)
        works = {number: work_key(paper) for number, paper in papers.items()}
        changed = [head for head in heads if head.work != works[head.number]]
        PAPERS.put(db, (head._replace(work=works[head.number]) for head in changed))

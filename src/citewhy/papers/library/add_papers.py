"""Adding the papers of an import: each is new, updated or unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citewhy.base.records import Paper
from citewhy.papers.formats.report import ImportReport
from citewhy.papers.library.change import Change
from citewhy.papers.library.checked import pieces
from citewhy.papers.library.codec import paper_data, read_paper
from citewhy.papers.library.dedupe import clash, merged, updated, work_key
from citewhy.papers.library.entries import heads_of
from citewhy.papers.library.schema import PAPER_BODIES, PAPERS, Body, Head
from citewhy.papers.library.staging import StagedPaper, Staging
from citewhy.text.names import title_key

__all__ = ["PaperChanges", "add_papers"]

_IDS_AT_ONCE = 2000
_NO_PAPER = 2
"""A staged paper's `weak` from which on it only adds to a paper that is there."""


class PaperChanges:
    """Which ids the papers of an import changed."""

    def __init__(self) -> None:
        self.new_ids: set[str] = set()
        self.joined_ids: set[str] = set()
        """The `new_ids` that were only an alias of an entry before."""
        self.updated: dict[str, int] = {}
        """Entry number by id."""
        self.other_year: set[str] = set()
        """The `updated` ids whose year changed."""


def add_papers(change: Change, staging: Staging, report: ImportReport) -> PaperChanges:
    """Stores the records under each id.

    A record with a known id is an update: its fields replace the old ones, but fields that it lacks are kept.
    If it is obviously another paper (`dedupe.clash`), it is stored under ``id#2``, with a warning. The header
    of a full text only fills gaps, since it was extracted from a printed page.
    """
    changes = PaperChanges()
    for piece in pieces(staging.papers(), _IDS_AT_ONCE):
        batch = _Batch(change, changes, report, staging.sources, [identifier for identifier, _ in piece])
        for identifier, records in piece:
            if identifier not in batch.heads and len(records) == 1 and records[0].weak < _NO_PAPER:
                batch.store_new(records[0])
            elif len(records) == 1 and batch.data.get(identifier) == records[0].data:
                change.unchanged["papers"] += 1
            else:
                batch.resolve(identifier, records)
        batch.write()
    return changes


class _Batch:
    """A batch of ids: what the library has under them, and the rows to be written."""

    def __init__(
        self,
        change: Change,
        changes: PaperChanges,
        report: ImportReport,
        sources: Sequence[str],
        ids: Sequence[str],
    ) -> None:
        self._change = change
        self._changes = changes
        self._report = report
        self._sources = sources
        self.heads: dict[str, Head] = {}
        self.data: dict[str, bytes] = {}
        """The record stored under each id; absent if the id is unknown or only an alias."""
        self._look_up(ids)
        self._names: list[int] = []
        self._new: list[tuple[Head, Body]] = []
        self._changed: list[tuple[Head, Body]] = []

    def store_new(self, paper: StagedPaper) -> None:
        """A new entry (for now), or a record of the entry that the id was an alias of."""
        number = self._change.paper_number()
        head = Head(number, paper.id, number, 1, 1, paper.doi, paper.work, self._change.generation)
        if (name := self.heads.get(paper.id)) is not None:
            self._names.append(name.number)  # deleted, since records are merged in the order of their numbers
            head = head._replace(entry=name.entry, members=0)
            self._changes.joined_ids.add(paper.id)
            self._change.merged += 1
        self.heads[paper.id], self.data[paper.id] = head, paper.data
        self._new.append((head, Body(number, paper.data)))
        self._changes.new_ids.add(paper.id)
        self._change.new["papers"] += 1

    def resolve(self, identifier: str, records: Sequence[StagedPaper]) -> None:
        """Stores several records of an id, or a record of a known id."""
        results: dict[str, tuple[Paper, int]] = {}
        for staged in records:
            paper = read_paper(identifier, staged.data)
            if staged.weak and (known := self._known(identifier, results)):
                results[identifier] = (self._filled(known, paper, staged), staged.source)
                continue
            if staged.weak >= _NO_PAPER:
                self._refuse(identifier, staged)
                continue
            name, before = self._place(paper, results)
            paper = replace(paper, id=name)
            if before is None and name != identifier:
                self._warn_of_clash(paper, identifier, staged, results)
            results[name] = (paper if before is None else updated(before, paper), staged.source)
        for name, (paper, source) in results.items():
            self._store(name, paper, source)

    def write(self) -> None:
        db = self._change.db
        PAPERS.delete(db, "number", self._names)
        PAPERS.insert(db, (head for head, _ in self._new))
        PAPER_BODIES.insert(db, (body for _, body in self._new))
        PAPERS.put(db, (head for head, _ in self._changed))
        PAPER_BODIES.put(db, (body for _, body in self._changed))

    def _refuse(self, identifier: str, staged: StagedPaper) -> None:
        self._change.refused["papers"] += 1
        self._report.skip(
            self._sources[staged.source],
            None,
            f"the abstract of {identifier!r} belongs to no paper of the library; add its paper first",
        )

    def _filled(self, known: Paper, paper: Paper, staged: StagedPaper) -> Paper:
        if not clash(known, paper):
            return merged([known, paper])
        self._report.warn(
            self._sources[staged.source],
            None,
            f"id {known.id!r} belongs to {known.title!r}, but the full text has the title {paper.title!r}; "
            "only its sentences are used",
        )
        return known

    def _place(self, paper: Paper, results: dict[str, tuple[Paper, int]]) -> tuple[str, Paper | None]:
        """The id for a record (its own, unless that belongs to another paper), and the paper stored there."""
        name, copy = paper.id, 1
        while (known := self._known(name, results)) and clash(known, paper):
            copy += 1
            name = f"{paper.id}#{copy}"
        return name, known

    def _known(self, name: str, results: dict[str, tuple[Paper, int]]) -> Paper | None:
        if name in results:
            return results[name][0]
        if name not in self.heads:
            self._look_up([name])
        return read_paper(name, self.data[name]) if name in self.data else None

    def _store(self, name: str, paper: Paper, source: int) -> None:
        data = paper_data(paper)
        if data == self.data.get(name):
            self._change.unchanged["papers"] += 1
            return
        staged = StagedPaper(name, source, paper.doi or None, work_key(paper), data)
        if name not in self.data:
            self.store_new(staged)
            return
        head = self.heads[name]._replace(doi=staged.doi, work=staged.work, generation=self._change.generation)
        self._changed.append((head, Body(head.number, data)))
        self._changes.updated[name] = head.number
        self._change.updated["papers"] += 1
        before = read_paper(name, self.data[name])
        if before.year != paper.year:
            self._changes.other_year.add(name)
        if title_key(before.title) != title_key(paper.title):
            self._report.warn(
                self._sources[source],
                None,
                f"id {name!r} has a new title, {paper.title!r}, which replaces {before.title!r}",
            )

    def _warn_of_clash(
        self, paper: Paper, identifier: str, staged: StagedPaper, results: dict[str, tuple[Paper, int]]
    ) -> None:
        holder = self._known(identifier, results)
        assert holder is not None
        self._report.warn(
            self._sources[staged.source],
            None,
            f"id {identifier!r} already belongs to another paper, {holder.title!r}; "
            f"{paper.title!r} is stored as {paper.id!r}",
        )

    def _look_up(self, ids: Sequence[str]) -> None:
        heads = heads_of(self._change.db, ids)
        self.heads.update(heads)
        stored = {head.number: head.id for head in heads.values() if head.stored}
        bodies = {
            stored[body.number]: body.data for body in PAPER_BODIES.where(self._change.db, "number", stored)
        }
        if len(bodies) < len(stored):
            raise self._change.db.damaged("a paper's record is missing")
        self.data.update(bodies)

"""The papers of an import: each new, changed or as before, under its id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citewhy.formats.report import ImportReport
from citewhy.library.change import Change
from citewhy.library.checked import pieces
from citewhy.library.codec import paper_data, read_paper
from citewhy.library.dedupe import clash, merged, updated, work_key
from citewhy.library.entries import heads_of
from citewhy.library.schema import PAPER_BODIES, PAPERS, Body, Head
from citewhy.library.staging import StagedPaper, Staging
from citewhy.records import Paper
from citewhy.text.names import title_key

__all__ = ["PaperChanges", "add_papers"]

_IDS_AT_ONCE = 2000
_NO_PAPER = 2
"""A staged paper's `weak` from which on it only adds to a paper that is there."""


class PaperChanges:
    """What the papers of an import changed."""

    def __init__(self) -> None:
        self.new_ids: set[str] = set()
        self.joined_ids: set[str] = set()
        """Those of `new_ids` that were only another name of an entry before."""
        self.updated: dict[str, int] = {}
        """Number by id."""
        self.other_year: set[str] = set()
        """Those of `updated` that now give another year."""


def add_papers(change: Change, staging: Staging, report: ImportReport) -> PaperChanges:
    """Stores what was said under each id.

    The same id again is an update: what it says now counts, what it no longer says is kept. Where that
    cannot be (`dedupe.clash`), the newcomer is kept under ``id#2``. Both are warned about. What a full text
    says of itself only fills gaps, since programs read it off a printed page.
    """
    changes = PaperChanges()
    for piece in pieces(staging.papers(), _IDS_AT_ONCE):
        desk = _Desk(change, changes, report, staging.sources, [identifier for identifier, _ in piece])
        for identifier, said in piece:
            if identifier not in desk.heads and len(said) == 1 and said[0].weak < _NO_PAPER:
                desk.store_new(said[0])
            elif len(said) == 1 and desk.data.get(identifier) == said[0].data:
                change.unchanged["papers"] += 1
            else:
                desk.settle(identifier, said)
        desk.put_down()
    return changes


class _Desk:
    """Some ids at a time: what the library has under them, and the rows that are to be written."""

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
        """What is stored under an id; absent where the id is free, or only another name."""
        self._look_up(ids)
        self._names: list[int] = []
        self._new: list[tuple[Head, Body]] = []
        self._changed: list[tuple[Head, Body]] = []

    def store_new(self, paper: StagedPaper) -> None:
        """An entry of its own, for now; or a record of the entry whose name the id was so far."""
        number = self._change.paper_number()
        head = Head(number, paper.id, number, 1, 1, paper.doi, paper.work, self._change.generation)
        if (name := self.heads.get(paper.id)) is not None:
            self._names.append(name.number)  # gone, since records are put together in order of their numbers
            head = head._replace(entry=name.entry, members=0)
            self._changes.joined_ids.add(paper.id)
            self._change.merged += 1
        self.heads[paper.id], self.data[paper.id] = head, paper.data
        self._new.append((head, Body(number, paper.data)))
        self._changes.new_ids.add(paper.id)
        self._change.new["papers"] += 1

    def settle(self, identifier: str, said: Sequence[StagedPaper]) -> None:
        """Several records of an id, or one of a known id: finds what each is, and what becomes of it."""
        results: dict[str, tuple[Paper, int]] = {}
        for staged in said:
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

    def put_down(self) -> None:
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
            f"id {known.id!r} is {known.title!r}, and the text calls itself {paper.title!r}; "
            "only its sentences are used",
        )
        return known

    def _place(self, paper: Paper, results: dict[str, tuple[Paper, int]]) -> tuple[str, Paper | None]:
        """The id where the record belongs (its own, unless that is another's), and what is known there."""
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
                f"id {name!r} comes with another title: {paper.title!r}, before {before.title!r}; "
                "the new one counts",
            )

    def _warn_of_clash(
        self, paper: Paper, identifier: str, staged: StagedPaper, results: dict[str, tuple[Paper, int]]
    ) -> None:
        holder = self._known(identifier, results)
        assert holder is not None
        self._report.warn(
            self._sources[staged.source],
            None,
            f"id {identifier!r} is already another paper's: {holder.title!r}, not {paper.title!r}; "
            f"this one is kept as {paper.id!r}",
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

"""Adding staged records to a library in one commit. A paper is new, updated or unchanged; papers come first,
since the other records refer to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from citewhy.base.import_report import ImportReport
from citewhy.base.records import Citation, Context, Paper, ReferenceList
from citewhy.papers.library.change import AddResult, Change
from citewhy.papers.library.checked import pieces
from citewhy.papers.library.database import Database
from citewhy.papers.library.entries import entries_of, find_entries, heads_of, read_entries
from citewhy.papers.library.groups import pairs_by_alias, pairs_by_content, unite
from citewhy.papers.library.notices import add_notices
from citewhy.papers.library.opening import complete
from citewhy.papers.library.own_writings import remove_outdated, stage_writings
from citewhy.papers.library.schema import (
    ALIASES,
    CITATIONS,
    CONTEXTS,
    MENTIONS,
    PAPER_BODIES,
    PAPERS,
    TEXT_BODIES,
    TEXTS,
    AliasRow,
    Body,
    CitationRow,
    ContextRow,
    Head,
    Mention,
    TextRow,
)
from citewhy.papers.library.sources import Follow, follow, only_in
from citewhy.papers.library.staging import StagedPaper, Staging
from citewhy.text.codec import paper_data, read_paper, same_paper_data
from citewhy.text.dedupe import clash, differ, doubtful, merged, updated, work_key
from citewhy.text.markers import OTHER, TARGET
from citewhy.text.names import title_key

__all__ = ["PaperChanges", "add_papers", "add_staged", "citations_and_contexts"]

_ROWS_AT_ONCE = 2000
_TEXTS_AT_ONCE = 50
_EXAMPLES = 3
_REMEMBERED = 1_000_000
"""Ids of which it is remembered whether a paper has them."""


def add_staged(db: Database, staging: Staging, report: ImportReport, plan: Follow | None = None) -> AddResult:
    """Adds all staged records in one commit. Papers come first, since the others refer to them. Their sources
    are followed as `plan` says (None: not at all)."""
    with db.writing(keep=plan is None or plan.keep):
        if plan is not None:
            complete(db)
        change = Change(db)
        for key in ("doi", "work"):
            PAPERS.verify_lookups(db, key)  # before SQLite joins by it
        writings = stage_writings(change, staging, report)
        own = only_in(db, plan.origins.values()) if plan is not None and plan.sync else set()
        papers = add_papers(change, staging, report, own)
        aliases = _add_aliases(change, staging)
        named = {name for row in aliases for name in row}
        by_alias = pairs_by_alias(change, named.union(papers.updated))
        refused = unite(change, pairs_by_content(change, papers.updated.values()), by_alias)
        _leave_out(change, refused, aliases, staging, report)
        change.mark_entries(papers.updated, touch=False)
        change.mark_entries(papers.other_year, touch=True)
        change.mark_contexts(new=True)
        _look_up_references(change, staging, report)
        unknown = _UnknownIds(db)
        _add_contexts(change, staging, unknown)
        _add_citations(change, staging, unknown)
        remove_outdated(change, writings)
        _add_texts(change, staging, unknown)
        add_notices(change, staging.notices())
        _look_up_identifiers(change, staging)
        _count_repetitions(change, staging)
        if plan is not None:
            follow(change, staging, plan)
        result = change.finish()
    unknown.warn(report, staging.sources)
    return result


def _add_aliases(change: Change, staging: Staging) -> dict[AliasRow, int]:
    """Stores new aliases and returns them, each with its source."""
    added: dict[AliasRow, int] = {}
    for piece in pieces(staging.aliases(), _ROWS_AT_ONCE):
        known = set(ALIASES.where(change.db, "id", {one for one, *_ in piece}))
        rows = {AliasRow(one, other): source for one, other, source in piece}
        new = [row for row in rows if row not in known]
        ALIASES.insert(change.db, new)
        change.new["aliases"] += len(new)
        change.unchanged["aliases"] += len(piece) - len(new)
        added.update((row, rows[row]) for row in new)
    return added


def _leave_out(
    change: Change,
    refused: Iterable[AliasRow],
    added: Mapping[AliasRow, int],
    staging: Staging,
    report: ImportReport,
) -> None:
    """Takes out those of the `added` aliases that are refused, since they would make one paper of two."""
    for row in map(AliasRow._make, map(sorted, refused)):
        if row not in added:
            continue  # of an earlier import: a paper has come since that is another one
        change.db.run("DELETE FROM aliases WHERE id = ? AND same_as = ?", row)
        change.new["aliases"] -= 1
        change.refused["aliases"] += 1
        one, other = (read_entries(change.db, [entries_of(change.db, [name])[name]])[0] for name in row)
        report.warn(
            staging.sources[added[row]],
            None,
            f"{row.id!r} and {row.same_as!r} are said to be the same, but {one.title!r} and {other.title!r} "
            "are two papers; they stay two",
        )


def _look_up_references(change: Change, staging: Staging, report: ImportReport) -> None:
    """Stages the citations and contexts of reference lists, now that all papers have been added."""
    for listed, source in staging.reference_lists():
        records = list(citations_and_contexts(change.db, listed))
        report.read["citations"] += (edges := sum(isinstance(record, Citation) for record in records))
        report.read["contexts"] += len(records) - edges
        staging.take(records, source)


def _look_up_identifiers(change: Change, staging: Staging) -> None:
    """Counts the papers given only by an identifier: those in the library, and those missing from it."""
    for piece in pieces(iter(staging.identifiers), _ROWS_AT_ONCE):
        names = {name for one, _ in piece for name in (one.id, *one.also)}
        heads = heads_of(change.db, names)
        dois = {head.doi for head in PAPERS.where(change.db, "doi", {one.doi for one, _ in piece if one.doi})}
        for one, _ in piece:
            if one.doi in dois or any(name in heads for name in (one.id, *one.also)):
                change.unchanged["identifiers"] += 1
            else:
                change.refused["identifiers"] += 1
                change.missing.append(one.id)


def _count_repetitions(change: Change, staging: Staging) -> None:
    """Counts as unchanged the records that repeat an earlier record of the same import."""
    for kind, taken in staging.taken.items():
        counted = (change.new, change.updated, change.unchanged, change.refused)
        change.unchanged[kind] += taken - sum(counts[kind] for counts in counted)


def _add_contexts(change: Change, staging: Staging, unknown: _UnknownIds) -> None:
    for piece in pieces(staging.contexts(), _ROWS_AT_ONCE):
        stored = CONTEXTS.where(change.db, "citing_id", {staged.citing_id for staged in piece})
        known = {(row.citing_id, row.id): row for row in stored}
        cited = [list(dict.fromkeys(filter(None, staged.cited_ids.split("\n")))) for staged in piece]
        unknown.look_up(cited_id for cited_ids in cited for cited_id in cited_ids)
        rows: list[ContextRow] = []
        mentions: list[Mention] = []
        for staged, cited_ids in zip(piece, cited, strict=True):
            unknown.note("citing sentences", cited_ids, staged.source)
            before = known.get((staged.citing_id, staged.id))
            if before is not None and before.data == staged.data:
                change.unchanged["contexts"] += 1
                continue
            (change.new if before is None else change.updated)["contexts"] += 1
            number = change.context_number() if before is None else before.number
            rows.append(ContextRow(number, staged.citing_id, staged.id, change.generation, staged.data))
            mentions.extend(Mention(cited_id, number) for cited_id in cited_ids)
        MENTIONS.delete(change.db, "context", [row.number for row in rows])
        CONTEXTS.put(change.db, rows)
        MENTIONS.insert(change.db, mentions)


def _add_citations(change: Change, staging: Staging, unknown: _UnknownIds) -> None:
    may_be_known = CITATIONS.may_have_rows(change.db)
    if not may_be_known:
        change.citing.add("")
    for piece in pieces(staging.citations(), _ROWS_AT_ONCE):
        citing = {staged.citing_id for staged in piece} if may_be_known else ()
        known = {row[:3]: row for row in CITATIONS.where(change.db, "citing_id", citing)}
        unknown.look_up(identifier for staged in piece for identifier in staged[:2])
        new: list[CitationRow] = []
        changed: list[CitationRow] = []
        for staged in piece:
            unknown.note("citations", staged[:2], staged.source)
            row = CitationRow(*staged[:3], staged.n_contexts)
            before = known.get(row[:3])
            if before is None:
                new.append(row)
            elif row != before:
                changed.append(row)
        change.unchanged["citations"] += len(piece) - len(new) - len(changed)
        if may_be_known:
            change.citing.update(row.citing_id for row in new)
        CITATIONS.insert(change.db, new)
        CITATIONS.put(change.db, changed)
        change.new["citations"] += len(new)
        change.updated["citations"] += len(changed)


def _add_texts(change: Change, staging: Staging, unknown: _UnknownIds) -> None:
    for piece in pieces(staging.texts(), _TEXTS_AT_ONCE):
        ids = [staged.paper_id for staged in piece]
        unknown.look_up(ids)
        known = {row.paper_id: row for row in TEXTS.where(change.db, "paper_id", ids)}
        numbers = [row.number for row in known.values()]
        bodies = {body.number: body.data for body in TEXT_BODIES.where(change.db, "number", numbers)}
        for staged in piece:
            unknown.note("full texts", [staged.paper_id], staged.source)
            row = known.get(staged.paper_id)
            if row is not None and bodies.get(row.number) == staged.data:
                change.unchanged["full texts"] += 1
                continue
            (change.new if row is None else change.updated)["full texts"] += 1
            if row is None:
                row = TextRow(change.text_number(), staged.paper_id)
                TEXTS.insert(change.db, [row])
            TEXT_BODIES.put(change.db, [Body(row.number, staged.data)])


class _UnknownIds:
    """Ids in an import that no paper has. They are kept, with one warning for all of them."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, None] = {}
        self._first_source = 0
        self._known: dict[str, bool] = {}

    def look_up(self, ids: Iterable[str]) -> None:
        """Looks up many ids at once, before they are given to `note`."""
        asked = set(ids)
        if len(self._known) > _REMEMBERED:
            self._known.clear()
        new = [name for name in asked if name not in self._known]  # `-` would go through all that are known
        known = PAPERS.known(self._db, "id", new)
        self._known.update((identifier, identifier in known) for identifier in new)

    def note(self, kind: str, ids: Iterable[str], source: int) -> None:
        known = self._known
        missing = [identifier for identifier in ids if not known[identifier]]
        if not missing:
            return
        if not self._counts:
            self._first_source = source
        self._counts[kind] += 1
        if len(self._examples) < _EXAMPLES:
            self._examples.update(dict.fromkeys(missing[:_EXAMPLES]))

    def warn(self, report: ImportReport, sources: Sequence[str]) -> None:
        if self._counts:
            counts = ", ".join(f"{count:,} {kind}" for kind, count in self._counts.items())
            examples = ", ".join(map(repr, list(self._examples)[:_EXAMPLES]))
            report.warn(
                sources[self._first_source],
                None,
                f"{counts} refer to papers that are not in the library, such as {examples}; "
                "they will be used once these are added",
            )


def citations_and_contexts(db: Database, listed: ReferenceList) -> Iterator[Citation | Context]:
    """A citation for each listed paper in the library, and a context for each sentence that cites one."""
    papers = _papers(db, listed)
    contexts = [context for context in _contexts(listed, papers) if context.cited_ids]
    counts = Counter(cited_id for context in contexts for cited_id in context.cited_ids)
    for cited_id in dict.fromkeys(papers.values()):
        yield Citation(listed.citing_id, cited_id, listed.source, counts[cited_id])
    yield from contexts


def _papers(db: Database, listed: ReferenceList) -> dict[str, str]:
    """The id of the paper of each reference, by key, without the citing paper itself."""
    own = {entry.number for entry in entries_of(db, [listed.citing_id]).values()}
    named = entries_of(db, {one.paper.id for one in listed.references if one.paper.id != one.key})
    entries = {one.key: named.get(one.paper.id) for one in listed.references}
    others = [one for one in listed.references if entries[one.key] is None]
    entries |= zip((one.key for one in others), find_entries(db, [one.paper for one in others]), strict=True)
    return {key: entry.id for key, entry in entries.items() if entry and entry.number not in own}


def _contexts(listed: ReferenceList, papers: dict[str, str]) -> Iterator[Context]:
    for sentence in listed.sentences:
        keys = [key for piece in sentence.pieces if not isinstance(piece, str) for key in piece]
        yield Context(
            f"{listed.citing_id}_{sentence.sid}",
            listed.citing_id,
            tuple(dict.fromkeys(papers[key] for key in keys if key in papers)),
            "".join(_shown(piece, papers) for piece in sentence.pieces),
            listed.year,
            sentence.section,
        )


def _shown(piece: str | tuple[str, ...], papers: dict[str, str]) -> str:
    if isinstance(piece, str):
        return piece
    return TARGET if any(key in papers for key in piece) else OTHER


# Papers -------------------------------------------------------------------------------------------------

_IDS_AT_ONCE = 2000
_NO_PAPER = 2
"""A staged paper's `weak` from which on it only adds to a paper that is there."""


def _of_other_file(known: Paper, paper: Paper) -> bool:
    """Whether two records are entries of bibliographies with different names."""
    if known.source is None or paper.source is None:
        return False
    return known.source.file != paper.source.file


class PaperChanges:
    """Which known ids the papers of an import changed."""

    def __init__(self) -> None:
        self.updated: dict[str, int] = {}
        """Entry number by id."""
        self.other_year: set[str] = set()
        """The `updated` ids whose year changed."""


def add_papers(
    change: Change, staging: Staging, report: ImportReport, own: Collection[str] = ()
) -> PaperChanges:
    """Stores the records under each id.

    A record with a known id is an update: its fields replace the old ones, but fields that it lacks are kept.
    If it is obviously another paper (`dedupe.clash`), it is stored under ``id#2``, with a warning; or it
    takes the place of the old one if that is among the `own` ids, which only its sources hold. The header of
    a full text only fills gaps, since it was extracted from a printed page.
    """
    changes = PaperChanges()
    for piece in pieces(staging.papers(), _IDS_AT_ONCE):
        batch = _Batch(change, changes, report, staging, [identifier for identifier, _ in piece], own)
        for identifier, records in piece:
            if identifier not in batch.heads and len(records) == 1 and records[0].weak < _NO_PAPER:
                batch.store_new(records[0])
                staging.place(records[0].source, identifier)
            elif len(records) == 1 and batch.data.get(identifier) == records[0].data:
                change.unchanged["papers"] += 1
                staging.place(records[0].source, identifier)
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
        staging: Staging,
        ids: Sequence[str],
        own: Collection[str],
    ) -> None:
        self._change = change
        self._changes = changes
        self._report = report
        self._staging = staging
        self._sources = staging.sources
        self._own = own
        self.heads: dict[str, Head] = {}
        self.data: dict[str, bytes] = {}
        """The record stored under each id; absent if the id is unknown or only an alias."""
        self._look_up(ids)
        self._names: list[Head] = []
        self._new: list[tuple[Head, Body]] = []
        self._changed: list[tuple[Head, Body]] = []

    def store_new(self, paper: StagedPaper) -> None:
        """A new entry (for now). What was only an alias of another entry is linked with it again if both are
        one paper."""
        number = self._change.paper_number()
        head = Head(number, paper.id, number, 1, 1, paper.doi, paper.work, self._change.generation)
        if (name := self.heads.get(paper.id)) is not None:
            self._names.append(name)
        self.heads[paper.id], self.data[paper.id] = head, paper.data
        self._new.append((head, Body(number, paper.data)))
        self._change.new["papers"] += 1

    def resolve(self, identifier: str, records: Sequence[StagedPaper]) -> None:
        """Stores several records of an id, or a record of a known id."""
        results: dict[str, tuple[Paper, int]] = {}
        for staged in records:
            paper = read_paper(identifier, staged.data)
            if staged.weak and (known := self._known(identifier, results)):
                results[identifier] = (self._filled(known, paper, staged), staged.source)
                self._staging.place(staged.source, identifier)
                continue
            if staged.weak >= _NO_PAPER:
                self._refuse(identifier, staged)
                continue
            name, before = self._place(paper, staged.source, results)
            self._staging.place(staged.source, name)
            paper = replace(paper, id=name)
            if before is None and name != identifier:
                self._warn_of_clash(paper, identifier, staged, results)
            results[name] = (paper if before is None else updated(before, paper), staged.source)
        for name, (paper, source) in results.items():
            self._store(name, paper, source)

    def write(self) -> None:
        db = self._change.db
        PAPERS.delete(db, "number", [name.number for name in self._names])
        PAPERS.insert(db, (head for head, _ in self._new))
        PAPER_BODIES.insert(db, (body for _, body in self._new))
        PAPERS.put(db, (head for head, _ in self._changed))
        PAPER_BODIES.put(db, (body for _, body in self._changed))
        fewer = Counter(name.entry for name in self._names)
        entries = list(PAPERS.where(db, "number", fewer))
        now = self._change.generation  # another id's citations are no longer those of the entry
        PAPERS.put(
            db,
            (
                entry._replace(members=entry.members - fewer[entry.number], generation=now)
                for entry in entries
            ),
        )

    def _refuse(self, identifier: str, staged: StagedPaper) -> None:
        self._change.refused["papers"] += 1
        self._report.skip(
            self._sources[staged.source],
            None,
            f"the abstract of {identifier!r} belongs to no paper of the library; add its paper first",
        )

    def _filled(self, known: Paper, paper: Paper, staged: StagedPaper) -> Paper:
        if not clash(known, paper) and not doubtful(known, paper):
            return merged([known, paper])
        self._report.warn(
            self._sources[staged.source],
            None,
            f"id {known.id!r} belongs to {known.title!r}, but the full text has the title {paper.title!r}; "
            "only its sentences are used",
        )
        return known

    def _place(
        self, paper: Paper, source: int, results: dict[str, tuple[Paper, int]]
    ) -> tuple[str, Paper | None]:
        """The id for a record (its own, unless that belongs to another paper), and the paper stored there."""
        name, copy = paper.id, 1
        while known := self._known(name, results):
            elsewhere = results[name][1] != source if name in results else _of_other_file(known, paper)
            if not (clash(known, paper) or (elsewhere and differ(known, paper))):
                break
            if name in self._own and name not in results and self.heads[name].members == 1:
                return name, None  # another paper has taken its place in its only source
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
        if name in self.data and same_paper_data(data, self.data[name]):
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

"""Adding staged records to a library in one commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from citewhy.base.records import Citation, Context, ReferenceList
from citewhy.papers.formats.report import ImportReport
from citewhy.papers.library.add_papers import add_papers
from citewhy.papers.library.change import AddResult, Change
from citewhy.papers.library.checked import pieces
from citewhy.papers.library.database import Database
from citewhy.papers.library.entries import entries_of, find_entry, heads_of
from citewhy.papers.library.groups import pairs_by_alias, pairs_by_content, unite
from citewhy.papers.library.own_writings import remove_outdated, stage_writings
from citewhy.papers.library.schema import (
    ALIASES,
    CITATIONS,
    CONTEXTS,
    MENTIONS,
    PAPERS,
    TEXT_BODIES,
    TEXTS,
    AliasRow,
    Body,
    CitationRow,
    ContextRow,
    Mention,
    TextRow,
)
from citewhy.papers.library.staging import Staging
from citewhy.text.markers import OTHER, TARGET

__all__ = ["add_staged", "citations_and_contexts"]

_ROWS_AT_ONCE = 2000
_TEXTS_AT_ONCE = 50
_EXAMPLES = 3


def add_staged(db: Database, staging: Staging, report: ImportReport) -> AddResult:
    """Adds all staged records in one commit. Papers come first, since the others refer to them."""
    with db.writing():
        change = Change(db)
        for key in ("doi", "work"):
            PAPERS.verify_lookups(db, key)  # before SQLite joins by it
        writings = stage_writings(change, staging, report)
        papers = add_papers(change, staging, report)
        pairs = pairs_by_alias(change, papers.new_ids | _add_aliases(change, staging))
        pairs |= pairs_by_content(change, papers.updated.values())
        unite(change, pairs)
        change.touched |= papers.new_ids
        change.mark_entries(papers.updated, touch=False)
        change.mark_entries(papers.other_year | papers.joined_ids, touch=True)
        change.mark_contexts()
        _look_up_references(change, staging, report)
        unknown = _UnknownIds(db)
        _add_contexts(change, staging, unknown)
        _add_citations(change, staging, unknown)
        remove_outdated(change, writings)
        _add_texts(change, staging, unknown)
        _look_up_identifiers(change, staging)
        _count_repetitions(change, staging)
        result = change.finish()
    unknown.warn(report, staging.sources)
    return result


def _add_aliases(change: Change, staging: Staging) -> set[str]:
    """Stores new aliases and returns their ids."""
    ids: set[str] = set()
    for piece in pieces(staging.aliases(), _ROWS_AT_ONCE):
        known = set(ALIASES.where(change.db, "id", {one for one, _ in piece}))
        new = [row for row in map(AliasRow._make, piece) if row not in known]
        ALIASES.insert(change.db, new)
        change.new["aliases"] += len(new)
        change.unchanged["aliases"] += len(piece) - len(new)
        ids.update(name for row in new for name in row)
    return ids


def _look_up_references(change: Change, staging: Staging, report: ImportReport) -> None:
    """Stages the citations and contexts of reference lists, now that all papers have been added."""
    for found, source in staging.reference_lists():
        records = list(citations_and_contexts(change.db, found))
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
    for piece in pieces(staging.citations(), _ROWS_AT_ONCE):
        stored = CITATIONS.where(change.db, "citing_id", {staged.citing_id for staged in piece})
        known = {row[:3]: row for row in stored}
        unknown.look_up(identifier for staged in piece for identifier in staged[:2])
        rows = []
        for staged in piece:
            unknown.note("citations", staged[:2], staged.source)
            row = CitationRow(*staged[:3], staged.n_contexts)
            before = known.get(row[:3])
            if row == before:
                change.unchanged["citations"] += 1
                continue
            (change.new if before is None else change.updated)["citations"] += 1
            rows.append(row)
        CITATIONS.put(change.db, rows)


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
        new = set(ids) - self._known.keys()
        heads = heads_of(self._db, new)
        self._known.update((identifier, identifier in heads) for identifier in new)

    def note(self, kind: str, ids: Iterable[str], source: int) -> None:
        missing = [identifier for identifier in ids if not self._known[identifier]]
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


def citations_and_contexts(db: Database, found: ReferenceList) -> Iterator[Citation | Context]:
    """A citation for each listed paper in the library, and a context for each sentence that cites one."""
    papers = _papers(db, found)
    contexts = [context for context in _contexts(found, papers) if context.cited_ids]
    counts = Counter(cited_id for context in contexts for cited_id in context.cited_ids)
    for cited_id in dict.fromkeys(papers.values()):
        yield Citation(found.citing_id, cited_id, found.source, counts[cited_id])
    yield from contexts


def _papers(db: Database, found: ReferenceList) -> dict[str, str]:
    """The id of the paper of each reference, by key, without the citing paper itself."""
    own = {entry.number for entry in entries_of(db, [found.citing_id]).values()}
    named = entries_of(db, {one.paper.id for one in found.references if one.paper.id != one.key})
    entries = {one.key: named.get(one.paper.id) or find_entry(db, one.paper) for one in found.references}
    return {key: entry.id for key, entry in entries.items() if entry and entry.number not in own}


def _contexts(found: ReferenceList, papers: dict[str, str]) -> Iterator[Context]:
    for sentence in found.sentences:
        keys = [key for piece in sentence.pieces if not isinstance(piece, str) for key in piece]
        yield Context(
            f"{found.citing_id}_{sentence.sid}",
            found.citing_id,
            _each_once(papers[key] for key in keys if key in papers),
            "".join(_shown(piece, papers) for piece in sentence.pieces),
            found.year,
            sentence.section,
        )


def _shown(piece: str | tuple[str, ...], papers: dict[str, str]) -> str:
    if isinstance(piece, str):
        return piece
    return TARGET if any(key in papers for key in piece) else OTHER


def _each_once(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ids))

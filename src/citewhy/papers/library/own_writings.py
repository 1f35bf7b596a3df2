"""Finished drafts of the library's owner ("own writings"): their references, citations and citing sentences.

Unlike the reference list of a full text, which a program extracted, the bibliography of one's own draft was
written by a person: its entries become papers. Keys of different drafts are independent (``smith2020`` may be
two papers), so each reference gets an id under which no other paper is stored. When a draft is added again,
its new records replace the earlier ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from citewhy.base.import_report import ImportReport
from citewhy.base.records import Citation, CitingSentence, Context, Paper, Writing
from citewhy.papers.library.change import Change
from citewhy.papers.library.database import Database
from citewhy.papers.library.entries import entries_of, heads_of, read_bodies, read_entries
from citewhy.papers.library.schema import CITATIONS, CONTEXTS, MENTIONS, OWN_ID, PAPERS, Head
from citewhy.papers.library.staging import Staging
from citewhy.text.alike import same_title, title_stems
from citewhy.text.codec import StoredContext, context_data, read_context
from citewhy.text.dedupe import differ
from citewhy.text.markers import OTHER, TARGET

__all__ = ["SOURCE", "WritingRecords", "remove_outdated", "remove_records_of", "stage_writings"]

SOURCE = "own writing"
"""The `source` of citations that come from own writings."""


@dataclass(frozen=True, slots=True)
class WritingRecords:
    """The ids of the records that one writing contributes to the library."""

    paper_id: str
    """The id of the writing itself."""
    contexts: frozenset[str]
    """The ids of its citing sentences."""
    cited: frozenset[str]
    """The ids of the papers that it cites."""


# Adding a writing -----------------------------------------------------------------------------------------


def stage_writings(change: Change, staging: Staging, report: ImportReport) -> list[WritingRecords]:
    """Adds the papers, citations and contexts of the staged writings to the staged records.

    Of two writings with nearly the same title, only the one with more citing sentences is used; the other is
    reported as refused. Returns the records of each writing that is used.
    """
    staged: list[WritingRecords] = []
    titles: list[tuple[frozenset[str], str]] = []
    known = _known_writings(change.db)
    writings = sorted(staging.writings(), key=lambda pair: (-len(pair[0].sentences), pair[0].paper.id))
    for writing, source in writings:
        title = title_stems(writing.paper.title)
        same = [name for other, name in titles if same_title(title, other)]
        if same or any(writing.paper.id == earlier.paper_id for earlier in staged):
            report.skip(
                source,
                None,
                f"it is the same document as {(same or [source])[0]}, which has more citing sentences",
            )
            report.read["papers"] += 1
            change.refused["papers"] += 1
            continue
        titles.append((title, source))
        records = list(_records(change.db, staging, writing, _identifier(writing.paper, known)))
        staged.append(_ids_of(records))
        for kind, name in ((Paper, "papers"), (Citation, "citations"), (Context, "contexts")):
            report.read[name] += sum(isinstance(record, kind) for record in records)
        staging.take(records, source)
    return staged


def _ids_of(records: Sequence[Paper | Citation | Context]) -> WritingRecords:
    writing = records[0].id if isinstance(records[0], Paper) else ""
    return WritingRecords(
        writing,
        frozenset(context.id for context in records if isinstance(context, Context)),
        frozenset(citation.cited_id for citation in records if isinstance(citation, Citation)),
    )


def _known_writings(db: Database) -> list[Paper]:
    heads = PAPERS.all(db, "stored = 1 AND id >= ? AND id < ?", [OWN_ID, OWN_ID[:-1] + ";"])
    return sorted(read_bodies(db, list(heads)).values(), key=attrgetter("id"))


def _identifier(paper: Paper, known: Collection[Paper]) -> str:
    """The id of an earlier version of the draft (same id, or nearly the same title); otherwise its own."""
    if any(paper.id == version.id for version in known):
        return paper.id
    title = title_stems(paper.title)
    return next((version.id for version in known if same_title(title, title_stems(version.title))), paper.id)


def _records(
    db: Database, staging: Staging, writing: Writing, identifier: str
) -> Iterator[Paper | Citation | Context]:
    """Yields the writing itself, its references, its citations and its contexts, in this order."""
    yield replace(writing.paper, id=identifier)
    placed: dict[str, str] = {}
    taken: set[str] = set()
    for reference in writing.references:
        if reference.paper.title and reference.paper.id not in placed:
            name = _place(db, staging, reference.paper, taken)
            placed[reference.paper.id] = name
            taken.add(name)
            yield replace(reference.paper, id=name)
    ids = {one.key: placed[one.paper.id] for one in writing.references if one.paper.id in placed}
    contexts = [_context(identifier, sentence, ids) for sentence in writing.sentences]
    contexts = [context for context in contexts if context.cited_ids]
    counts = Counter(cited_id for context in contexts for cited_id in context.cited_ids)
    for cited_id in dict.fromkeys([*counts, *(ids[key] for key in writing.nocite if key in ids)]):
        yield Citation(identifier, cited_id, SOURCE, counts[cited_id])
    yield from contexts


def _context(identifier: str, sentence: CitingSentence, ids: dict[str, str]) -> Context:
    keys = [key for piece in sentence.pieces if not isinstance(piece, str) for key in piece]
    return Context(
        f"{identifier}_{sentence.sid}",
        identifier,
        tuple(dict.fromkeys(ids[key] for key in keys if key in ids)),
        "".join(
            piece if isinstance(piece, str) else TARGET if any(key in ids for key in piece) else OTHER
            for piece in sentence.pieces
        ),
        None,  # the year of the writing
        sentence.section,
    )


def _place(db: Database, staging: Staging, paper: Paper, taken: Collection[str]) -> str:
    """The id of a reference: its key, with a number appended if another paper is stored under the key."""
    name, copy = paper.id, 1
    while name in taken or any(differ(other, paper) for other in _holders(db, staging, name)):
        copy += 1
        name = f"{paper.id}#{copy}"
    return name


def _holders(db: Database, staging: Staging, name: str) -> Iterator[Paper]:
    """The records that are stored, or staged to be stored, under an id."""
    staged = staging.paper(name)
    if staged is not None:
        yield staged
    head = heads_of(db, [name]).get(name)
    if head is not None:
        if head.stored:
            yield from read_bodies(db, [head]).values()
        else:
            yield from read_entries(db, list(entries_of(db, [name]).values()))


# Removing outdated records --------------------------------------------------------------------------------


def remove_outdated(change: Change, current: Sequence[WritingRecords]) -> None:
    """Removes contexts and citations of earlier versions of the writings that are not among the `current`
    records."""
    by_id = {records.paper_id: records for records in current}
    outdated = [
        context.number
        for context in CONTEXTS.where(change.db, "citing_id", by_id)
        if context.id not in by_id[context.citing_id].contexts
    ]
    _clear_contexts(change, outdated)
    citations = [
        row
        for row in CITATIONS.where(change.db, "citing_id", by_id)
        if row.source == SOURCE and row.cited_id not in by_id[row.citing_id].cited
    ]
    CITATIONS.remove(change.db, (row[:3] for row in citations))
    change.citing.update(row.citing_id for row in citations)
    change.withdrawn["citations"] += len(citations)


def remove_records_of(change: Change, heads: Collection[Head]) -> None:
    """Removes all contexts and citations of the writings among `heads`, which are being removed."""
    remove_outdated(
        change,
        [WritingRecords(head.id, frozenset(), frozenset()) for head in heads if head.id.startswith(OWN_ID)],
    )


def _clear_contexts(change: Change, numbers: Collection[int]) -> None:
    """Empties the rows and deletes their mentions. The rows stay, so that indexes notice the change."""
    rows = [
        row._replace(generation=change.generation, data=_EMPTY)
        for row in CONTEXTS.where(change.db, "number", set(numbers))
        if read_context(row.data) != _NOTHING
    ]
    CONTEXTS.put(change.db, rows)
    MENTIONS.delete(change.db, "context", [row.number for row in rows])
    change.withdrawn["contexts"] += len(rows)


_EMPTY = context_data(Context("", "", (), ""))
_NOTHING: StoredContext = read_context(_EMPTY)

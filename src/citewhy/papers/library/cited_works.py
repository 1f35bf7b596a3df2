"""Citations and citation contexts from the reference lists of full texts.

A reference list is extracted from a printed page, so it adds no papers: it only tells which papers in the
library a text cites. References to other papers are dropped; they are looked up again if the text is added
again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from citewhy.base.records import Citation, Context, ReferenceList
from citewhy.papers.library.database import Database
from citewhy.papers.library.entries import entries_of, find_entry
from citewhy.text.markers import OTHER, TARGET

__all__ = ["citations_and_contexts"]


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

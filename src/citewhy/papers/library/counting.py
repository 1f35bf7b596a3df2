"""Counting the contents of a library. Every row is read and verified: a damaged index could miscount."""

from __future__ import annotations

from citewhy.papers.library.checked import pieces
from citewhy.papers.library.database import Database
from citewhy.papers.library.entries import read_entries
from citewhy.papers.library.schema import ALIASES, CITATIONS, CONTEXTS, MENTIONS, PAPERS, TEXTS

__all__ = ["counts"]

_ENTRIES_AT_ONCE = 1000


def counts(db: Database) -> dict[str, int]:
    """Numbers of papers (entries, not records), of own writings, of those with abstract or full text, and of
    everything else.

    `contexts` and `citations` are all that are stored; those `waiting` refer to papers that are not in the
    library. `first_year` and `last_year` are absent if no paper has a year.
    """
    papers = abstracts = own = 0
    years: set[int] = set()
    for entries in pieces(PAPERS.all(db, "entry = number"), _ENTRIES_AT_ONCE):
        for paper in read_entries(db, entries):
            papers += 1
            own += paper.own
            abstracts += bool(paper.abstract)
            if paper.year is not None:
                years.add(paper.year)
    known = {head.id: head.entry for head in PAPERS.all(db)}
    texts = {known[row.paper_id] for row in TEXTS.all(db) if row.paper_id in known}
    CONTEXTS.verify_complete(db)
    mentions = list(MENTIONS.all(db))
    contexts = len({mention.context for mention in mentions})  # a withdrawn context has no mentions
    cited = {mention.context for mention in mentions if mention.cited_id in known}
    citations = CITATIONS.verify_complete(db)
    linked = sum(row.citing_id in known and row.cited_id in known for row in CITATIONS.all(db))
    return {
        "papers": papers,
        "own_writings": own,
        "with_abstract": abstracts,
        "with_full_text": len(texts),
        "contexts": contexts,
        "contexts_waiting": contexts - len(cited),
        "citations": citations,
        "citations_waiting": citations - linked,
        "aliases": ALIASES.verify_complete(db),
        **({"first_year": min(years), "last_year": max(years)} if years else {}),
    }

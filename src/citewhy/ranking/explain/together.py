"""Papers that are proposed together for one citation, with what connects them to the others there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from citewhy.base.records import Paper, Reason, Suggestion
from citewhy.papers.library.store import Library
from citewhy.ranking.explain.reasons import line_of, quoted
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.text.counted import counted
from citewhy.text.dedupe import work_key


def distinct_works(library: Library, scoped: ScopedQuery, proposed: Sequence[int]) -> list[int]:
    """The rows of the `proposed` papers, without those with the title and the first author of a member of the
    citation, or of a paper before them: a bibliography may have a work twice, as a book and as an issue of a
    journal, and the library keeps what it cannot tell to be one."""
    if len(scoped.members) + len(proposed) < 2:
        return list(proposed)
    ids = scoped.index.ids(np.array([*scoped.members.tolist(), *proposed], dtype=np.int64))
    papers = library.papers(ids)
    works = [work_key(papers[paper_id]) if paper_id in papers else None for paper_id in ids]
    seen = set(works[: len(scoped.members)]) - {None}
    distinct = []
    for row, work in zip(proposed, works[len(scoped.members) :], strict=True):
        if work not in seen:
            distinct.append(row)
        if work is not None:
            seen.add(work)
    return distinct


def _work(paper: Paper) -> int | None:
    """Works without authors are not told apart by their titles alone."""
    return work_key(paper) if paper.authors else None


def with_proposed(
    library: Library, scoped: ScopedQuery, suggestions: Sequence[Suggestion], proposed: Sequence[int]
) -> list[Suggestion]:
    """The suggestions, the proposed ones marked. Those that are cited together with a member of the citation,
    or with a paper that was proposed before, have a first reason that says so."""
    rows = scoped.index.rows([suggestion.paper.id for suggestion in suggestions]).tolist()
    changed = []
    for suggestion, row in zip(suggestions, rows, strict=True):
        before = proposed[: proposed.index(row)] if row in proposed else ()
        others = [*scoped.members.tolist(), *before]
        reason = next(_together(library, scoped, row, others), None)
        # What the ranking says of papers cited together is about the whole draft.
        kept = (
            suggestion.reasons
            if reason is None
            else [one for one in suggestion.reasons if one.kind != "cocited"]
        )
        reasons = tuple(kept) if reason is None else (reason, *kept)
        changed.append(replace(suggestion, reasons=reasons, proposed=row in proposed))
    return changed


def _together(library: Library, scoped: ScopedQuery, row: int, others: Sequence[int]) -> Iterator[Reason]:
    """Says what connects a paper to one of the `others`, the strongest connection first."""
    view = scoped.view
    draft = scoped.query.draft
    ids = {other: scoped.index.ids(np.array([other]))[0] for other in others}
    own = scoped.index.ids(np.array([row]))[0]
    for citation in draft.citations if draft else ():
        if own in citation.paper_ids:
            for other in others:
                if ids[other] in citation.paper_ids:
                    where = f" {line_of(citation)}" if citation.line else ""
                    title = quoted(library.paper(ids[other]))
                    yield Reason("together", f"you cite it together with {title}{where}")
    citing = view.citing(np.array([row])).rows
    counts = [np.isin(view.citing(np.array([other])).rows, citing).sum() for other in others]
    if counts and max(counts):
        count, other = int(max(counts)), others[int(np.argmax(counts))]
        title = quoted(library.paper(ids[other]))
        yield Reason("together", f"cited together with {title} in {counted(count, 'paper')}")

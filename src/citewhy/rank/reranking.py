"""Rerankers in the pipeline: which of them answers a query, what they are told, and how their scores join the
order so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from citewhy.errors import QueryError
from citewhy.index.arrays import Floats, Rows
from citewhy.index.engine import Index, View
from citewhy.library.store import Library
from citewhy.rank.ranked import Ranked
from citewhy.rank.reranker import CitingYears, Reranker, RerankRequest
from citewhy.records import FullText, Paper, QueryKind, Reason
from citewhy.retrieve.scoped import ScopedQuery

__all__ = ["Reranking", "citing_years", "interpolated", "papers_of"]


class Reranking:
    """Rerankers, each for its kinds of queries. Raises QueryError where two of them answer the same kind."""

    def __init__(self, library: Library, rerankers: Sequence[Reranker]) -> None:
        self._library = library
        self._by_kind: dict[QueryKind, Reranker] = {}
        for reranker in rerankers:
            for kind in sorted(reranker.kinds):
                if (other := self._by_kind.setdefault(kind, reranker)) is not reranker:
                    raise QueryError(
                        f"{other.name} and {reranker.name} both rerank queries of kind {kind}",
                        hint="give one of them",
                    )

    def of(self, kind: QueryKind) -> Reranker | None:
        """The reranker that answers queries of this kind, if one does."""
        return self._by_kind.get(kind)

    def reorder(self, ranked: Ranked, scoped: ScopedQuery) -> Ranked:
        """The top candidates, as many as the reranker reads, by its scores, `interpolated`; those behind
        follow as far apart as they were. Calibrated probabilities are those of another order, and are left
        out."""
        reranker = self.of(scoped.query.kind)
        if reranker is None or not len(ranked.rows):
            return ranked
        top, behind = ranked.rows[: reranker.depth], ranked.scores[reranker.depth :]
        request = self._request(reranker, scoped, top)
        scores = interpolated(reranker.scores(request), reranker.first_stage_weight)
        below = np.nextafter(scores.min(), np.float32(-np.inf)) + (behind - behind.max(initial=-np.inf))
        together = np.concatenate([scores, below]).astype(np.float32)
        # Rounding may make equal what was not.
        order = np.lexsort((scoped.index.id_ranks(ranked.rows), -together))
        return replace(ranked.take(order.tolist()), scores=together[order], probabilities=np.zeros(0))

    def reasons(self, ranked: Ranked, scoped: ScopedQuery) -> dict[int, tuple[Reason, ...]]:
        """By row, why the reranker puts a paper where it is; nothing without one."""
        reranker = self.of(scoped.query.kind)
        if reranker is None:
            return {}
        request = self._request(reranker, scoped, ranked.rows)
        return {row: reranker.reasons(request, place) for place, row in enumerate(ranked.rows.tolist())}

    def _request(self, reranker: Reranker, scoped: ScopedQuery, rows: Rows) -> RerankRequest:
        library, index = self._library, scoped.index
        papers = papers_of(library, index, rows)
        full_texts, known = [], []
        if "full texts" in reranker.needs:
            full_texts = [_full_text(library, paper) for paper in papers]
        if "known papers" in reranker.needs:
            known = sorted(papers_of(library, index, scoped.known), key=lambda paper: paper.id)
        return RerankRequest(scoped.query, papers, citing_years(scoped.view, rows), full_texts, known)


def interpolated(scores: Floats, weight: float) -> Floats:
    """[n] a reranker's scores of candidates in the order so far, each less `weight` times the logarithm of
    its place.

    What words have in common, to the letter, a network of meaning sees badly: rerankers gain from the first
    stage's opinion (Wang et al. 2021, "BERT-based Dense Retrievers Require Interpolation with BM25 for
    Effective Passage Retrieval").
    """
    joined: Floats = (scores - weight * np.log(np.arange(1, len(scores) + 1))).astype(np.float32)
    return joined


def citing_years(view: View, rows: Rows) -> list[CitingYears]:
    """[n] years of the papers that cite each of `rows`, as far as they count."""
    edges = view.citing(rows)
    years = view.facts(edges.rows).years
    ends = np.searchsorted(edges.places, np.arange(len(rows)), side="right")
    return np.split(years, ends[:-1]) if len(rows) else []


def papers_of(library: Library, index: Index, rows: Rows) -> list[Paper]:
    """[n] papers; one that another process removed since the index was opened is known by its id alone."""
    ids = index.ids(rows)
    found = library.papers(ids)
    return [found.get(each) or Paper(each, title="") for each in ids]


def _full_text(library: Library, paper: Paper) -> FullText | None:
    try:
        return library.full_text(paper.id)
    except QueryError:  # another process removed the paper
        return None

"""Applies rerankers in the pipeline: selects one for a query, prepares its request, and combines its scores
with the order before reranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from citewhy.base.errors import QueryError
from citewhy.base.records import FullText, Paper, QueryKind, Reason
from citewhy.models.numbers import require_numbers
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.ranked import Ranked
from citewhy.ranking.rank.reranker import CitingYears, Reranker, RerankRequest
from citewhy.search.index import Index, View
from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.retrieve.scoped import ScopedQuery


class Reranking:
    """Several rerankers, each for its kinds of queries. Raises QueryError if two answer the same kind."""

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
        """The reranker for queries of this kind; None if there is none."""
        return self._by_kind.get(kind)

    def reorder(self, ranked: Ranked, scoped: ScopedQuery) -> Ranked:
        """Orders the top candidates, up to the depth of the reranker, by its `interpolated` scores; the
        others follow, with the differences between their scores unchanged. Probabilities are dropped, because
        they were calibrated for the previous order. Raises ModelError for scores that are not finite numbers,
        one for each candidate."""
        reranker = self.of(scoped.query.kind)
        if reranker is None or not len(ranked.rows):
            return ranked
        top, behind = ranked.rows[: reranker.depth], ranked.scores[reranker.depth :]
        request = self._request(reranker, scoped, top, ranked.scores[: reranker.depth])
        values = reranker.scores(request)
        require_numbers(values, (len(top),), f"the reranker {reranker.name}")
        scores = interpolated(values, reranker.first_stage_weight)
        below = np.nextafter(scores.min(), np.float32(-np.inf)) + (behind - behind.max(initial=-np.inf))
        together = np.concatenate([scores, below]).astype(np.float32)
        # Rounding may make different scores equal.
        order = np.lexsort((scoped.index.id_ranks(ranked.rows), -together))
        return replace(ranked.take(order.tolist()), scores=together[order], probabilities=np.zeros(0))

    def reasons(self, ranked: Ranked, scoped: ScopedQuery) -> dict[int, tuple[Reason, ...]]:
        """The reranker's reasons for each paper, by row; empty without a reranker."""
        reranker = self.of(scoped.query.kind)
        if reranker is None:
            return {}
        request = self._request(reranker, scoped, ranked.rows)
        return {row: reranker.reasons(request, position) for position, row in enumerate(ranked.rows.tolist())}

    def _request(
        self, reranker: Reranker, scoped: ScopedQuery, rows: Rows, scores: Floats | tuple[()] = ()
    ) -> RerankRequest:
        library, index = self._library, scoped.index
        papers = papers_of(library, index, rows)
        full_texts, known = [], []
        if "full texts" in reranker.needs:
            full_texts = [_full_text(library, paper) for paper in papers]
        if "known papers" in reranker.needs:
            known = sorted(papers_of(library, index, scoped.known), key=lambda paper: paper.id)
        years = citing_years(scoped.view, rows)
        return RerankRequest(scoped.query, papers, years, full_texts, known, scores)


def interpolated(scores: Floats, weight: float) -> Floats:
    """[n] a reranker's scores of candidates in the order before reranking, each minus `weight` times the
    logarithm of its rank.

    Neural models are weak at exact word matches, so that they gain from interpolation with the first stage
    (Wang et al. 2021, "BERT-based Dense Retrievers Require Interpolation with BM25 for Effective Passage
    Retrieval").
    """
    joined: Floats = (scores - weight * np.log(np.arange(1, len(scores) + 1))).astype(np.float32)
    return joined


def citing_years(view: View, rows: Rows) -> list[CitingYears]:
    """[n] for each of `rows` the years of the citing papers that count for the query."""
    edges = view.citing(rows)
    years = view.facts(edges.rows).years
    ends = np.searchsorted(edges.positions, np.arange(len(rows)), side="right")
    return np.split(years, ends[:-1]) if len(rows) else []


def papers_of(library: Library, index: Index, rows: Rows) -> list[Paper]:
    """[n] the papers in `rows`; a paper that another process has removed since has only its id."""
    ids = index.ids(rows)
    papers = library.papers(ids)
    return [papers.get(paper_id) or Paper(paper_id, title="") for paper_id in ids]


def _full_text(library: Library, paper: Paper) -> FullText | None:
    try:
        return library.full_text(paper.id)
    except QueryError:  # another process has removed the paper
        return None

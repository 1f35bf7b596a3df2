"""A reranker's verdict joined to the first stage's: the first candidates in its order, the others behind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from citewhy.index.local.bm25 import Floats
from citewhy.index.local.tables import Tables
from citewhy.rank.ranker import Ranked
from citewhy.rank.reranker import CitedIn, Reranker
from citewhy.records import Paper, Query
from citewhy.retrieve.rules import Evidence

__all__ = ["citing_years", "interpolated", "reread"]


def reread(
    ranked: Ranked, query: Query, reranker: Reranker, papers: Sequence[Paper], evidence: Evidence
) -> Ranked:
    """`papers` are those of the first rows of `ranked`, as many as the reranker reads.

    Their scores become the reranker's, `interpolated`; those behind follow as far apart as they were.
    Calibrated probabilities are those of another order, and are left out.
    """
    count, tables = len(papers), evidence.tables
    if not count:
        return ranked
    first, rest = ranked.rows[:count], ranked.scores[count:]
    ids = tables.id_ranks[ranked.rows]
    own = reranker.scores(query, papers, [citing_years(evidence, row) for row in first.tolist()])
    scores = interpolated(own, reranker.first_stage_weight)
    behind = np.nextafter(scores.min(), np.float32(-np.inf)) + (rest - rest.max(initial=-np.inf))
    together = np.concatenate([scores, behind]).astype(np.float32)
    order = np.lexsort((ids, -together))  # rounding may make equal what was not
    return Ranked(ranked.rows[order], together[order], ranked.table[order], np.zeros(0), ranked.signals)


def interpolated(scores: Floats, weight: float) -> Floats:
    """[n] a reranker's scores of candidates in the order of the first stage, each less `weight` times the
    logarithm of its place.

    What words have in common, to the letter, a network of meaning sees badly: rerankers gain from the first
    stage's opinion (Wang et al. 2021, "BERT-based Dense Retrievers Require Interpolation with BM25 for
    Effective Passage Retrieval").
    """
    joined: Floats = (scores - weight * np.log(np.arange(1, len(scores) + 1))).astype(np.float32)
    return joined


def citing_years(evidence: Evidence, row: int) -> CitedIn:
    """[c] years of the papers that cite the one in `row`, as far as they count."""
    tables: Tables = evidence.tables
    received = tables.received_by(row)
    years: CitedIn = tables.years[tables.citing[received[evidence.citations[received]]]]
    return years

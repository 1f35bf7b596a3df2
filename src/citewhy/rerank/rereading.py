"""A reranker's verdict joined to the first stage's: the first candidates in its order, the others behind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from citewhy.index.tables import Tables
from citewhy.records import Paper, Query
from citewhy.rerank.ranker import Ranked
from citewhy.rerank.reranker import CitedIn, Reranker
from citewhy.retrieve.rules import Evidence

__all__ = ["citing_years", "reread"]


def reread(
    ranked: Ranked, query: Query, reranker: Reranker, papers: Sequence[Paper], evidence: Evidence
) -> Ranked:
    """`papers` are those of the first rows of `ranked`, as many as the reranker reads.

    Their scores become the reranker's; those behind follow as far apart as they were. Calibrated
    probabilities are those of another order, and are left out.
    """
    count, tables = len(papers), evidence.tables
    if not count:
        return ranked
    first, rest = ranked.rows[:count], ranked.scores[count:]
    ids = tables.id_ranks[ranked.rows]
    scores = reranker.scores(query, papers, [citing_years(evidence, row) for row in first.tolist()])
    behind = np.nextafter(scores.min(), np.float32(-np.inf)) + (rest - rest.max(initial=-np.inf))
    together = np.concatenate([scores, behind]).astype(np.float32)
    order = np.lexsort((ids, -together))  # rounding may make equal what was not
    return Ranked(ranked.rows[order], together[order], ranked.table[order], np.zeros(0), ranked.signals)


def citing_years(evidence: Evidence, row: int) -> CitedIn:
    """[c] years of the papers that cite the one in `row`, as far as they count."""
    tables: Tables = evidence.tables
    received = tables.received_by(row)
    years: CitedIn = tables.years[tables.citing[received[evidence.citations[received]]]]
    return years

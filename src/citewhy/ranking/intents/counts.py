"""How papers are cited: counts of the intents of the sentences that count as evidence for a query."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Intent
from citewhy.ranking.intents.labels import AS, INTENTS
from citewhy.ranking.intents.table import UNKNOWN, IntentTable
from citewhy.search.index import View
from citewhy.search.index.arrays import Rows
from citewhy.text.counted import counted

IntentCounts = NDArray[np.int64]
"""[n, len(INTENTS)] number of sentences that cite each of n papers with each intent."""


def intent_counts(view: View, table: IntentTable, rows: Rows) -> IntentCounts:
    """Counts the intents with which the papers `rows` are cited, as of the scope of `view`."""
    citing = view.sentences_citing(rows)
    labels = table.of(citing.numbers)
    known = labels != UNKNOWN
    counts = np.zeros((len(rows), len(INTENTS)), dtype=np.int64)
    np.add.at(counts, (citing.positions[known], labels[known]), 1)
    return counts


def intent_shares(view: View, table: IntentTable, papers: Rows) -> NDArray[np.float64]:
    """[len(INTENTS)] shares of the intents among the sentences that cite `papers`, as of the scope of `view`;
    equal shares without any."""
    totals = intent_counts(view, table, papers).sum(axis=0) + 1e-9
    shares: NDArray[np.float64] = totals / totals.sum()
    return shares


def cited_text(counts: NDArray[np.int64], intent: Intent) -> str:
    """The counts [len(INTENTS)] of one paper in words: ``cited as a method in 9 of 12 contexts``."""
    number, total = int(counts[INTENTS.index(intent)]), int(counts.sum())
    if not total:
        return f"not known to be cited {AS[intent]}: your library has no sentence that cites it"
    return f"cited {AS[intent]} in {number:,} of {counted(total, 'context')}"

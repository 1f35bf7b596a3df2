"""Papers like a given one, in the aspect for which papers are cited.

Two papers are alike in their method if their texts are close in meaning, if the same papers cite both as a
method, and if they are cited as a method at all:

    score(p) = (max(cos(p, q), 0) + n / (n + 5)) · P(intent | p)

where n is the number of papers that cite p and q with this intent, and P as in `order`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Intent, Paper, Reason
from citewhy.ranking.intents.counts import cited_text, intent_counts
from citewhy.ranking.intents.labels import AS, INTENTS
from citewhy.ranking.intents.ranking import IntentRanking
from citewhy.ranking.intents.table import IntentTable
from citewhy.search.index import View
from citewhy.search.index.arrays import Floats, Rows
from citewhy.text.counted import counted, inflected

NEAREST = 500
"""Number of papers that are close in meaning among which papers are looked for."""

_MANY = 5
"""Number of common citing papers that counts half of any number."""

Doubles = NDArray[np.float64]


class Alike:
    """The papers [n] that are like a given one, best first."""

    def __init__(self, rows: Rows, scores: Doubles, cosines: Floats, common: NDArray[np.int64]) -> None:
        self.rows, self.scores, self.cosines, self.common = rows, scores, cosines, common


def alike(view: View, ranking: IntentRanking, row: int, vector: Floats, intent: Intent, k: int) -> Alike:
    """The best `k` papers like paper `row`, whose vector is `vector`; the paper itself is no candidate of
    `view`."""
    this = np.array([row])
    writers = np.unique(_writers(view, ranking.table, this, intent)[1])
    near = view.nearest(vector, NEAREST).rows
    cited = np.unique(view.cited(writers).rows) if len(writers) else np.zeros(0, dtype=np.int64)
    rows = np.unique(np.concatenate([near, cited[view.admits(cited)]])).astype(np.int64)
    cosines = view.paper_cosines(rows, this)[:, 0]
    common = _common(view, ranking.table, rows, intent, writers)
    _, chances = ranking.chances(view, rows, intent)
    scores = (np.maximum(cosines, 0) + common / (common + _MANY)) * chances
    best = np.argsort(-scores, kind="stable")[:k]
    return Alike(rows[best], scores[best], cosines[best], common[best])


def reasons(
    ranked: Alike, view: View, table: IntentTable, intent: Intent, other: Paper
) -> list[list[Reason]]:
    """Why each of the papers is like `other`."""
    counts = intent_counts(view, table, ranked.rows)
    given = []
    for position, row in enumerate(counts):
        common, cosine = int(ranked.common[position]), float(ranked.cosines[position])
        because = [Reason("intent", cited_text(row, intent))]
        if common:
            papers, cite = counted(common, "paper"), inflected(common, "cites", "cite")
            because.append(Reason("cocited", f"{papers} {cite} both {AS[intent]}"))
        because.append(Reason("meaning", f"close in meaning to “{other.title}” (cosine {cosine:.2f})"))
        given.append(because)
    return given


def _writers(
    view: View, table: IntentTable, rows: Rows, intent: Intent
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places in `rows`, and the papers in the library that cite them with the intent."""
    sentences = view.sentences_citing(rows)
    chosen = (table.of(sentences.numbers) == INTENTS.index(intent)) & (sentences.writers >= 0)
    return sentences.positions[chosen], sentences.writers[chosen].astype(np.int64)


def _common(
    view: View, table: IntentTable, rows: Rows, intent: Intent, writers: NDArray[np.int64]
) -> NDArray[np.int64]:
    """[n] number of the `writers` that cite each of `rows` with the intent."""
    positions, citing = _writers(view, table, rows, intent)
    both = np.isin(citing, writers)
    pairs = np.unique(np.stack([positions[both], citing[both]], axis=1), axis=0)
    return np.bincount(pairs[:, 0], minlength=len(rows)).astype(np.int64)

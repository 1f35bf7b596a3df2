"""`IntentRanking`: puts papers first that are cited with an intent, and says how each of them is cited."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Intent, Reason, Suggestion
from citewhy.papers.library.store import Library
from citewhy.ranking.classify.classifier import Classifier
from citewhy.ranking.intents.classifier import default_intents
from citewhy.ranking.intents.counts import IntentCounts, cited_text, intent_counts, intent_shares
from citewhy.ranking.intents.labels import INTENTS
from citewhy.ranking.intents.table import Classified, IntentTable, open_intents
from citewhy.ranking.rank.ranked import Ranked
from citewhy.search.index import Index, View
from citewhy.search.index.arrays import Rows
from citewhy.search.rules import Scope

Doubles = NDArray[np.float64]

PRIOR_CONTEXTS = 3.0
"""Number of contexts that what is known of all papers counts for, beside those of a paper."""

WEIGHT = 2.0
"""This is the weight of the intent beside the paper: as a product of probabilities (1) it hardly changes an
order, as rankers are surer of papers than counts are of intents. Chosen on questions of 2011
(docs/intents.md)."""

_LEAST = 1e-12
"""Smaller probabilities are not told apart."""

_MOST_SCOPES = 1024
"""Number of scopes whose shares are kept."""


class IntentRanking:
    """Ranks by intents in one library and its index. The citing sentences are classified when they are first
    needed."""

    def __init__(self, library: Library, index: Index, classifier: Classifier | None = None) -> None:
        """`classifier` None: that of the package."""
        self._library = library
        self._index = index
        self._given = classifier
        self._table: IntentTable | None = None
        self._lock = threading.Lock()
        self._shares: dict[Scope, Doubles] = {}

    @property
    def table(self) -> IntentTable:
        """The intents of the citing sentences of the library."""
        return self.read()

    def read(self, progress: Classified | None = None) -> IntentTable:
        """Returns `table`; `progress` reports the progress if they need to be classified first."""
        with self._lock:
            if self._table is None:
                classifier = self._given or default_intents()
                self._table = open_intents(self._library, classifier, self._index.generation, progress)
            return self._table

    def chances(self, view: View, rows: Rows, intent: Intent) -> tuple[IntentCounts, Doubles]:
        """[n, len(INTENTS)] counts of the papers `rows`, and [n] P(intent | paper)."""
        counts = intent_counts(view, self.table, rows)
        return counts, intent_probabilities(counts, self.shares(view), intent)

    def shares(self, view: View) -> Doubles:
        """[len(INTENTS)] shares of the intents among all citing sentences, as of the scope of `view`: counted
        once for all queries with the same evidence, such as those of a draft."""
        evidence = replace(view.scope, barred=frozenset(), pool="all")  # these two are of candidates alone
        known = self._shares.get(evidence)
        if known is None:
            known = intent_shares(view, self.table, self._index.papers())
            if len(self._shares) >= _MOST_SCOPES:
                self._shares.clear()
            self._shares[evidence] = known
        return known

    def reorder(self, ranked: Ranked, view: View, intent: Intent) -> Ranked:
        """Orders by the probability that a paper is cited, and that it is cited with this intent
        (`scores_with_intent`). Its scores are logarithms."""
        _, chances = self.chances(view, ranked.rows, intent)
        scores = scores_with_intent(ranked.alone, chances)
        positions = np.argsort(-scores, kind="stable")
        return replace(ranked.take(positions.tolist()), scores=np.log(scores[positions]).astype(np.float32))

    def explained(self, suggestions: Sequence[Suggestion], view: View, intent: Intent) -> list[Suggestion]:
        """The suggestions, each with a reason that says how the paper is cited."""
        rows = self._index.rows([suggestion.paper.id for suggestion in suggestions])
        counts = intent_counts(view, self.table, rows)
        return [
            replace(suggestion, reasons=(Reason("intent", cited_text(row, intent)), *suggestion.reasons))
            for suggestion, row in zip(suggestions, counts, strict=True)
        ]


# Probabilities ----------------------------------------------------------------------------------------------


def intent_probabilities(counts: IntentCounts, shares: Doubles, intent: Intent) -> Doubles:
    """[n] P(intent | paper): the share of the intent among the contexts of each paper, shrunk towards that of
    all citations, `shares` [len(INTENTS)], as if `PRIOR_CONTEXTS` more contexts were distributed so."""
    chosen = INTENTS.index(intent)
    known = counts[:, chosen] + PRIOR_CONTEXTS * shares[chosen]
    probabilities: Doubles = known / (counts.sum(axis=1) + PRIOR_CONTEXTS)
    return probabilities


def scores_with_intent(probabilities: Doubles, chances: Doubles) -> Doubles:
    """[n] P(paper) · P(intent | paper) ^ `WEIGHT`.

    `probabilities` [n] of the papers, best first; [0] if the ranking has none: then 1 / rank takes their
    place. `chances` [n]: P(intent | paper).
    """
    if not len(probabilities):
        probabilities = 1 / np.arange(1, len(chances) + 1)
    return np.maximum(probabilities, _LEAST) * np.maximum(chances, _LEAST) ** WEIGHT

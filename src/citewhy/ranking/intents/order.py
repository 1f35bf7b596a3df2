"""The order of papers for a citation with a given intent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Intent
from citewhy.ranking.intents.counts import IntentCounts
from citewhy.ranking.intents.labels import INTENTS

Doubles = NDArray[np.float64]

PRIOR_CONTEXTS = 3.0
"""Number of contexts that what is known of all papers counts for, beside those of a paper."""

WEIGHT = 2.0
"""Of the intent beside the paper: as a product of probabilities (1) it hardly changes an order, as rankers
are surer of papers than counts are of intents. Chosen on questions of 2011 (docs/intents.md)."""


def intent_probabilities(counts: IntentCounts, shares: Doubles, intent: Intent) -> Doubles:
    """[n] P(intent | paper): the share of the intent among the contexts of each paper, shrunk towards that of
    all citations, `shares` [len(INTENTS)], as if `PRIOR_CONTEXTS` more contexts were distributed so."""
    chosen = INTENTS.index(intent)
    known = counts[:, chosen] + PRIOR_CONTEXTS * shares[chosen]
    found: Doubles = known / (counts.sum(axis=1) + PRIOR_CONTEXTS)
    return found


def scores_with_intent(probabilities: Doubles, chances: Doubles) -> Doubles:
    """[n] P(paper) · P(intent | paper) ^ `WEIGHT`.

    `probabilities` [n] of the papers, best first; [0] if the ranking has none: then 1 / rank takes their
    place. `chances` [n]: P(intent | paper).
    """
    if not len(probabilities):
        probabilities = 1 / np.arange(1, len(chances) + 1)
    return np.maximum(probabilities, _LEAST) * np.maximum(chances, _LEAST) ** WEIGHT


_LEAST = 1e-12
"""Smaller probabilities are not told apart."""

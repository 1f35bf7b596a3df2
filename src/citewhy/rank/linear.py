"""The linear model: orders all candidates, and leaves the first of them to the trees.

    score(paper) = Σ_f  weight_f · feature_f(paper)

A set of weights for a query by sentence, one for a query by whole paper, with and without papers that the
draft cites already, for libraries with citing sentences, with old ones only, and without any.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from citewhy.index.local.bm25 import Floats
from citewhy.rank.features import FEATURES

__all__ = ["KNOWN", "NOT_SAID", "SILENT", "STALE", "STALE_YEARS", "linear_scores"]

KNOWN = "+known"
"""In the name of a set of weights for queries from drafts that cite papers of the library."""

STALE = "/stale"
"""Ending of the name of a set of weights for queries from years of whose citations nothing is known."""

STALE_YEARS = 2
"""Whole years without a citation before a query's, from which on it is such a query."""

SILENT = "/silent"
"""Ending of the name of a set of weights for libraries without citing sentences."""

NOT_SAID = tuple(
    name
    for name in FEATURES
    if name.startswith(("cited_", "new_", "sentence"))
    or name in ("cited", "citations", "mentions", "author_fame", "venue_fame", "history", "age", "this_year")
)
"""Features that such a set does without."""


def linear_scores(table: NDArray[np.float32], weighing: Mapping[str, float]) -> Floats:
    """[n] scores of the rows of a feature table."""
    # Not a product of matrices: that rounds a row by its place among the others.
    weighed = np.array([weighing.get(name, 0.0) for name in FEATURES], dtype=np.float32)
    scores: Floats = np.einsum("nf,f->n", table, weighed)
    return scores

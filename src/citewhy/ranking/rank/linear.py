"""The linear model, which orders all candidates; the trees then reorder the top ones.

    score(paper) = Σ_f  weight_f · feature_f(paper)

There are twelve sets of weights: for sentences and whole papers; with and without known papers; for libraries
with citing sentences, with old ones only, and without any.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from citewhy.ranking.rank.features import FEATURES
from citewhy.search.index.arrays import Floats

KNOWN = "+known"
"""Part of the name of a set of weights for queries with known papers."""

OLD_EVIDENCE = "/old-evidence"
"""Ending of the name of a set of weights for queries without recent citations in the evidence."""

OLD_YEARS = 2
"""Number of whole years without a citation before that of the query from which its evidence counts as old."""

NO_CONTEXTS = "/no-contexts"
"""Ending of the name of a set of weights for libraries without citing sentences."""

OF_CONTEXTS = tuple(
    name
    for name in FEATURES
    if name.startswith(("cited", "uncited_", "nearest_context", "context"))
    or name
    in (
        *("citations", "mentions", "author_citations", "venue_citations"),
        *("cited_before", "age", "same_year"),
    )
)
"""Features that are not used without citing sentences, because they are reliable only with them."""


def weights_name(kind: str, knows: bool, has_contexts: bool, year: int | None, evidence_until: int) -> str:
    """The name of the set of weights for a query: by its kind, with or without known papers, for a library
    with citing sentences, with old ones only, or without any. Paragraphs and sets use the weights for
    sentences."""
    name = ("global" if kind == "global" else "local") + (KNOWN if knows else "")
    if not has_contexts:
        return f"{name}{NO_CONTEXTS}"
    old = year is not None and evidence_until < year - OLD_YEARS
    return f"{name}{OLD_EVIDENCE}" if old else name


def linear_scores(table: NDArray[np.float32], weights: Mapping[str, float]) -> Floats:
    """[n] scores of the rows of a feature table."""
    # Not a matrix product, whose rounding of a row depends on its position among the others.
    by_column = np.array([weights.get(name, 0.0) for name in FEATURES], dtype=np.float32)
    scores: Floats = np.einsum("nf,f->n", table, by_column)
    return scores

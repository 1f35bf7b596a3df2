"""Screening: cheap scores select, from all papers that the first stages found by words, citations and
authors, those for which features are computed."""

from __future__ import annotations

import numpy as np

from citewhy.search.index import Hits
from citewhy.search.index.arrays import Rows
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.search.retrieve.sparse import best

SCREENED = 1000
"""Number of papers that each of the two screens keeps."""

_AUTHORS = np.float32(0.03)
"""Weight of the citations of a paper's authors, which mainly order papers that were never cited."""

_OWN = np.float32(0.3)
"""Weight if an author of the draft wrote the paper, or cited it before."""

_NEIGHBOUR = np.float32(0.5)
"""Weight of closeness to the known papers in the screen by a paper's own words."""


def screens(scoped: ScopedQuery, rows: Rows, count: int = SCREENED) -> dict[str, Hits]:
    """The best `count` of `rows` by their own words, and by the citing sentences of others."""
    text, near = scoped.relative("text", rows), scoped.neighbours.relative(rows)
    past = scoped.history
    own_words = text + scoped.relative("text", rows, scoped.feedback_terms)
    own_words += _AUTHORS * scoped.view.facts(rows).author_citations
    own_words += _OWN * (past.written.at(rows) > 0)
    own_words += _NEIGHBOUR * near
    others = text + scoped.relative("contexts", rows) + scoped.relative("nearest_context", rows)
    others += _OWN * (past.cited.at(rows) > 0)
    others += near
    return {
        "own words": best(scoped.index, rows, own_words, count),
        "citing sentences": best(scoped.index, rows, others, count),
    }

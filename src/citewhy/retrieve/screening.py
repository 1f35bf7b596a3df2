"""Screening: cheap scores choose, of all that the first stages found by words, citations and authors, the
papers whose features are worth computing."""

from __future__ import annotations

import numpy as np

from citewhy.index.arrays import Rows
from citewhy.index.engine import Hits
from citewhy.retrieve.scoped import ScopedQuery
from citewhy.retrieve.sparse import best

__all__ = ["SCREENED", "screens"]

SCREENED = 1000
"""Papers that each of the two screens keeps."""

_AUTHORS = np.float32(0.03)
"""What the citations of a paper's authors count: they order what nobody has cited."""

_OWN = np.float32(0.3)
"""What it counts that an author of the draft wrote the paper, or cited it before."""

_NEIGHBOUR = np.float32(0.5)
"""What neighbours of the known papers count beside a paper's own words."""


def screens(scoped: ScopedQuery, rows: Rows, count: int = SCREENED) -> dict[str, Hits]:
    """The best of `rows` by a paper's own words, and by what others say of it."""
    text, near = scoped.relative("text", rows), scoped.neighbours.relative(rows)
    past = scoped.history
    own_words = text + scoped.relative("text", rows, scoped.feedback_terms)
    own_words += _AUTHORS * scoped.view.facts(rows).author_citations
    own_words += _OWN * (past.written.at(rows) > 0)
    own_words += _NEIGHBOUR * near
    said = text + scoped.relative("contexts", rows) + scoped.relative("nearest_context", rows)
    said += _OWN * (past.cited.at(rows) > 0)
    said += near
    return {
        "own words": best(scoped.index, rows, own_words, count),
        "what others say": best(scoped.index, rows, said, count),
    }

"""Pseudo-relevance feedback: frequent words of the best papers so far form a second query.

A paper that was never cited has no citing sentences, and its title may share no word with the query; but it
may share words with papers that match the query. Source: the relevance model of Lavrenko and Croft 2001, with
the frequency part of BM25 for a document's language model, over the best papers by text and citing sentences.
"""

from __future__ import annotations

import math

import numpy as np

from citewhy.search.index import Hits, View
from citewhy.search.index.fields import BM25

FEEDBACK_PAPERS = 10
"""Number of papers from which terms are taken."""

_TERMS = 30
"""Number of terms that are kept."""

_SCALE = 10.0
"""Makes the weights comparable with those of a typical query; the ranking does not depend on it."""


def feedback_terms(view: View, papers: Hits, bm25: BM25) -> dict[str, float]:
    """The terms that are most characteristic of `papers`, with weights; each paper counts in proportion to
    its score."""
    if not len(papers.rows):
        return {}
    ascending = np.argsort(papers.rows)
    shares = papers.scores[ascending] / math.fsum(papers.scores.tolist())
    weights = view.telling_terms(papers.rows[ascending], shares, bm25, _TERMS)
    return {term: _SCALE * weight for term, weight in weights.items()}

"""Relevance feedback: the words of the papers that look best so far, as a second query.

A paper that nobody has cited has no citing sentences, and its title may share no word with the query; but it
shares words with the papers that do. Source: the relevance model of Lavrenko and Croft 2001, with the
frequency part of BM25 for a document's language model, over the best papers by text and citing sentences.
"""

from __future__ import annotations

import math

from citewhy.index.local.bm25 import BM25, Field, Floats
from citewhy.index.local.postings import Ints
from citewhy.retrieve.lexical import Terms

__all__ = ["FEEDBACK_PAPERS", "feedback_terms"]

FEEDBACK_PAPERS = 10
"""Papers whose words are taken."""

_TERMS = 30
"""Words that are kept."""

_SCALE = 10.0
"""Makes the weights comparable with those of a typical query; the ranking does not depend on it."""


def feedback_terms(field: Field, papers: Ints, scores: Floats, dials: BM25) -> Terms:
    """The words that tell `papers` (rows, with their scores) from the rest, weighted."""
    weights = field.telling_terms(papers, scores / math.fsum(scores.tolist()), dials, _TERMS)
    return {term: _SCALE * weight for term, weight in weights.items()}

"""The searchable fields of a paper, and how they are scored: BM25.

Source: Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", with the
non-negative idf of Lucene:

    score(d, q) = Σ_t w_t · idf(t) · f(t, d) · (k1 + 1) / (f(t, d) + k1 · (1 − b + b · |d| / avg|d|))
    idf(t)      = ln(1 + (N − n_t + 0.5) / (n_t + 0.5))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Terms = Mapping[str, float]
"""Stem (`text.tokens.stems`) → weight, 0 or more."""

TextField = Literal["text", "title", "contexts", "nearest_context"]
"""Says what a document d is, and among how many (N) its statistics are taken:

``text``              title and abstract of a paper, among all papers of the library
``title``             its title, among all papers of the library
``contexts``          the citing sentences of a paper as one text. Their mean length is that of the papers
                      that have such sentences; N is the number of all papers
``nearest_context``   each citing sentence as a document of its own, among all sentences; a paper's score is
                      that of its best sentence

Of citing sentences only those exist that the scope of a query lets count, in every statistic: what was
written later changes nothing. A sentence that cites several papers belongs to each of them.
"""


@dataclass(frozen=True, slots=True)
class BM25:
    """`k1` ≥ 0 controls the saturation of term frequencies, `b` in [0, 1] the normalisation by length. Raises
    ValueError for other values."""

    k1: float
    b: float

    def __post_init__(self) -> None:
        if not (0 <= self.k1 < float("inf") and 0 <= self.b <= 1):
            raise ValueError(f"k1 must be 0 or more and b must be in [0, 1]: k1={self.k1}, b={self.b}")

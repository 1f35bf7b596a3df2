"""Words: BM25 over a paper's own text, and over the sentences in which others cite it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewhy.index.local.bm25 import BM25, Field, Floats, Matches
from citewhy.index.local.passages import best_passages
from citewhy.records import Query
from citewhy.retrieve.rules import Evidence
from citewhy.text.tokens import stems

__all__ = ["CitingSentences", "Passages", "Terms", "citing_sentences", "query_terms"]

Terms = dict[str, float]
"""Stem → weight."""

_TITLE_WEIGHT = {"local": 0.5, "paragraph": 0.5, "set": 0.5, "global": 1.0}
"""Weight of a title's words beside those of the text: a sentence is about itself first."""


def query_terms(query: Query, title_weight: float | None = None) -> Terms:
    """The words of a query with their weights; repeated words count repeatedly.

    `title_weight` None: half that of a word of the text, or the same for a whole paper.
    """
    text = f"{query.text} {query.abstract}" if query.kind == "global" else query.text
    terms: Counter[str] = Counter(stems(text))
    weighted: Terms = dict(terms)
    title_weight = _TITLE_WEIGHT[query.kind] if title_weight is None else title_weight
    for term in stems(query.title):
        weighted[term] = weighted.get(term, 0.0) + title_weight
    return weighted


@dataclass(frozen=True, slots=True)
class Passages:
    """What a query finds within single passages; looked for in candidates only."""

    field: Field
    terms: Terms

    def shares(self, rows: NDArray[np.int64]) -> Floats:
        """[n] in [0, 1]: the share of the query's rarity that the best passage of each paper has."""
        return best_passages(self.field, rows.astype(np.int32), self.terms)


_MOST_CELLS = 20_000_000
"""Words times papers that are counted in one table: fast, for a query of usual length."""


@dataclass(frozen=True, slots=True)
class CitingSentences:
    """How a query resembles the sentences that cite each paper, for the D papers that have such evidence."""

    papers: NDArray[np.int32]
    """[D] rows of papers, ascending."""
    nearest: Floats
    """[D] BM25 of the most similar sentence that cites the paper."""
    together: Floats
    """[D] BM25 of all its sentences as one text."""
    single: Floats
    """[C] BM25 of each sentence; 0 for those that do not count."""


def citing_sentences(
    field: Field, evidence: Evidence, terms: Mapping[str, float], alone: BM25, together: BM25
) -> CitingSentences:
    """Scores citing sentences one by one (`alone`), and joined by the paper that they cite (`together`).

    Only sentences that count as evidence have a part in any statistic, so that a sentence written later
    changes nothing. A sentence that cites several papers speaks for each of them.
    """
    lengths, size = field.lengths, len(evidence.cited_rows)
    found = field.matches(list(terms)).only(evidence.counted)
    single = found.scores(
        terms.values(), evidence.sentence_count, evidence.sentence_norm(lengths, alone), alone
    )
    joint = _joined(found, evidence).scores(
        terms.values(), evidence.paper_count, evidence.joint_norm(lengths, together), together
    )
    nearest = np.zeros(size, dtype=np.float32)
    np.maximum.at(nearest, evidence.pair_places, single[evidence.pair_sentences])
    return CitingSentences(evidence.cited_rows, nearest, joint, single)


def _joined(found: Matches, evidence: Evidence) -> Matches:
    """From sentences that have each term to papers (places in `cited_rows`) in whose sentences it is."""
    terms, size = len(found.counts), len(evidence.cited_rows)
    places, repeated = evidence.cited_in(found.documents)
    cells = found.spread(np.arange(terms) * size)[repeated] + places
    if terms * size > _MOST_CELLS:
        having, inverse = np.unique(cells, return_inverse=True)
        counts = np.bincount(having // size, minlength=terms)
        joined = np.bincount(inverse, weights=found.frequencies[repeated]).astype(np.float32)
        return Matches(counts, having % size, joined)
    times = np.zeros(terms * size, dtype=np.float32)
    np.add.at(times, cells, found.frequencies[repeated])
    having = np.flatnonzero(times)
    counts = np.count_nonzero(times.reshape(terms, size), axis=1)
    return Matches(counts, having % max(size, 1), times[having])

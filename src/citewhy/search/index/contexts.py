"""Similar citing contexts: BM25 over the sentences in which papers are cited, individually and joined by
paper. Only sentences that count as evidence enter the statistics."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from citewhy.search.index.arrays import Floats
from citewhy.search.index.bm25 import Field, Matches
from citewhy.search.index.evidence import Evidence
from citewhy.search.index.fields import BM25, Terms

_MOST_CELLS = 20_000_000
"""Maximum size (terms times papers) of a table of counts, which is faster for queries of usual length."""


class ContextWords:
    """The sentences that contain some of the `terms`, as evidence for the D papers that they cite."""

    def __init__(self, field: Field, evidence: Evidence, terms: Iterable[str]) -> None:
        self._lengths = field.lengths
        self._evidence = evidence
        self._found = field.matches(list(terms)).only(evidence.counted)

    def single(self, terms: Terms, bm25: BM25) -> Floats:
        """[C] score of each sentence; 0 for those that do not count."""
        evidence = self._evidence
        norms = evidence.sentence_norm(self._lengths, bm25)
        return self._found.scores(terms.values(), evidence.sentence_count, norms, bm25)

    def nearest(self, single: Floats) -> Floats:
        """[D] score of the best sentence of each paper, from the scores of all sentences [C]."""
        evidence = self._evidence
        nearest = np.zeros(len(evidence.papers), dtype=np.float32)
        np.maximum.at(nearest, evidence.pair_positions, single[evidence.pair_sentences])
        return nearest

    def joined(self, terms: Terms, bm25: BM25) -> Floats:
        """[D] score of all sentences of each paper as one text."""
        evidence = self._evidence
        norms = evidence.joined_norm(self._lengths, bm25)
        return self._joined().scores(terms.values(), evidence.paper_count, norms, bm25)

    def _joined(self) -> Matches:
        """Returns for each term the papers (by index) with sentences that contain it."""
        matches, size = self._found, len(self._evidence.papers)
        terms = len(matches.counts)
        positions, repeated = self._evidence.cited_in(matches.documents)
        cells = matches.spread(np.arange(terms) * size)[repeated] + positions
        if terms * size > _MOST_CELLS:
            having, inverse = np.unique(cells, return_inverse=True)
            counts = np.bincount(having // size, minlength=terms)
            joined = np.bincount(inverse, weights=matches.frequencies[repeated]).astype(np.float32)
            return Matches(counts, having % size, joined)
        times = np.zeros(terms * size, dtype=np.float32)
        np.add.at(times, cells, matches.frequencies[repeated])
        having = np.flatnonzero(times > 0)
        counts = np.diff(np.searchsorted(having, np.arange(terms + 1) * size))
        return Matches(counts, having % max(size, 1), times[having])

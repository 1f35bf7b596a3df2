"""BM25 as inner products of sparse vectors, so that a server without our statistics finds what BM25 finds.

BM25 (`index.fields`) is a sum over the terms of a query of a part that depends on the query, and one that
depends on the document:

    score(d, q) = Σ_t  [w_t · idf(t) · (k1 + 1)]  ·  [f(t, d) / (f(t, d) + k1 · (1 − b + b · |d| / avg|d|))]

The second is what the server has of a document, the first is what it is asked with. Weights of terms, which a
server's own full-text search does not take, and the frequencies of terms in the whole library, which it would
take from each of its shards, are thus ours. Only avg|d| is that of the time when the rows were written; they
are written again when it has changed by more than `DRIFT`. What is found is scored again here, as of now.

A term is a dimension by its hash. Two terms with one hash make a score too large, never too small.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index.bm25 import Field, idfs, norm
from citewhy.search.index.fields import BM25, Terms
from citewhy.search.index.milvus.collection import SparseRow
from citewhy.search.index.postings import names_of

DRIFT = 0.02
"""The share by which the mean length of texts may change before all rows are written again."""

_SPACE = 2**31 - 1
"""Number of hashes of terms, from 1. Dimension 0 is in every document, since no sparse vector may be empty,
and no query asks for it."""


def dimensions_of(names: Sequence[bytes] | NDArray[np.bytes_]) -> NDArray[np.int64]:
    """[n] the dimension of each term."""
    return np.array([1 + zlib.crc32(name) % _SPACE for name in names], dtype=np.int64)


def documents(text: Field, rows: NDArray[np.int32], bm25: BM25, mean: float) -> list[SparseRow]:
    """[n] the sparse vectors of the texts of `rows`, for the mean length `mean` of texts."""
    made: list[SparseRow] = [{0: 1.0} for _ in range(len(rows))]
    for postings, here, places in text.living(rows):
        owners, positions, frequencies = postings.vectors(places)
        papers = np.flatnonzero(here)[owners]
        times = frequencies.astype(np.float32)
        shares = times / (times + norm(bm25, text.lengths[rows[papers]], mean))
        used, place = np.unique(positions, return_inverse=True)
        found = dimensions_of(postings.terms[used])[place]
        for paper, dimension, share in zip(papers.tolist(), found.tolist(), shares.tolist(), strict=True):
            made[paper][dimension] = made[paper].get(dimension, 0.0) + share
    return made


def question(text: Field, terms: Terms, bm25: BM25) -> SparseRow:
    """The sparse vector of a query; empty if no document has any of its terms."""
    having = np.array(text.document_frequencies([*terms]), dtype=np.int64)
    weights = np.array([*terms.values()], dtype=np.float64) * idfs(text.size, having) * (bm25.k1 + 1)
    made: SparseRow = {}
    for dimension, weight, number in zip(
        dimensions_of(names_of(terms)).tolist(), weights.tolist(), having.tolist(), strict=True
    ):
        if number and weight > 0:
            made[dimension] = made.get(dimension, 0.0) + weight
    return made

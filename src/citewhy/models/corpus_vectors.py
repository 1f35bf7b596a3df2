"""Word vectors from the texts at hand: shifted by nothing, counted once, factored.

Words that stand near the same words get near vectors. The factors of positive pointwise mutual information do
what word2vec does (Levy and Goldberg 2014), in seconds where the collection is one of papers, and always the
same. A vector's length is the word's rarity (idf), so that a network that adds words up hears the telling ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["WINDOW", "corpus_vectors"]

WINDOW = 5
"""Words to the left and to the right that count as near."""


def corpus_vectors(texts: Sequence[Sequence[int]], rows: int, size: int, seed: int) -> NDArray[np.float32]:
    """[rows, size] for the numbers of words in `texts`; their mean length is 1. Row 0, the unknown words', is
    theirs like any other's. A word without neighbours has a vector of zeros. Needs SciPy (extra ``train``)."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.linalg import svds

    lengths = np.array([len(text) for text in texts])
    flat = np.concatenate([np.asarray(text, dtype=np.int64) for text in texts])
    owner = np.repeat(np.arange(len(texts)), lengths)
    near = coo_matrix((rows, rows), dtype=np.float64).tocsr()
    for step in range(1, min(WINDOW, len(flat) - 1) + 1):
        same = owner[step:] == owner[:-step]
        pairs = (flat[:-step][same], flat[step:][same])
        near = near + coo_matrix((np.ones(len(pairs[0])), pairs), shape=(rows, rows)).tocsr()
    near = (near + near.T).tocoo()
    times = np.asarray(near.sum(axis=1)).ravel()
    information = np.log(near.data * times.sum() / (times[near.row] * times[near.col]))
    kept = information > 0
    table = coo_matrix((information[kept], (near.row[kept], near.col[kept])), shape=(rows, rows)).tocsr()
    start = np.random.default_rng(seed).normal(size=rows)
    factors = min(size, rows - 1)
    left, strength, _ = svds(table, k=factors, v0=start)
    vectors = np.zeros((rows, size))
    vectors[:, :factors] = left * np.sqrt(strength)
    long = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = np.divide(vectors, long, out=np.zeros_like(vectors), where=long > 1e-9) * _rarity(
        flat, owner, rows
    )
    return (vectors / max(float(np.linalg.norm(vectors, axis=1).mean()), 1e-9)).astype(np.float32)


def _rarity(flat: NDArray[np.int64], owner: NDArray[np.int64], rows: int) -> NDArray[np.float64]:
    """[rows, 1] ln(texts / texts with the word), at least 0."""
    texts = int(owner.max()) + 1
    having = np.bincount(np.unique(owner * rows + flat) % rows, minlength=rows)
    return np.log(texts / np.maximum(having, 1))[:, None]

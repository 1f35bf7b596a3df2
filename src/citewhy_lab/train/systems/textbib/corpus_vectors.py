"""Word vectors from the texts at hand.

Words with the same neighbours get similar vectors. Factorising positive pointwise mutual information is
equivalent to word2vec (Levy and Goldberg 2014), takes seconds for a collection of papers, and is
deterministic. The length of a vector is the word's idf, so that rare words count for more in a sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["WINDOW", "corpus_vectors", "joined_vectors"]

WINDOW = 5
"""Words to the left and to the right that count as near."""

_MORE, _ROUNDS = 10, 4
"""Of the random projection: dimensions beyond those that are kept, and power iterations."""


def corpus_vectors(texts: Sequence[Sequence[int]], rows: int, size: int, seed: int) -> NDArray[np.float32]:
    """[rows, size] for the numbers of words in `texts`; their mean length is 1. Row 0, that of unknown words,
    is like any other. A word without neighbours has a vector of zeros. Needs SciPy (extra ``train``)."""
    from scipy.sparse import coo_matrix

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
    vectors = _factors(table, size, seed)
    vectors = _unit(vectors)
    vectors *= _rarity(flat, owner, rows)
    vectors /= max(float(np.linalg.norm(vectors, axis=1).mean()), 1e-9)
    table32: NDArray[np.float32] = vectors.astype(np.float32)
    return table32


def joined_vectors(
    neighbours: NDArray[np.float32], encoded: NDArray[np.float32], size: int
) -> NDArray[np.float32]:
    """[rows, size] one vector for each word from two tables, [rows, …] each: the principal components of
    both side by side (meta-embeddings: Yin and Schütze 2016), `encoded` centred around its mean. Rows keep
    the length that they have in `neighbours`; a word without a vector in one table has that of the other.
    """
    long = np.linalg.norm(neighbours, axis=1)
    there = np.linalg.norm(encoded, axis=1) > 0
    centred = np.where(there[:, None], encoded - encoded[there].mean(axis=0), 0) if there.any() else encoded
    both = np.hstack([_unit(neighbours), _unit(centred)]).astype(np.float64)
    _, directions = np.linalg.eigh(both.T @ both)
    kept = _unit(both @ directions[:, ::-1][:, :size])
    kept *= np.where(long > 0, long, long[long > 0].mean() if (long > 0).any() else 1.0)[:, None]
    table: NDArray[np.float32] = np.zeros((len(neighbours), size), dtype=np.float32)
    table[:, : kept.shape[1]] = kept
    return table


def _unit(vectors: NDArray[Any]) -> NDArray[Any]:
    long = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[Any] = np.divide(vectors, long, out=np.zeros_like(vectors), where=long > 1e-9)
    return unit


def _factors(table: Any, size: int, seed: int) -> NDArray[np.float64]:
    """[rows, size] U √S of a symmetric sparse table, from a random projection (Halko et al. 2011): some
    products, where the exact factors take minutes."""
    rows = table.shape[0]
    sought = min(size + _MORE, rows)
    basis = np.random.default_rng(seed).normal(size=(rows, sought))
    for _ in range(_ROUNDS):
        basis, _ = np.linalg.qr(table @ basis)
    small, strength, _ = np.linalg.svd(basis.T @ (table @ basis))
    vectors = np.zeros((rows, size))
    kept = min(size, sought)
    vectors[:, :kept] = (basis @ small[:, :kept]) * np.sqrt(strength[:kept])
    return vectors


def _rarity(flat: NDArray[np.int64], owner: NDArray[np.int64], rows: int) -> NDArray[np.float64]:
    """[rows, 1] ln(texts / texts with the word), at least 0."""
    texts = int(owner.max()) + 1
    having = np.bincount(np.unique(owner * rows + flat) % rows, minlength=rows)
    rarity: NDArray[np.float64] = np.log(texts / np.maximum(having, 1))
    return rarity[:, None]

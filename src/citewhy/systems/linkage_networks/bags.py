"""Sentences as sparse bags of words: the inputs ψ of the linkage networks. Stems, without stop words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from citewhy.text.tokens import stems

__all__ = ["Bags", "Vocabulary", "Weighting", "overlaps", "pair_features"]

Bags = Any
"""scipy.sparse.csr_matrix of float32, [sentences, words]"""

Weighting = Literal["binary", "tfidf", "share"]


class Vocabulary:
    """Words of a collection, and in how many of its sentences each stands."""

    def __init__(self, words: Sequence[str], frequencies: Sequence[int], sentences: int) -> None:
        self.words = tuple(words)
        self.frequencies = np.array(frequencies, dtype=np.int64)
        self.sentences = sentences
        self._number = {word: number for number, word in enumerate(self.words)}

    @classmethod
    def of(cls, texts: Iterable[str]) -> Vocabulary:
        """Every stem of `texts`, in alphabetic order."""
        seen: Counter[str] = Counter()
        sentences = 0
        for text in texts:
            seen.update(set(stems(text)))
            sentences += 1
        words = sorted(seen)
        return cls(words, [seen[word] for word in words], sentences)

    def __len__(self) -> int:
        return len(self.words)

    def numbers(self, text: str) -> list[int]:
        """Known words of a text in their order."""
        return [number for stem in stems(text) if (number := self._number.get(stem)) is not None]

    @property
    def idf(self) -> NDArray[np.float32]:
        """[words] ln((1 + sentences) / (1 + frequency)) + 1: above zero for every word."""
        return (np.log((1 + self.sentences) / (1 + self.frequencies)) + 1).astype(np.float32)

    def bags(self, texts: Sequence[str], weighting: Weighting) -> Bags:
        """[texts, words]. ``binary``: 1 for each word that is there; ``tfidf``: frequency times idf, rows of
        length 1; ``share``: each word's share of the text, rows that sum to 1."""
        counts = self._counts(texts)
        if weighting == "binary":
            counts.data[:] = 1.0
            return counts
        if weighting == "share":
            return _scaled(counts, counts.sum(axis=1))
        weighted = counts.multiply(self.idf[None, :]).tocsr().astype(np.float32)
        return _scaled(weighted, np.sqrt(weighted.power(2).sum(axis=1)))

    def _counts(self, texts: Sequence[str]) -> Bags:
        columns = [self.numbers(text) for text in texts]
        starts = np.concatenate([[0], np.cumsum([len(row) for row in columns])])
        flat = np.array([number for row in columns for number in row], dtype=np.int32)
        ones = np.ones(len(flat), dtype=np.float32)
        counts = sparse.csr_matrix((ones, flat, starts), shape=(len(texts), len(self)))
        counts.sum_duplicates()
        return counts


def overlaps(first: Bags, second: Bags) -> NDArray[np.float32]:
    """[len(first), len(second)] inner products: for binary bags, the number of words in common."""
    product: NDArray[np.float32] = (first @ second.T).toarray()
    return product


def pair_features(first: Bags, second: Bags, f: Literal["mul", "sqrd"]) -> Bags:
    """[pairs, words] f of row i of both: their elementwise product, or the square of their difference."""
    return first.multiply(second).tocsr() if f == "mul" else (first - second).power(2).tocsr()


def _scaled(bags: Bags, lengths: Any) -> Bags:
    """Each row divided by its length; an empty row stays."""
    factors = 1 / np.maximum(np.asarray(lengths).ravel(), 1e-12)
    return sparse.diags(factors.astype(np.float32)).dot(bags).tocsr()

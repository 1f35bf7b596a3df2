"""Untrained linkers: shared words, counted in four ways, and cosines of sentence vectors.

Each is a function from citing sentences and a paper to scores [citances, sentences].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import FullText
from citewhy.search.encode.encoder import Encoder
from citewhy.text.tokens import stems

Matrix = NDArray[np.float32]
Linker = Callable[[Sequence[str], FullText], Matrix]

K1, B = 1.5, 0.75
"""The usual parameters of BM25."""


def binary_dot(citances: Sequence[str], text: FullText) -> Matrix:
    """BDOT: the number of shared words."""
    shared, _, _ = _sets(citances, text)
    return shared


def jaccard(citances: Sequence[str], text: FullText) -> Matrix:
    """The Jaccard coefficient of the sets of words; 0 for two sentences without words."""
    shared, first, second = _sets(citances, text)
    either = first[:, None] + second[None, :] - shared
    ratio: Matrix = shared / np.maximum(either, 1)
    return ratio


def tf_idf(citances: Sequence[str], text: FullText) -> Matrix:
    """Cosine of frequency · (ln((1 + n) / (1 + df)) + 1), of the n sentences of the paper."""
    first, second = _counts(citances, text)
    idf = np.log((1 + len(second)) / (1 + (second > 0).sum(axis=0))) + 1
    return (_unit(first * idf) @ _unit(second * idf).T).astype(np.float32)


def bm25(citances: Sequence[str], text: FullText) -> Matrix:
    """BM25 of each distinct word of the citing sentence, over the sentences of the paper (Robertson and
    Zaragoza, The Probabilistic Relevance Framework, 2009)."""
    first, second = _counts(citances, text)
    having, lengths = (second > 0).sum(axis=0), second.sum(axis=1, keepdims=True)
    idf = np.log(1 + (len(second) - having + 0.5) / (having + 0.5))
    norm = K1 * (1 - B + B * lengths / max(float(lengths.mean()), 1e-9))
    weights = idf * second * (K1 + 1) / (second + norm)
    scores: Matrix = (np.minimum(first, 1) @ weights.T).astype(np.float32)
    return scores


def by_meaning(encoder: Encoder) -> Linker:
    """Inner products of the encoder's vectors; both sentences are encoded as queries."""

    def link(citances: Sequence[str], text: FullText) -> Matrix:
        sentences = [sentence.text for sentence in text.sentences]
        return encoder.encode(citances, "query") @ encoder.encode(sentences, "query").T

    return link


BASELINES: dict[str, Linker] = {"tfidf": tf_idf, "bdot": binary_dot, "jaccard": jaccard, "bm25": bm25}
"""Each has the name by which the command line knows it."""


def _counts(citances: Sequence[str], text: FullText) -> tuple[Matrix, Matrix]:
    """Frequencies [citances, words] and [sentences, words] of the words of the paper and its citances."""
    numbers: dict[str, int] = {}
    tables = []
    rows = [[stems(citance) for citance in citances], [stems(sentence.text) for sentence in text.sentences]]
    for row in rows:
        for words in row:
            for word in words:
                numbers.setdefault(word, len(numbers))
    for row in rows:
        table = np.zeros((len(row), max(len(numbers), 1)), dtype=np.float32)
        for position, words in enumerate(row):
            for word in words:
                table[position, numbers[word]] += 1
        tables.append(table)
    return tables[0], tables[1]


def _sets(citances: Sequence[str], text: FullText) -> tuple[Matrix, Matrix, Matrix]:
    """[citances, sentences] numbers of shared words, and the numbers of words [citances] and [sentences]."""
    first, second = (np.minimum(table, 1) for table in _counts(citances, text))
    return first @ second.T, first.sum(axis=1), second.sum(axis=1)


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each row scaled to length 1; an empty one is unchanged."""
    scaled: NDArray[np.float64] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return scaled

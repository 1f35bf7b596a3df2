"""Vectors of stems for the networks that read word2vec: learned from the clusters, or supplied.

The source learns the former by gensim's skip-gram with 300 dimensions (Mikolov et al., Distributed
Representations of Words and Phrases and their Compositionality, NIPS 2013) and names no other setting, so
that gensim's own stand here. For the latter it takes vectors of the Google News corpus; any file serves that
`train.word_vectors` reads.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewhy.text.tokens import stems, words
from citewhy_lab.train.word_vectors import read_word_vectors

__all__ = ["SIZE", "learned_vectors", "supplied_vectors"]

SIZE = 300
"""Dimensions."""

_LEAST = 5
"""Times that a stem must be seen to have a vector of its own: gensim's own setting."""

Floats = NDArray[np.float32]


def learned_vectors(
    texts: Sequence[str], vocabulary: Sequence[str], size: int, epochs: int, seed: int
) -> Floats:
    """[vocabulary, size] vectors of stems, learned from `texts`; zeros for a stem that is too rare. One
    thread, so that one seed gives one result."""
    from gensim.models import Word2Vec

    sentences = [stems(text) for text in texts]
    table = np.zeros((len(vocabulary), size), dtype=np.float32)
    if max(Counter(stem for sentence in sentences for stem in sentence).values(), default=0) < _LEAST:
        return table
    model = Word2Vec(sentences, vector_size=size, epochs=epochs, sg=1, min_count=_LEAST, seed=seed, workers=1)
    for row, stem in enumerate(vocabulary):
        if stem in model.wv:
            table[row] = model.wv[stem]
    return table


def supplied_vectors(path: Path, texts: Sequence[str], vocabulary: Sequence[str]) -> Floats:
    """[vocabulary, size] from a file of word vectors. A stem has the mean of the vectors of the words that it
    stands for in `texts`, each as often as it is there; zeros where the file has none of them.

    Raises what `read_word_vectors` raises.
    """
    counts = Counter(word for text in texts for word in words(text))
    forms = sorted(counts)
    vectors = read_word_vectors(path, forms)
    rows = {stem: row for row, stem in enumerate(vocabulary)}
    found: dict[int, list[int]] = defaultdict(list)
    for number, form in enumerate(forms):
        for stem in stems(form):
            if vectors[number].any():
                found[rows[stem]].append(number)
    table = np.zeros((len(vocabulary), vectors.shape[1]), dtype=np.float32)
    for row, numbers in found.items():
        table[row] = np.average(vectors[numbers], axis=0, weights=[counts[forms[n]] for n in numbers])
    return table

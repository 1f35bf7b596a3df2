"""Words of a text, their numbers, and vectors from the texts at hand."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from citewhy_lab.train.reranking.words import Numbered, tokens
from citewhy_lab.train.word_vectors import corpus_vectors, joined_vectors


def test_placeholders_are_words() -> None:
    """They stay in their place and case; function words go, the rest is folded."""
    assert tokens("As (TARGETCIT; OTHERCIT) showed, the Brown-Clusters") == [
        "TARGETCIT",
        "OTHERCIT",
        "showed",
        "brown",
        "clusters",
    ]


def test_function_words() -> None:
    """They are read where they are wanted, as in the source."""
    assert tokens("As in TARGETCIT", function_words=True) == ["as", "in", "TARGETCIT"]


def test_rare_names_have_no_number_of_their_own() -> None:
    """What is seen once is unknown, 0; the others are numbered from 1, those that always have one first."""
    numbered = Numbered.of([["b", "a"], ["a", "once", "b", "a"]], always=("first",))
    assert numbered.names == ["first", "a", "b"]
    assert numbered(["b", "once", "never", "first"]) == [3, 0, 0, 1]
    assert len(numbered) == 4


def test_words_with_the_same_neighbours_are_near() -> None:
    """1 and 2 stand beside 5, 3 and 4 beside 6, and 7 beside all. With as many dimensions as words, cosines
    are those of U S Uᵀ, which every decomposition of the table of positive PMI has in common: .254 for words
    with the same neighbours, .005 for others. A word that is nowhere has no vector, and one in every text no
    rarity."""
    pytest.importorskip("scipy", reason="needs the extra lab")
    texts = [[7, 1, 5, 1], [7, 2, 5, 2], [7, 3, 6, 3], [7, 4, 6, 4]] * 3
    vectors = corpus_vectors(texts, 9, 9, seed=0)
    values, directions = np.linalg.eigh(positive_pmi(texts, 9))
    wanted = cosines((directions * np.abs(values)) @ directions.T)
    found = cosines((vectors @ vectors.T).astype(np.float64))
    rare = np.ix_(range(1, 7), range(1, 7))
    assert found[rare] == pytest.approx(wanted[rare], abs=1e-5)
    assert [found[1, 2], found[3, 4]] == pytest.approx([0.254, 0.254], abs=1e-3)
    assert [found[1, 3], found[2, 4], found[1, 4]] == pytest.approx([0.005] * 3, abs=1e-3)
    assert not vectors[[0, 7, 8]].any()
    assert np.linalg.norm(vectors, axis=1).mean() == pytest.approx(1.0)
    assert (vectors == corpus_vectors(texts, 9, 9, seed=0)).all()


def test_fewer_dimensions_keep_what_is_strongest() -> None:
    """Two words that stand beside themselves alone: the PMI of the rarer is ln 5, of the other ln 5/4. In one
    dimension the rarer is left, four times as long as the mean of the four rows, which is 1."""
    pytest.importorskip("scipy", reason="needs the extra lab")
    vectors = corpus_vectors([[1, 1]] + [[3, 3]] * 4, 4, 1, seed=0)
    assert np.abs(vectors[:, 0]) == pytest.approx([0, 4, 0, 0], abs=1e-5)


def positive_pmi(texts: list[list[int]], rows: int) -> np.ndarray:
    """max(0, log p(a, b) / (p(a) p(b))) of words in one text, pair by pair."""
    times = np.zeros((rows, rows))
    for text in texts:
        for one, other in permutations(range(len(text)), 2):
            times[text[one], text[other]] += 1
    each = times.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        information = np.log(times * times.sum() / np.outer(each, each))
    return np.where(times > 0, np.maximum(information, 0), 0)


def cosines(products: np.ndarray) -> np.ndarray:
    lengths = np.sqrt(np.diag(products))
    found: np.ndarray = products / np.maximum(np.outer(lengths, lengths), 1e-9)
    return found


def test_joined_vectors_have_both_kinds_of_nearness() -> None:
    """Of four words, 0 and 1 are near by their neighbours, 0 and 2 by meaning, 3 is near to none: so they are
    when both are joined; lengths are those of the first table, and a word in one table alone is still told.
    """
    company = np.array([[2, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 1], [0, 0, 0]], dtype=np.float32)
    meaning = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]], dtype=np.float32)
    joined = joined_vectors(company, meaning, 6)
    assert joined.shape == (5, 6)
    assert joined.dtype == np.float32
    long = np.linalg.norm(joined, axis=1)
    assert long == pytest.approx([2, 2, 3, 1, 2])  # the last: the mean of the others
    unit = joined / long[:, None]
    assert unit[0] @ unit[1] > 0.2 + unit[0] @ unit[3]
    assert unit[0] @ unit[2] > 0.2 + unit[0] @ unit[3]
    assert unit[4] @ unit[1] > 0.2 + unit[4] @ unit[0]
    assert joined_vectors(company, meaning, 2).shape == (5, 2)
    wide = joined_vectors(company, np.zeros_like(meaning), 9)
    assert wide[:, 6:].any() == np.False_
    assert wide[0] @ wide[1] == pytest.approx(4)

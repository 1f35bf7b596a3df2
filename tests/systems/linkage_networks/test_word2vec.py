"""Skip-gram with negative sampling."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from citewhy.systems.linkage_networks.word2vec import SkipGram, _noise_chances, _pairs, skip_gram


def test_pairs_are_neighbours_both_ways() -> None:
    """With a window of one, each place draws one: every two neighbours, both ways, none across sentences."""
    found = _pairs([[1, 2, 3], [4, 5], [6]], 1, np.random.default_rng(7))
    assert sorted(map(tuple, found.tolist())) == [(1, 2), (2, 1), (2, 3), (3, 2), (4, 5), (5, 4)]


def test_noise() -> None:
    """Sixteen times as frequent is eight times as likely: 16 ** .75 = 8."""
    chances = _noise_chances([[0] * 16, [1]], 3)
    assert chances == pytest.approx([8 / 9, 1 / 9, 0])


def test_words_of_one_company_come_near() -> None:
    """Words that stand in the same places are nearer to each other than to those of other sentences; the
    same seed gives the same vectors."""
    sentences = [[0, 2, 3], [1, 2, 3], [4, 6, 7], [5, 6, 7]] * 50
    settings = SkipGram(size=8, window=2, epochs=20, batch=64, learning_rate=0.02)
    vectors = skip_gram(sentences, 8, settings)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    near, far = unit[0] @ unit[1], unit[0] @ unit[5]
    assert near > far + 0.2
    assert np.array_equal(vectors, skip_gram(sentences, 8, settings))

"""Vectors of stems: learned by skip-gram, and supplied."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gensim")
pytest.importorskip("sklearn")

from citewhy_lab.train.systems.linkage_networks.data import Vocabulary, learned_vectors, supplied_vectors


def topical_texts() -> list[str]:
    """Two topics of 26 words; among words of the first is alpha or beta, among the others kappa or lambda."""
    random = np.random.default_rng(7)
    texts = []
    for number in range(400):
        topic = [f"x{'pq'[number % 2]}{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
        telling = (("alpha", "beta"), ("kappa", "lambda"))[number % 2][number // 2 % 2]
        texts.append(" ".join([*random.choice(topic, 4), telling, *random.choice(topic, 4)]))
    return texts


def digest(seed: int) -> str:
    """Of vectors that are learned from `topical_texts`."""
    texts = topical_texts()
    found = learned_vectors(texts, Vocabulary(texts).words, 4, 2, seed)
    return hashlib.sha256(found.tobytes()).hexdigest()


def test_words_with_the_same_neighbours_are_near() -> None:
    """alpha and beta never meet, but stand among the same words; so do kappa and lambda, among others."""
    texts = topical_texts()
    words = Vocabulary(texts).words
    vectors = learned_vectors(texts, words, size=10, epochs=40, seed=7)
    assert vectors.shape == (len(words), 10)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    alpha, beta, kappa, lambda_ = (unit[words.index(each)] for each in ("alpha", "beta", "kappa", "lambda"))
    assert min(alpha @ beta, kappa @ lambda_) > 0.9
    assert max(alpha @ kappa, alpha @ lambda_, beta @ kappa, beta @ lambda_) < 0.5


def test_the_same_seed_in_another_process() -> None:
    """One seed gives the same vectors to the bit, however Python hashes words; another seed gives others."""
    code = "import sys; sys.path.insert(0, sys.argv[1]); import test_word2vec\nprint(test_word2vec.digest(7))"
    environment = {**os.environ, "PYTHONHASHSEED": "99"}
    command = [sys.executable, "-c", code, str(Path(__file__).parent)]
    there = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    assert there.strip() == digest(7) != digest(8)


def test_rare_stems_have_no_vector() -> None:
    """Five times seen is enough, four times is not; nor is anything learned where all are rare."""
    texts = ["parsing trees"] * 4 + ["parsing corpora"]
    words = ("corpora", "pars", "tree")
    assert learned_vectors(texts, words, 3, 1, 7).any(axis=1).tolist() == [False, True, False]
    assert not learned_vectors(texts[:4], words, 3, 1, 7).any()


def test_supplied_vectors(tmp_path: Path) -> None:
    """A stem is the mean of its words as often as each is there: twice (3, 0) and once (0, 3) is (2, 1)."""
    path = tmp_path / "vectors.txt"
    path.write_text("parsing 3 0\nparses 0 3\ntree 5 5\nunused 9 9\n")
    texts = ["Parsing and parsing", "he parses the corpus"]
    assert supplied_vectors(path, texts, ("corpus", "pars")).tolist() == [[0, 0], [2, 1]]

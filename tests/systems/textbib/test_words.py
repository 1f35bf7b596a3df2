"""Words of a text, their numbers, and vectors to begin with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from citewhy.errors import InputError
from citewhy.systems.textbib.corpus_vectors import corpus_vectors, joined_vectors
from citewhy.systems.textbib.words import Numbered, read_vectors, tokens


def test_placeholders_are_words() -> None:
    """They stay in their place and case; function words go, the rest is folded."""
    assert tokens("As (TARGETCIT; OTHERCIT) showed, the Brown-Clusters") == [
        "TARGETCIT",
        "OTHERCIT",
        "showed",
        "brown",
        "clusters",
    ]


def test_rare_names_have_no_number_of_their_own() -> None:
    """What is seen once is unknown, 0; the others are numbered from 1, those that always have one first."""
    numbered = Numbered.of([["b", "a"], ["a", "once", "b", "a"]], always=("first",))
    assert numbered.names == ["first", "a", "b"]
    assert numbered(["b", "once", "never", "first"]) == [3, 0, 0, 1]
    assert len(numbered) == 4


@pytest.mark.parametrize("header", ["", "3 2\n"])
def test_vectors_of_a_file(tmp_path: Path, header: str) -> None:
    """GloVe without a header, word2vec with one; words that nobody asked for are passed over."""
    path = tmp_path / "vectors.txt"
    path.write_text(f"{header}a 1 2\nz 9 9\nb -1 0.5\n")
    assert read_vectors(path, Numbered(["a", "b", "c"]), 2).tolist() == [[0, 0], [1, 2], [-1, 0.5], [0, 0]]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("a 1 2\nb 1 2 3\n", ":2: a vector of 3 numbers, expected 2"),
        ("a 1 2\nb 1 x\n", ":2: not a vector of numbers"),
        ("z 1 2\n", "no word of the papers is in this file"),
    ],
)
def test_bad_vectors(tmp_path: Path, content: str, problem: str) -> None:
    """The file and the line are named."""
    path = tmp_path / "vectors.txt"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        read_vectors(path, Numbered(["a", "b"]), 2)
    assert problem in str(caught.value)


def test_words_in_the_same_company_are_near() -> None:
    """1 and 2 stand beside 5, 3 and 4 beside 6: the vectors of each pair point one way, those of different
    pairs do not; a word that is nowhere has none, and one in every text has no rarity."""
    pytest.importorskip("scipy", reason="needs the extra train")
    texts = [[7, 1, 5, 1], [7, 2, 5, 2], [7, 3, 6, 3], [7, 4, 6, 4]] * 3
    vectors = corpus_vectors(texts, 9, 4, seed=0)

    def cosine(one: int, other: int) -> float:
        lengths = np.linalg.norm(vectors[one]) * np.linalg.norm(vectors[other])
        return float(vectors[one] @ vectors[other] / lengths)

    assert min(cosine(1, 2), cosine(3, 4)) > 0.7
    assert max(cosine(1, 3), cosine(2, 4), cosine(1, 4)) < 0.5
    assert not vectors[[0, 7, 8]].any()
    assert np.linalg.norm(vectors, axis=1).mean() == pytest.approx(1.0)
    assert (vectors == corpus_vectors(texts, 9, 4, seed=0)).all()


def test_joined_vectors_have_both_kinds_of_nearness() -> None:
    """Of four words, 0 and 1 are near by company, 0 and 2 by meaning, 3 is near to none: so they are when
    both are joined; lengths are those of the company, and a word in one table alone is still told."""
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

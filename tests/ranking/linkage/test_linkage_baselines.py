"""Linkers that learn nothing, on sentences that one can count."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hash_encoder import HashEncoder

from citewhy.base.records import FullText, Sentence
from citewhy.ranking.linkage.baselines import BASELINES, B, bm25, by_meaning, jaccard, tf_idf

TEXT = FullText(
    "P1", tuple(Sentence(n, "", t) for n, t in enumerate(["parsing trees", "trees", "", "of the"]))
)


def test_shared_words() -> None:
    """ "Trees grow, parsing trees" has three words; two, one and none are shared; of 3 and 4 in all, 2/3 and
    1/3. Stop words are none."""
    assert BASELINES["bdot"](["Trees grow, parsing trees"], TEXT).tolist() == [[2, 1, 0, 0]]
    assert jaccard(["Trees grow, parsing trees"], TEXT)[0] == pytest.approx([2 / 3, 1 / 3, 0, 0])


def test_tf_idf() -> None:
    """The sentence "trees" is the citing one: cosine 1; the other has a rarer word beside it."""
    common, rare = math.log(5 / 3) + 1, math.log(5 / 2) + 1
    assert tf_idf(["trees"], TEXT)[0] == pytest.approx([common / math.hypot(common, rare), 1, 0, 0])


def test_bm25() -> None:
    """One sentence of four has the word, once, at length 2 where the mean is 3/4."""
    idf, norm = math.log(1 + 3.5 / 1.5), 1.5 * (1 - B + B * 2 / 0.75)
    assert bm25(["parsing"], TEXT)[0] == pytest.approx([idf * 2.5 / (1 + norm), 0, 0, 0])


def test_by_meaning() -> None:
    """The sentence itself is nearest to itself, with 1."""
    scores = by_meaning(HashEncoder())(["parsing trees"], TEXT)
    assert scores.shape == (1, 4)
    assert scores[0, 0] == pytest.approx(1, abs=1e-5)
    assert scores[0].argmax() == 0


@pytest.mark.parametrize("name", BASELINES)
def test_nothing_to_compare(name: str) -> None:
    """Citing sentences without words, and no citing sentence at all, have finite scores of that shape."""
    assert not BASELINES[name](["", "of the"], TEXT).any()
    assert BASELINES[name]([], TEXT).shape == (0, 4)
    assert np.isfinite(BASELINES[name](["x"], FullText("P2", (Sentence(0, "", ""),)))).all()

"""Sparse bags of words: vocabulary, weightings, features of pairs."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("sklearn")

from citewhy.base.errors import QueryError
from citewhy_lab.train.systems.linkage_networks.data import Vocabulary, overlaps, pair_features

TEXTS = ["parsing trees parsing", "trees", ""]
VOCABULARY = Vocabulary(TEXTS)


def test_vocabulary() -> None:
    """Stems in alphabetic order are the columns; words that the collection does not have count nowhere."""
    assert VOCABULARY.words == ("pars", "tree")
    assert VOCABULARY.bags(["Trees, unknown, parsed"], "binary").toarray().tolist() == [[1, 1]]
    with pytest.raises(QueryError, match="2 sentences have no word"):
        Vocabulary(["", "Ω"])


def test_weightings() -> None:
    """Binary 1 and 1; tf-idf 2 (ln 4/2 + 1) and ln 4/3 + 1, not normalised. A sentence without words is a row
    of nothing."""
    assert VOCABULARY.bags(TEXTS, "binary").toarray().tolist() == [[1, 1], [0, 1], [0, 0]]
    first, second = 2 * (math.log(2) + 1), math.log(4 / 3) + 1
    found = VOCABULARY.bags(TEXTS, "tfidf").toarray()
    assert found[0] == pytest.approx([first, second])
    assert found[2].tolist() == [0, 0]


def test_overlaps_and_features() -> None:
    """The first two share one word of two: the product keeps it, the squared difference the other."""
    bags = VOCABULARY.bags(TEXTS, "binary")
    assert overlaps(bags, bags).tolist() == [[2, 1, 0], [1, 1, 0], [0, 0, 0]]
    assert pair_features(bags[[0]], bags[[1]], "mul").toarray().tolist() == [[0, 1]]
    assert pair_features(bags[[0]], bags[[1]], "sqrd").toarray().tolist() == [[1, 0]]

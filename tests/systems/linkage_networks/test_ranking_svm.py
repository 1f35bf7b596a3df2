"""The ranking SVM."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy")

from scipy import sparse

from citewhy.systems.linkage_networks.ranking_svm import ranking_svm


def test_the_minimum_of_one_pair() -> None:
    """One pair that differs by x: ½ w² + C (1 − w x)² is least at 2 C x / (1 + 2 C x²), here 2/3 and 8/33."""
    for x, expected in ((1.0, 2 / 3), (4.0, 8 / 33)):
        features = sparse.csr_matrix([[x], [0.0]])
        (found,) = ranking_svm(features, np.ones((1, 2), dtype=np.bool_), true=1)
        assert found == pytest.approx(expected, abs=1e-4)


def test_what_is_not_there_teaches_nothing() -> None:
    """A row with a missing false sentence changes no weight; nor does the number of pairs of a row count."""
    features = sparse.csr_matrix([[1.0, 0.0], [0.0, 0.0], [0.0, 5.0], [0.0, 0.0]])
    there = np.array([[True, True], [True, False]])
    found = ranking_svm(features, there, true=1)
    assert found == pytest.approx([2 / 3, 0], abs=1e-4)


def test_the_true_one_stands_higher() -> None:
    """Of two words that true sentences share, and one that false ones share, the weights tell which."""
    features = sparse.csr_matrix([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]] * 3)
    first, second, third = ranking_svm(features, np.ones((3, 2), dtype=np.bool_), true=1)
    assert first == pytest.approx(second)
    assert first > 0 > third

"""The support vector regression."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn")

from scipy import sparse

from citewhy_lab.train.systems.linkage_networks.recipe import fit_svr

ROWS = 6
FEATURES = sparse.csr_matrix([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]] * ROWS)
"""In each row, the pair that is meant shares the first word, the other the second, and both the third."""

THERE = np.ones((ROWS, 2), dtype=np.bool_)


def test_pairs_that_are_meant_are_one() -> None:
    """Errors up to ε = .1 are free: the flattest function that fits is .9 for a 1, and .1 for a 0."""
    model = fit_svr(FEATURES, THERE, true=1)
    assert model.predict(FEATURES[:2]) == pytest.approx([0.9, 0.1], abs=0.01)


def test_what_is_not_there_teaches_nothing() -> None:
    """A pair that does not exist changes nothing, whatever its features; the same pair, there, does."""
    odd = sparse.vstack([FEATURES, sparse.csr_matrix([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])]).tocsr()
    more = np.vstack([THERE, [[True, False]]])
    without = np.vstack([THERE, [[False, False]]])
    asked = sparse.csr_matrix([[0.0, 1.0, 0.0]])
    expected = fit_svr(FEATURES, THERE, true=1).predict(asked)
    assert fit_svr(odd, without, true=1).predict(asked) == pytest.approx(expected)
    assert fit_svr(odd, more, true=1).predict(asked) > expected + 0.1

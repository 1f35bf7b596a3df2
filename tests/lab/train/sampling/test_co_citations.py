"""Sampling by co-citation and citation counts: the exact distributions, as of a year."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewhy_lab.train.sampling.co_citations import AliasTable, CitedTogether, CoCitations

HISTORY = [
    CitedTogether((0, 1), 2000),
    CitedTogether((0, 1, 2), 2001),
    CitedTogether((0, 3), 2002),
    CitedTogether((4,), 2001),
    CitedTogether((0, 4), 0),
]
"""The last one has no year."""

_WEIGHTS = st.lists(st.floats(0, 1e6), min_size=1, max_size=40).filter(lambda each: sum(each) > 0)


@given(_WEIGHTS)
def test_an_alias_table_has_the_exact_distribution(weights: list[float]) -> None:
    """The probabilities of its columns add up to the weights, divided by their sum; what has no weight is
    never drawn."""
    exact = np.array(weights) / sum(weights)
    found = AliasTable(np.array(weights)).probabilities()
    assert np.allclose(found, exact, atol=1e-12)
    assert not found[exact == 0].any()


@pytest.mark.parametrize("weights", [[], [0.0, 0.0], [-1.0, 2.0], [float("nan")], [float("inf"), 1.0]])
def test_weights_that_are_no_distribution(weights: list[float]) -> None:
    """They are refused."""
    with pytest.raises(ValueError, match="finite"):
        AliasTable(np.array(weights))


def test_draws_follow_the_table() -> None:
    """Of 20,000 draws the shares are within .02 of 1/10, 2/10, 3/10, 4/10."""
    drawn = AliasTable(np.array([1.0, 2.0, 3.0, 4.0])).draw(20_000, np.random.default_rng(7))
    assert np.allclose(np.bincount(drawn) / 20_000, [0.1, 0.2, 0.3, 0.4], atol=0.02)


def test_frequencies_are_those_of_earlier_years() -> None:
    """Before 2002 paper 0 was cited with paper 1 twice, with 2 once, and with 3 and 4 not yet, or in an
    unknown year."""
    history = CoCitations(HISTORY)
    assert history.frequencies(0, 2002) == {1: 2, 2: 1}
    assert history.frequencies(0, 2003) == {1: 2, 2: 1, 3: 1}
    assert history.counts(2002) == {0: 2, 1: 2, 2: 1, 4: 1}


def test_positives_and_negatives_are_drawn_by_the_power() -> None:
    """A single positive of paper 0 in 2002 is paper 1 with probability 2^¾ / (2^¾ + 1); a negative for a text
    that cites 0 is 1, 2 or 4, with 2^¾ : 1 : 1."""
    history, rng = CoCitations(HISTORY), np.random.default_rng(7)
    positives = [history.positives(0, 2002, 1, rng)[0] for _ in range(5000)]
    two = 2**0.75
    assert positives.count(1) / 5000 == pytest.approx(two / (two + 1), abs=0.03)
    negatives = [history.negatives([0], 2002, 1, rng)[0] for _ in range(5000)]
    shares = [negatives.count(paper) / 5000 for paper in (1, 2, 4)]
    assert shares == pytest.approx([two / (two + 2), 1 / (two + 2), 1 / (two + 2)], abs=0.03)


def test_nothing_is_drawn_twice_or_cited() -> None:
    """As many as there are, each once; without history there are none."""
    history, rng = CoCitations(HISTORY), np.random.default_rng(7)
    assert sorted(history.positives(0, 2003, 3, rng)) == [1, 2, 3]
    assert sorted(history.positives(0, 2003, 9, rng, barred=[2])) == [1, 3]
    assert sorted(history.negatives([0, 4], 2003, 9, rng)) == [1, 2, 3]
    assert history.positives(4, 2003, 3, rng) == []
    assert history.negatives([], 2000, 3, rng) == []


def test_rare_papers_are_found_beside_frequent_ones() -> None:
    """A paper with a millionth of the probability is drawn if all others are barred."""
    history = CoCitations([CitedTogether((0, 1), 2000)] * 5000 + [CitedTogether((0, 2), 2000)], power=2.0)
    assert history.positives(0, 2001, 2, np.random.default_rng(7), barred=[1]) == [2]

"""Three ways to count, by hand; and what they have to do with each other."""

from __future__ import annotations

from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewhy_lab.experiments.reranking import JudgedRanks, judge, summary

RANKS = np.arange(10, dtype=np.int32)


def test_places() -> None:
    """Candidates 4, 5, 6 with scores .1, .9, .5: paper 6 is second; a missed paper with score .7 would be
    second if it were added; a paper that is nowhere is missed even then."""
    candidates, scores = np.array([4, 5, 6]), np.array([0.1, 0.9, 0.5], dtype=np.float32)
    found = judge(candidates, scores, [6, 8, -1], [0.7], RANKS)
    assert found[0] == (2.0, 2.0, 2.0)
    assert (found[1][0], found[1][2]) == (inf, 2.0)
    assert isnan(found[1][1])
    assert (found[2][0], found[2][2]) == (inf, inf)
    assert isnan(found[2][1])


def test_ties_break_by_id() -> None:
    """Of equal scores the paper whose id comes first is better, inserted or not."""
    candidates, scores = np.array([5, 3]), np.array([0.5, 0.5], dtype=np.float32)
    assert judge(candidates, scores, [5, 4], [0.5], RANKS)[0] == (2.0, 2.0, 2.0)
    assert judge(candidates, scores, [4], [0.5], RANKS)[0][2] == 2


def test_measures() -> None:
    """R@10 and RR by each way: three papers at place 2, at place 20, and missed."""
    judged = JudgedRanks((2, 20, inf), (2, 20, nan), (2, 20, 4))
    assert [judged.recall(way) for way in ("counted", "solved", "inserted")] == [1 / 3, 1 / 2, 2 / 3]
    assert judged.reciprocal("counted") == pytest.approx((1 / 2 + 1 / 20) / 3)
    assert judged.reciprocal("solved") == pytest.approx((1 / 2 + 1 / 20) / 2)
    assert judged.reciprocal("inserted") == pytest.approx((1 / 2 + 1 / 20 + 1 / 4) / 3)


def test_nothing_solved() -> None:
    """Where the first stage solves nothing, there is no strict figure."""
    assert isnan(JudgedRanks((inf,), (nan,), (1,)).recall("solved"))


def test_mean_and_spread() -> None:
    """R@10 of 1 and 0 have the mean .5 and the standard deviation √.5; one run has none."""
    one, other = JudgedRanks((1,), (1,), (1,)), JudgedRanks((20,), (20,), (20,))
    cells = summary([one, other], "counted")
    assert cells[:2] == [0.5, pytest.approx(0.5**0.5)]
    assert summary([one], "counted") == [1, None, 1, None]


scores = st.lists(st.integers(0, 5), min_size=1, max_size=8)


@given(scores, st.integers(0, 5), st.data())
def test_the_ways_agree_where_they_must(values: list[int], missed: int, data: st.DataObject) -> None:
    """A found paper has one place in all ways; a missed one only by insertion, and never behind all."""
    rows = np.array(data.draw(st.permutations(range(len(values)))))
    answer = data.draw(st.integers(0, len(values) - 1))
    ranks = np.arange(len(values) + 1, dtype=np.int32)
    found, lost = judge(rows, np.array(values, dtype=np.float32), [answer, len(values)], [missed], ranks)
    assert len(set(found)) == 1
    assert 1 <= found[0] <= len(values)
    assert lost[0] == inf
    assert 1 <= lost[2] <= len(values) + 1

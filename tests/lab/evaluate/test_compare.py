"""Paired tests."""

from __future__ import annotations

import numpy
import pytest

from citewhy_lab.evaluate import compare as module
from citewhy_lab.evaluate.compare import PERMUTATIONS, compare
from citewhy_lab.evaluate.measures import Scores


def scores(*values: float, weights: tuple[float, ...] | None = None) -> Scores:
    queries = tuple(f"q{number}" for number in range(len(values)))
    return Scores(
        queries, numpy.array(weights or [1.0] * len(values)), {"RR": numpy.array(values, dtype=float)}
    )


def test_exact_for_few_queries() -> None:
    """Three queries, all better: of the eight assignments of signs, all plus and all minus are as extreme."""
    difference = compare(scores(1, 1, 1), scores(0, 0, 0), seed=7)["RR"]
    assert difference.value == 1
    assert difference.interval == (1.0, 1.0)
    assert difference.p_randomisation == 2 / 8
    assert difference.p_bootstrap == pytest.approx(2 / 1001)


def test_exact_with_unequal_differences() -> None:
    """Differences .5, .25 and -.25 sum to .5; with other signs to 1, .5, 0 and their opposites: 6 of 8."""
    difference = compare(scores(0.5, 0.25, 0), scores(0, 0, 0.25), seed=7)["RR"]
    assert difference.value == pytest.approx(0.5 / 3)
    assert difference.p_randomisation == 6 / 8


def test_no_difference() -> None:
    """A system against itself: zero, and nothing significant."""
    difference = compare(scores(1, 0, 0.5), scores(1, 0, 0.5), seed=7)["RR"]
    assert (difference.value, difference.interval) == (0.0, (0.0, 0.0))
    assert (difference.p_randomisation, difference.p_bootstrap) == (1, 1)


def test_rounding_does_not_decide() -> None:
    """.1 + .2 - .3 is zero on paper: every assignment is as extreme, whatever the last digits say."""
    difference = compare(scores(0.1, 0.2, 0), scores(0, 0, 0.3), seed=7)["RR"]
    assert difference.p_randomisation == 1


def test_chance_agrees_with_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where signs are drawn by chance, p is close to the exact one."""
    first, second = scores(1, 1, 0.5, 0.5, 0, 1, 0.25), scores(0, 0.5, 0.5, 0, 1, 0, 0)
    exact = compare(first, second, seed=7)["RR"].p_randomisation
    monkeypatch.setattr(module, "PERMUTATIONS", 63)  # too few to try all 64 assignments of six differences
    few = compare(first, second, seed=7)["RR"].p_randomisation
    monkeypatch.setattr(module, "PERMUTATIONS", 64)
    assert compare(first, second, seed=7)["RR"].p_randomisation == exact
    assert few == pytest.approx(exact, abs=0.2)
    assert 0 < few <= 1


def test_many_queries() -> None:
    """A clear difference has the smallest p that chance can tell; the other way round it is its opposite."""
    random = numpy.random.default_rng(1)
    worse = random.random(500) / 2
    better = worse + random.random(500) / 2
    forth = compare(scores(*better), scores(*worse), seed=7)["RR"]
    back = compare(scores(*worse), scores(*better), seed=7)["RR"]
    assert forth.p_randomisation == back.p_randomisation == 1 / (1 + PERMUTATIONS)
    assert forth.value == -back.value
    assert forth.interval == pytest.approx((-back.interval[1], -back.interval[0]))
    assert forth.interval[0] < forth.value < forth.interval[1]


def test_same_distribution() -> None:
    """Under the null hypothesis small p values are rare: about one in twenty is below .05."""
    random = numpy.random.default_rng(2)
    below = sum(
        compare(scores(*random.random(40)), scores(*random.random(40)), seed=7)["RR"].p_randomisation < 0.05
        for _ in range(60)
    )
    assert below <= 9  # the chance of ten or more is below one in a thousand


def test_weights() -> None:
    """With judgements of unequal number, the difference is that of the two micro averages."""
    first, second = scores(2, 1, weights=(3, 1)), scores(1, 1, weights=(3, 1))
    assert compare(first, second, seed=7)["RR"].value == 1 / 4


@pytest.mark.parametrize("other", [scores(1, 0, 0), scores(1, 0, weights=(2, 1))])
def test_only_the_same_judgements(other: Scores) -> None:
    """Systems that were asked other questions cannot be compared."""
    with pytest.raises(ValueError, match="same queries and judgements"):
        compare(scores(1, 0), other, seed=7)

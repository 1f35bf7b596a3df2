"""Bootstrap intervals."""

from __future__ import annotations

import numpy
import pytest

from citewhy_lab.evaluate import bootstrap
from citewhy_lab.evaluate.bootstrap import RESAMPLES, interval, intervals, resampled_means
from citewhy_lab.evaluate.measures import Doubles, Scores


def ones(*values: float) -> tuple[Doubles, Doubles]:
    return numpy.array(values, dtype=float), numpy.ones(len(values))


def test_all_equal() -> None:
    """Where every query scores the same, there is no doubt."""
    means = resampled_means(*ones(0.25, 0.25, 0.25), seed=1)
    assert means.shape == (RESAMPLES,)
    assert interval(means) == (0.25, 0.25)


def test_seed() -> None:
    """The same seed gives the same samples, another seed others."""
    sums, weights = ones(0, 1, 0, 1, 1)
    assert numpy.array_equal(resampled_means(sums, weights, 3), resampled_means(sums, weights, 3))
    assert not numpy.array_equal(resampled_means(sums, weights, 3), resampled_means(sums, weights, 4))


def test_same_samples_for_every_measure() -> None:
    """Two measures meet the same samples: the mean of a sum is the sum of the means."""
    (a, weights), (b, _) = ones(0, 1, 0.5, 1), ones(1, 0, 0.25, 0)
    together = resampled_means(a + b, weights, 7)
    assert together == pytest.approx(resampled_means(a, weights, 7) + resampled_means(b, weights, 7))


def test_a_query_keeps_its_judgements() -> None:
    """A drawn query brings all of its judgements: with two queries only three averages can come out."""
    sums, weights = numpy.array([3.0, 0.0]), numpy.array([3.0, 1.0])
    assert set(resampled_means(sums, weights, 7).tolist()) == {0.0, 0.75, 1.0}


def test_binomial_spread() -> None:
    """The interval of a share of one half in 400 queries is close to the textbook's 0.5 ± 1.96 · 0.025."""
    sums, weights = ones(*[0.0, 1.0] * 200)
    low, high = interval(resampled_means(sums, weights, 7))
    assert low == pytest.approx(0.5 - 1.96 * 0.025, abs=0.01)
    assert high == pytest.approx(0.5 + 1.96 * 0.025, abs=0.01)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing in small blocks, as for very many queries, gives the same samples."""
    sums, weights = ones(*range(10))
    whole = resampled_means(sums, weights, 7)
    monkeypatch.setattr(bootstrap, "_CELLS", 70)
    assert numpy.array_equal(resampled_means(sums, weights, 7), whole)


def test_every_measure_has_an_interval() -> None:
    """Intervals come for each measure and hold the mean."""
    (a, weights), (b, _) = ones(*[0, 1] * 20), ones(*[1, 1, 1, 0] * 10)
    scores = Scores(tuple("q" * n for n in range(40)), weights, {"RR": a, "AP": b})
    found = intervals(scores, seed=7)
    assert found.keys() == {"RR", "AP"}
    for name, mean in scores.means().items():
        assert found[name][0] < mean < found[name][1]

"""Paired comparison of two systems on the same queries: bootstrap and randomisation test.

Smucker, Allan and Carterette, A Comparison of Statistical Significance Tests for Information Retrieval
Evaluation, CIKM 2007, find that both agree with the t-test, which assumes more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy

from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.evaluate.measures import Doubles, Scores

PERMUTATIONS = 10_000

_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class Difference:
    """First system minus second: above zero, the first is better."""

    value: float
    interval: tuple[float, float]
    """95 %, by the bootstrap over queries."""
    p_randomisation: float
    """Two-sided: how often a difference as large appears when each query's two answers are swapped by
    chance."""
    p_bootstrap: float
    """Two-sided: twice the share of resampled differences on the smaller side of zero."""


def compare(first: Scores, second: Scores, seed: int) -> dict[str, Difference]:
    """Returns differences in every measure. Raises ValueError unless both scored the same queries and
    judgements."""
    if first.query_ids != second.query_ids or not numpy.array_equal(first.weights, second.weights):
        raise ValueError("two systems can be compared on the same queries and judgements only")
    return {
        name: _difference(first.sums[name] - second.sums[name], first.weights, seed)
        for name in first.sums
        if name in second.sums
    }


def _difference(differences: Doubles, weights: Doubles, seed: int) -> Difference:
    resampled = resampled_means(differences, weights, seed)
    return Difference(
        value=float(differences.sum() / weights.sum()),
        interval=interval(resampled),
        p_randomisation=_randomisation(differences, seed),
        p_bootstrap=_bootstrap(resampled),
    )


def _randomisation(differences: Doubles, seed: int) -> float:
    """Computes p: exact if all assignments of signs can be tried; otherwise random, including the observed
    one."""
    observed = abs(differences.sum())
    # Sums in another order differ in the last digits; equal sums must count as equal.
    enough = observed - 1e-9 * max(1.0, numpy.abs(differences).sum())
    differing = differences[differences != 0]  # queries with equal values have no effect
    if 2 ** len(differing) <= PERMUTATIONS:
        signs = _all_signs(len(differing))
        return float(numpy.mean(numpy.abs(signs @ differing) >= enough))
    as_large = sum(
        int(numpy.count_nonzero(numpy.abs(signs @ differing) >= enough))
        for signs in _random_signs(len(differing), seed)
    )
    return (1 + as_large) / (1 + PERMUTATIONS)


def _all_signs(queries: int) -> Doubles:
    """Returns every row of plus and minus ones: (2 ** queries, queries)."""
    numbers = numpy.arange(2**queries)[:, None]
    bits: Doubles = (numbers >> numpy.arange(queries)[None, :] & 1).astype(numpy.float64)
    return 2 * bits - 1


def _random_signs(queries: int, seed: int) -> Iterator[Doubles]:
    random = numpy.random.default_rng(seed)
    block = max(1, _CELLS // queries)
    for start in range(0, PERMUTATIONS, block):
        rows = min(block, PERMUTATIONS - start)
        yield random.integers(0, 2, size=(rows, queries), dtype=numpy.int8).astype(numpy.float64) * 2 - 1


def _bootstrap(resampled: Doubles) -> float:
    smaller = min(int((resampled <= 0).sum()), int((resampled >= 0).sum()))
    return min(1.0, 2 * (1 + smaller) / (1 + len(resampled)))

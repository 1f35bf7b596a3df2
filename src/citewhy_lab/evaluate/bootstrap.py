"""Percentile bootstrap over queries (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter
13)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy

from citewhy_lab.evaluate.measures import Doubles, Scores

RESAMPLES = 1000
LEVEL = 0.95

_CELLS = 4_000_000
"""Counts drawn at a time, which bounds the memory."""


def resampled_means(sums: Doubles, weights: Doubles, seed: int, resamples: int = RESAMPLES) -> Doubles:
    """Returns the averages of `resamples` samples of as many queries, drawn with replacement: (resamples,).

    A query comes with all its judgements, because answers to one query are not independent. The samples
    depend only on the seed and the number of queries, so that they are the same for all measures and systems.
    """
    means = [counts @ sums / (counts @ weights) for counts in _counts(len(sums), seed, resamples)]
    return numpy.concatenate(means)


def _counts(queries: int, seed: int, resamples: int) -> Iterator[Doubles]:
    """Returns how often each query was drawn: blocks of (samples, queries)."""
    random = numpy.random.default_rng(seed)
    equal = numpy.full(queries, 1 / queries)
    block = max(1, _CELLS // queries)
    for start in range(0, resamples, block):
        yield random.multinomial(queries, equal, size=min(block, resamples - start)).astype(numpy.float64)


def interval(means: Doubles, level: float = LEVEL) -> tuple[float, float]:
    """Returns the middle `level` of the resampled means."""
    low, high = numpy.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def intervals(scores: Scores, seed: int) -> dict[str, tuple[float, float]]:
    """Estimates the 95 % interval of every measure."""
    return {name: interval(resampled_means(sums, scores.weights, seed)) for name, sums in scores.sums.items()}

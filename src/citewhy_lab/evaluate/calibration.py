"""Calibration of the probabilities of the first candidates of every query: are papers with probability .3
relevant three times in ten?

Guo, Pleiss, Sun and Weinberger, On Calibration of Modern Neural Networks, ICML 2017, define the expected
calibration error (ECE) and the reliability diagram; the Brier score is from Brier 1950.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

FIRST = 10
"""Number of candidates of a query that are considered."""

BINS = 10
"""Number of bins of equal width."""

THRESHOLDS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)

_EDGES = tuple(number / BINS for number in range(1, BINS + 1))
_SHOWN = 5
"""Number of candidates among which a reader finds the right one."""

Pair = tuple[float, bool]
"""The probability of a candidate, in [0, 1], and whether it is relevant."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Candidates whose probability is in (`low`, `high`]; probability zero is in the first bin."""

    low: float
    high: float
    count: int
    """At least 1."""
    mean: float
    """Mean probability."""
    right: float
    """Share that is relevant."""


@dataclass(frozen=True, slots=True)
class Silence:
    """The effect of answering only if the best candidate's probability is at least `threshold`."""

    threshold: float
    answered: float
    """Share of all queries that are answered; one without candidates is not."""
    first_right: float | None
    """Says of how many of the answered queries the first candidate is relevant; None if none is answered."""
    five_right: float | None
    """Says how many of the answered queries have a relevant paper among the first five."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Probabilities compared with relevance."""

    queries: int
    pairs: int
    ece: float
    """Σ_b n_b / n · |right_b - mean_b| over the bins b, n_b of the n candidates in each; in [0, 1]."""
    brier: float
    """Mean of (probability - right)² over the candidates; in [0, 1]."""
    bins: tuple[Bin, ...]
    """The reliability diagram: bins with candidates, in order."""
    silence: tuple[Silence, ...]
    """One for each of `THRESHOLDS`."""


def calibration(answers: Sequence[Sequence[Pair]]) -> Calibration | None:
    """Judges probabilities: `answers` has the first candidates of every query, best first; empty for a query
    without candidates.

    All candidates have the same weight, regardless of their query. None if there is no candidate at all.
    """
    pairs = [pair for answer in answers for pair in answer]
    if not pairs:
        return None
    bins = _bins(pairs)
    return Calibration(
        queries=len(answers),
        pairs=len(pairs),
        ece=sum(bin_.count * abs(bin_.right - bin_.mean) for bin_ in bins) / len(pairs),
        brier=fmean((probability - right) ** 2 for probability, right in pairs),
        bins=bins,
        silence=tuple(_silence(answers, threshold) for threshold in THRESHOLDS),
    )


def _bins(pairs: Sequence[Pair]) -> tuple[Bin, ...]:
    binned: list[list[Pair]] = [[] for _ in _EDGES]
    for pair in pairs:
        binned[bisect_left(_EDGES, pair[0])].append(pair)
    return tuple(
        Bin(
            low=number / BINS,
            high=_EDGES[number],
            count=len(inside),
            mean=fmean(probability for probability, _ in inside),
            right=fmean(right for _, right in inside),
        )
        for number, inside in enumerate(binned)
        if inside
    )


def _silence(answers: Sequence[Sequence[Pair]], threshold: float) -> Silence:
    kept = [answer for answer in answers if answer and answer[0][0] >= threshold]
    return Silence(
        threshold=threshold,
        answered=len(kept) / len(answers),
        first_right=fmean(answer[0][1] for answer in kept) if kept else None,
        five_right=fmean(any(right for _, right in answer[:_SHOWN]) for answer in kept) if kept else None,
    )

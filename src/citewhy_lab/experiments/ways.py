"""Three ways to count what a reranker does, kept apart because their numbers are not comparable.

counted   a cited paper that the first stage misses is missed: what a user gets
solved    only cited papers that the first stage found are judged: strict figures of Medić (2023, chapter 5)
inserted  a cited paper that the first stage misses is added to its candidates by hand: those of chapter 4

Only the first is a number about a system; the others show what the reranker alone can do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from citewhy_lab.experiments.result import Cell

__all__ = ["AT", "EXPLANATIONS", "WAYS", "Judged", "Way", "judge", "summary"]

Way = Literal["counted", "solved", "inserted"]

WAYS: tuple[Way, ...] = get_args(Way)

EXPLANATIONS = {
    "counted": "counted: what the first stage misses is missed",
    "solved": "solved: only cited papers that the first stage found are judged",
    "inserted": "inserted: what the first stage misses was added by hand",
}

AT = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """Ranks of cited papers, from 1 and infinite for a missed one, in each way of counting; one element a
    cited paper, in ``solved`` nan for one that is not judged."""

    counted: tuple[float, ...]
    solved: tuple[float, ...]
    inserted: tuple[float, ...]

    def recall(self, way: Way) -> float:
        """R@10; nan if nothing is judged."""
        return _mean([place <= AT for place in self.judged(way)])

    def reciprocal(self, way: Way) -> float:
        """RR; nan if nothing is judged."""
        return _mean([1 / place for place in self.judged(way)])

    def judged(self, way: Way) -> list[float]:
        places: tuple[float, ...] = getattr(self, way)
        return [place for place in places if place == place]  # not nan


def judge(
    candidates: NDArray[np.int64],
    scores: NDArray[np.float32],
    answers: Sequence[int],
    missed: Sequence[float],
    ranks: NDArray[Any],
) -> list[tuple[float, float, float]]:
    """For each of `answers` (rows; -1 for a paper that is not in the library) its ranks: counted, solved,
    inserted.

    `scores` [n] are those of `candidates` [n] (rows), `missed` those of the answers that are not among them,
    in order (not for a row of -1); ties are broken by `ranks` [R].
    """
    inserted = iter(missed)
    at = {int(row): place for place, row in enumerate(candidates.tolist())}
    found: list[tuple[float, float, float]] = []
    for row in answers:
        if row in at:
            place = _place(candidates, scores, float(scores[at[row]]), row, ranks)
            found.append((place, place, place))
        elif row < 0:
            found.append((float("inf"), float("nan"), float("inf")))
        else:
            place = _place(candidates, scores, next(inserted), row, ranks)
            found.append((float("inf"), float("nan"), place))
    return found


def _place(
    candidates: NDArray[np.int64], scores: NDArray[np.float32], own: float, row: int, ranks: NDArray[Any]
) -> float:
    same = candidates[scores == own]
    return float(1 + np.count_nonzero(scores > own) + np.count_nonzero(ranks[same] < ranks[row]))


def summary(runs: Sequence[Judged], way: Way) -> list[Cell]:
    """R@10 and RR over runs with different seeds, each followed by the standard deviation (None for one
    run)."""
    cells: list[Cell] = []
    for values in ([each.recall(way) for each in runs], [each.reciprocal(way) for each in runs]):
        cells += [fmean(values), stdev(values) if len(values) > 1 else None]
    return cells


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else float("nan")

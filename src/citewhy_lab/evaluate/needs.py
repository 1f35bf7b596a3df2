"""Measures of a classifier that tells which sentences need a citation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewhy.ranking.classify import Classifier
from citewhy_lab.evaluate.bootstrap import interval
from citewhy_lab.evaluate.datasets.needs import JudgedSentence
from citewhy_lab.evaluate.measures import Doubles

Flags = NDArray[np.bool_]

CITES = "cites"
"""The label of the sentences that need a citation."""

RESAMPLES = 500


@dataclass(frozen=True, slots=True)
class Scores:
    """n sentences: how sure a classifier is that each needs a citation, and whether it cites."""

    chances: Doubles
    """[n] in [0, 1]; 0 for the sentences on which a review never remarks."""
    cites: Flags
    """[n]"""
    groups: Sequence[str]
    """[n] paper or draft."""

    def take(self, positions: NDArray[np.int64]) -> Scores:
        return Scores(
            self.chances[positions],
            self.cites[positions],
            [self.groups[position] for position in positions.tolist()],
        )


def chances(classifier: Classifier, judged: Sequence[JudgedSentence]) -> Scores:
    """Returns the scores of sentences without their citations."""
    asked = [judgement for judgement in judged if not judgement.silent]
    column = classifier.labels.index(CITES)
    probabilities = np.zeros(len(judged))
    positions = [position for position, judgement in enumerate(judged) if not judgement.silent]
    probabilities[positions] = classifier.probabilities([question.sentence for question in asked])[:, column]
    return Scores(
        probabilities,
        np.array([judgement.cites for judgement in judged]),
        [judgement.group for judgement in judged],
    )


def average_precision(scores: Scores) -> float:
    """Returns the mean of the precisions at the ranks of the citing sentences; of equal chances the earlier
    sentence comes first. 0 without citing sentences."""
    hits = scores.cites[np.argsort(-scores.chances, kind="stable")]
    ranks = np.flatnonzero(hits) + 1
    return float((np.arange(1, len(ranks) + 1) / ranks).mean()) if len(ranks) else 0.0


def precision_at(scores: Scores, share: float) -> float:
    """Computes the precision of the surest sentences: `share` times as many as cite, at least one."""
    count = max(1, round(share * int(scores.cites.sum())))
    return float(scores.cites[np.argsort(-scores.chances, kind="stable")[:count]].mean())


def _of_all(scores: Scores) -> float:
    count = max(1, len(scores.cites) // 5)
    return float(scores.cites[np.argsort(-scores.chances, kind="stable")[:count]].mean())


MEASURES: dict[str, Callable[[Scores], float]] = {
    "AP": average_precision,
    "base-rate": lambda scores: float(scores.cites.mean()),
    "AP-ratio": lambda scores: average_precision(scores) / max(float(scores.cites.mean()), 1e-9),
    "P@20%": _of_all,
    "P@0.05R": lambda scores: precision_at(scores, 0.05),
    "P@0.2R": lambda scores: precision_at(scores, 0.2),
    "P@R": lambda scores: precision_at(scores, 1.0),
}
"""``P@20%``: of the surest fifth of all sentences, at most the base rate times five; ``P@0.2R``: of the
surest, a fifth as many as cite; ``P@R``: as many as cite."""


def measures(scores: Scores) -> dict[str, float]:
    """Returns every measure, by name."""
    return {name: measure(scores) for name, measure in MEASURES.items()}


def intervals(scores: Scores, seed: int, resamples: int = RESAMPLES) -> dict[str, tuple[float, float]]:
    """Estimates the 95 % interval of every measure, by bootstrap over papers; of one draft, over its
    sentences."""
    names = sorted(set(scores.groups))
    where = {name: np.flatnonzero(np.array(scores.groups) == name) for name in names}
    random = np.random.default_rng(seed)
    values_by_name: dict[str, list[float]] = {name: [] for name in MEASURES}
    for _ in range(resamples):
        if len(names) > 1:
            drawn = random.integers(len(names), size=len(names)).tolist()
            positions = np.concatenate([where[names[number]] for number in drawn])
        else:
            positions = random.integers(len(scores.cites), size=len(scores.cites))
        for name, value in measures(scores.take(positions)).items():
            values_by_name[name].append(value)
    return {name: interval(np.array(values)) for name, values in values_by_name.items()}

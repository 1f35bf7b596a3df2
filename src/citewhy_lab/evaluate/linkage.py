"""Measures of citation linkage: the rank of the first target sentence.

A target is widened by n sentences on both sides ("approximately correct targets", Nomoto, Frontiers in
Research Metrics and Analytics 3, 2018): `RR` requires the sentence itself, `RR±3` one in its neighbourhood.

**Ties.** Equal scores keep the order of the document, in which a reader would see them. Targets are frequent
near the beginning of a paper, so this favours systems with many ties, such as those that count words:
`judge(…, ties="last")` reverses the order of ties, to show how much of a figure is due to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy
from numpy.typing import NDArray

from citewhy.base.records import Citance, FullText
from citewhy_lab.evaluate.datasets.linkage import Cluster
from citewhy_lab.evaluate.measures import Doubles, Scores

Matrix = NDArray[numpy.float32]
Bools = NDArray[numpy.bool_]
Ints = NDArray[numpy.int64]
Average = Literal["citances", "clusters"]
Ties = Literal["first", "last"]
"""Which of two sentences with equal scores is ranked first: the first one in the paper, or the last one."""

RADII = (0, 1, 3, 5, 10)
"""Numbers of sentences by which a target is widened on both sides."""


class Scorer(Protocol):
    """A linker to be measured."""

    def __call__(self, citances: Sequence[str], text: FullText, /) -> Matrix:
        """Returns [citances, sentences of text]: higher is a more likely target; finite."""
        ...


def measure_name(radius: int) -> str:
    """Writes ``RR``, ``RR±1``, …"""
    return f"RR±{radius}" if radius else "RR"


MEASURES = tuple(measure_name(radius) for radius in RADII)


@dataclass(frozen=True, slots=True)
class Judged:
    """The rankings of the sentences for the citances of one cluster."""

    cluster: str
    ranks: Mapping[int, Ints]
    """Radius → [citances] rank, from 1, of the first sentence within that distance of a target."""
    ranking: Ints
    """[citances, sentences] indices of the sentences in the paper, best first."""
    targets: Bools
    """[citances, sentences] which sentences of the paper are targets."""

    def reciprocal_ranks(self, radius: int) -> Doubles:
        """Returns the reciprocals [citances] of the ranks at a radius."""
        return 1.0 / self.ranks[radius]


def judge(scorer: Scorer, cluster: Cluster, ties: Ties = "first") -> Judged:
    """Ranks the sentences of a cluster for each of its citances, and finds the targets.

    Raises ValueError for scores of the wrong shape, or that are not finite.
    """
    scores = scorer([citance.text for citance in cluster.citances], cluster.text)
    expected = (len(cluster.citances), len(cluster.text.sentences))
    if scores.shape != expected or not numpy.isfinite(scores).all():
        raise ValueError(f"cluster {cluster.id}: expected finite scores {expected}, found {scores.shape}")
    return judge_ranking(_ranking(scores, ties), cluster)


def judge_ranking(ranking: Ints, cluster: Cluster) -> Judged:
    """Finds the targets in a `Judged.ranking`."""
    targets = _targets(cluster.citances, cluster.text)
    ranks = {radius: rank_of_first(ranking, widened(targets, radius)) for radius in RADII}
    return Judged(cluster.id, ranks, ranking, targets)


def judge_all(
    scorer: Scorer,
    clusters: Sequence[Cluster],
    ties: Ties = "first",
    tick: Callable[[int], None] = lambda done: None,
) -> list[Judged]:
    """Returns all clusters in turn; `tick` gets the number of finished ones."""
    judged = []
    for cluster in clusters:
        judged.append(judge(scorer, cluster, ties))
        tick(len(judged))
    return judged


def widened(targets: Bools, radius: int) -> Bools:
    """Returns [citances, sentences]: within `radius` sentences, before or after, of a target."""
    wide = targets.copy()
    for away in range(1, min(radius, targets.shape[1] - 1) + 1):
        wide[:, away:] |= targets[:, :-away]
        wide[:, :-away] |= targets[:, away:]
    return wide


def rank_of_first(ranking: Ints, wanted: Bools) -> Ints:
    """Finds the [citances] rank, from 1, of the best-ranked sentence that is wanted; each row needs at least
    one."""
    first: Ints = numpy.take_along_axis(wanted, ranking, axis=1).argmax(axis=1) + 1
    return first


def average(judged: Sequence[Judged], over: Average) -> Scores:
    """Sums reciprocal ranks by cluster, for intervals and tests, which resample clusters: citances of one
    paper are alike.

    Over ``citances`` (micro) each citance counts once; over ``clusters`` (macro) each cluster does, with the
    mean of its citances. `Scores.query_ids` are the clusters.
    """
    micro = over == "citances"
    sums = {
        measure_name(radius): numpy.array(
            [_total(judgement.reciprocal_ranks(radius), mean=not micro) for judgement in judged]
        )
        for radius in RADII
    }
    weights = numpy.array([float(len(judgement.targets)) if micro else 1.0 for judgement in judged])
    return Scores(tuple(judgement.cluster for judgement in judged), weights, sums)


def overlap_f1(judged: Sequence[Judged], top: int) -> tuple[float, float, float]:
    """Computes precision, recall and F1 of the first `top` sentences against the targets, all citances
    pooled: the sentence overlap by which CL-SciSumm scores its task 1a (Jaidka et al., IJDL 19, 2018)."""
    hits = named = meant = 0
    for judgement in judged:
        first = judgement.ranking[:, :top]
        hits += int(numpy.take_along_axis(judgement.targets, first, axis=1).sum())
        named += first.size
        meant += int(judgement.targets.sum())
    precision, recall = hits / named, hits / meant
    return precision, recall, 2 * hits / (named + meant)


def _ranking(scores: Matrix, ties: Ties) -> Ints:
    """Returns [citances, sentences] indices, best first."""
    columns: Ints = numpy.arange(scores.shape[1])[:: 1 if ties == "first" else -1]
    order: Ints = numpy.argsort(-scores[:, columns], axis=1, kind="stable")
    return columns[order]


def _total(values: Doubles, mean: bool) -> float:
    return float(values.mean() if mean else values.sum())


def _targets(citances: Sequence[Citance], text: FullText) -> Bools:
    position = {sentence.sid: number for number, sentence in enumerate(text.sentences)}
    targets = numpy.zeros((len(citances), len(position)), dtype=numpy.bool_)
    for row, column in _links(citances, position):
        targets[row, column] = True
    return targets


def _links(citances: Sequence[Citance], position: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    for row, citance in enumerate(citances):
        yield from ((row, position[sid]) for sid in citance.target_sids)

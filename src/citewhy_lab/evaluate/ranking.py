"""Runs a ranker on all queries of a benchmark and scores the answers.

The ranker is the one that serves users. Its answers are scored unchanged: nothing is added, and a relevant
paper that they lack is missed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy

from citewhy.base.errors import QueryError
from citewhy.base.records import Candidate, Query
from citewhy_lab.evaluate.bootstrap import intervals
from citewhy_lab.evaluate.calibration import FIRST, Calibration, calibration
from citewhy_lab.evaluate.datasets.topics import Topic
from citewhy_lab.evaluate.measures import Average, Scores, cutoff, parse, score
from citewhy_lab.evaluate.runs import Ranking, Run

__all__ = ["Answers", "Column", "Ranker", "collect", "judge", "measurable"]


class Ranker(Protocol):
    """A ranker to be measured."""

    def rank(self, query: Query, k: int) -> Sequence[Candidate]:
        """At most `k` candidates, best first, ties in order of paper id, no paper twice."""
        ...

    def pool_size(self, query: Query) -> int:
        """Number of papers that `rank` chooses from."""
        ...


@dataclass(frozen=True, slots=True)
class Answers:
    """A run, and its costs."""

    run: Run
    pool: int = 0
    """The largest pool of any query; 0 if unknown (a run that was read from a file)."""
    seconds: tuple[float, ...] = ()
    """Wall time of each query, in order."""
    probabilities: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Probabilities of the first candidates of each query, best first; only for queries that have them."""


@dataclass(frozen=True, slots=True)
class Column:
    """A system in a table."""

    name: str
    scores: Scores
    intervals: dict[str, tuple[float, float]]
    answers: Answers
    calibration: Calibration | None = None
    """None if the ranker gives no probabilities."""

    def seconds(self, percent: float) -> float | None:
        """A percentile of the time of a query; None if it was not measured."""
        return float(numpy.percentile(self.answers.seconds, percent)) if self.answers.seconds else None


def collect(
    ranker: Ranker, topics: Sequence[Topic], depth: int, tick: Callable[[int], None] = lambda done: None
) -> Answers:
    """Ranks for all topics in turn; `tick` gets the number of finished ones. Raises ValueError, with the
    query, if the ranker violates its contract."""
    run: dict[str, Ranking] = {}
    seconds: list[float] = []
    probabilities: dict[str, tuple[float, ...]] = {}
    pool = 0
    for topic in topics:
        start = time.perf_counter()
        candidates = ranker.rank(topic.query, depth)
        seconds.append(time.perf_counter() - start)
        try:
            # Only ids and scores are kept: the features of a thousand candidates a query would fill the
            # memory.
            run[topic.query.id] = Ranking.of(candidates[:depth])
            given = _probabilities(candidates[: min(depth, FIRST)])
        except ValueError as error:
            raise ValueError(f"query {topic.query.id}: {error}") from error
        if given:
            probabilities[topic.query.id] = given
        pool = max(pool, ranker.pool_size(topic.query))
        tick(len(run))
    return Answers(run, pool, tuple(seconds), probabilities)


def _probabilities(candidates: Sequence[Candidate]) -> tuple[float, ...]:
    """Empty for a ranker without probabilities. Raises ValueError for invalid ones, and if only some
    candidates have one."""
    given = tuple(each.probability for each in candidates if each.probability is not None)
    if given and len(given) < len(candidates):
        raise ValueError("some candidates have a probability, and others none")
    for probability in given:
        if not 0 <= probability <= 1:
            raise ValueError(f"{probability!r} is no probability")
    return given


def judge(
    name: str, answers: Answers, topics: Sequence[Topic], measures: Sequence[str], average: Average, seed: int
) -> Column:
    """Scores answers by the topics' relevant papers, with intervals."""
    scores = score(answers.run, {topic.query.id: topic.relevant for topic in topics}, measures, average)
    return Column(name, scores, intervals(scores, seed), answers, _calibration(answers, topics))


def _calibration(answers: Answers, topics: Sequence[Topic]) -> Calibration | None:
    judged = []
    for topic in topics:
        given = answers.probabilities.get(topic.query.id, ())
        papers = answers.run[topic.query.id].paper_ids[: len(given)] if given else ()
        judged.append([(sure, paper in topic.relevant) for sure, paper in zip(given, papers, strict=True)])
    return calibration(judged)


def measurable(names: Sequence[str], depth: int) -> tuple[list[str], list[str]]:
    """Splits measures into those that can be computed from rankings of `depth`, and those that need more.

    Raises QueryError for an unknown measure, and if none is left.
    """
    for name in names:
        parse(name)
    names = list(dict.fromkeys(names))
    kept = [name for name in names if cutoff(name) <= depth]
    if not kept:
        raise QueryError(
            f"no measure can be computed from {depth} candidates", hint=f"asked for: {', '.join(names)}"
        )
    return kept, [name for name in names if cutoff(name) > depth]

"""Runs a ranker on all queries of a benchmark and scores the answers.

The ranker is the one that serves users. Its answers are scored unchanged: nothing is added, and a relevant
paper that they lack is missed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.base.records import Candidate, Query
from citewhy_lab.evaluate.calibration import FIRST, Calibration, calibration
from citewhy_lab.evaluate.datasets.topics import Topic
from citewhy_lab.evaluate.making import peak_rss_mb
from citewhy_lab.evaluate.measures import Average, Scores, cutoff, parse, score
from citewhy_lab.evaluate.outcome import Column, Outcome, Section, number
from citewhy_lab.evaluate.plots import reliability_diagram, svg
from citewhy_lab.evaluate.runs import Ranking, Run, read_trec

_BAR = 34
"""Characters of a full bar."""


class Ranker(Protocol):
    """A ranker to be measured."""

    def rank(self, query: Query, k: int) -> Sequence[Candidate]:
        """Returns at most `k` candidates, best first, ties in order of paper id, no paper twice."""
        ...

    def pool_size(self, query: Query) -> int:
        """Computes the number of papers that `rank` chooses from."""
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
class JudgedAnswers:
    """A system's answers with their scores."""

    name: str
    scores: Scores
    seed: int
    """It is that of the intervals."""
    answers: Answers
    calibration: Calibration | None = None
    """None if the ranker gives no probabilities."""

    def seconds(self, percent: float) -> float | None:
        """Returns a percentile of the time of a query; None if it was not measured."""
        return float(numpy.percentile(self.answers.seconds, percent)) if self.answers.seconds else None

    def column(self) -> Column:
        """Makes the column of these answers in the table of an outcome, with intervals."""
        details = {
            "seconds_per_query": {"p50": self.seconds(50), "p95": self.seconds(95)},
            "calibration": self.calibration,
        }
        return Column.of(self.name, [self.scores], self.seed, "pipeline", details)


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
    """Returns the probabilities; none for a ranker without probabilities. Raises ValueError for invalid ones,
    and if only some candidates have one."""
    given = tuple(candidate.probability for candidate in candidates if candidate.probability is not None)
    if given and len(given) < len(candidates):
        raise ValueError("some candidates have a probability, and others none")
    for probability in given:
        if not 0 <= probability <= 1:
            raise ValueError(f"{probability!r} is no probability")
    return given


def judge(
    name: str, answers: Answers, topics: Sequence[Topic], measures: Sequence[str], average: Average, seed: int
) -> JudgedAnswers:
    """Scores answers by the topics' relevant papers, with intervals."""
    scores = score(answers.run, {topic.query.id: topic.relevant for topic in topics}, measures, average)
    return JudgedAnswers(name, scores, seed, answers, _calibration(answers, topics))


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


# Systems on the same queries ------------------------------------------------------------------------------


def check_baseline(baseline: str | None, pipelines: Collection[str]) -> None:
    """Raises QueryError for an invalid baseline, which would otherwise fail after minutes of work."""
    if baseline is not None and baseline not in pipelines and not Path(baseline).is_file():
        raise QueryError(
            f"the baseline {baseline!r} is neither a pipeline nor a file",
            hint=f"give a pipeline ({', '.join(pipelines)}), or the path of a TREC run file",
        )


@dataclass(frozen=True, slots=True)
class Asker:
    """The queries, and how answers are scored. `depth` candidates are requested."""

    topics: Sequence[Topic]
    depth: int
    measures: Sequence[str]
    average: Average
    seed: int
    ranker: Callable[[str], Ranker]
    """Makes the ranker of a pipeline; raises an error for unknown names."""
    canonical: Callable[[str], str | None]
    """The canonical id of a paper; None for an unknown id."""
    progress: Progress

    def outcome(
        self,
        task: str,
        file: str,
        pipeline: str,
        baseline: str | None,
        *,
        pool_kind: str,
        made: Mapping[str, Any],
        notes: Sequence[str] = (),
    ) -> Outcome:
        """Measures `pipeline`, and compares it with `baseline` (a pipeline, or the path of a run) if there is
        one."""
        system = self.pipeline(pipeline)
        memory = peak_rss_mb()  # of the measured pipeline, before a baseline adds its own
        other = None if baseline is None else self.baseline(baseline)
        relevant = [paper_id for topic in self.topics for paper_id in topic.relevant]
        head = {
            "queries": len(self.topics),
            "judgements": len(relevant),
            "average": self.average,
            "not_in_library": sum(self.canonical(paper_id) is None for paper_id in relevant),
            "pool": system.answers.pool,
            "pool_kind": pool_kind,
            "depth": self.depth,
        }
        return ranking_outcome(task, file, head, system, other, memory, notes, made)

    def pipeline(self, name: str) -> JudgedAnswers:
        """Runs all queries with a pipeline."""
        asked = len(self.topics)
        answers = collect(
            self.ranker(name),
            self.topics,
            self.depth,
            tick=lambda done: self.progress(f"{name}: {done:,} of {asked:,} queries", done / asked),
        )
        return self._judged(name, answers)

    def baseline(self, name: str) -> JudgedAnswers:
        """Returns a pipeline, or the run in a file, cut at `depth`. Raises QueryError for a run of other
        queries."""
        path = Path(name)
        if not path.is_file():
            return self.pipeline(name)
        run = {query: ranking.top(self.depth) for query, ranking in read_trec(path, self.canonical).items()}
        if not any(topic.query.id in run for topic in self.topics):
            raise QueryError(
                f"the run {path} contains none of these queries", hint="it belongs to another file or task"
            )
        return self._judged(path.name, Answers(run))

    def _judged(self, name: str, answers: Answers) -> JudgedAnswers:
        return judge(name, answers, self.topics, self.measures, self.average, self.seed)


# The outcome ----------------------------------------------------------------------------------------------


def ranking_outcome(
    task: str,
    file: str,
    head: Mapping[str, Any],
    system: JudgedAnswers,
    baseline: JudgedAnswers | None = None,
    peak_rss_mb: float | None = None,
    notes: Sequence[str] = (),
    made: Mapping[str, Any] | None = None,
) -> Outcome:
    """Makes the outcome of a task that asks for papers. `head` has the numbers of queries, of judgements, of
    papers in the pool, and how deep it was ranked."""
    calibrated = system.calibration
    return Outcome(
        task,
        file,
        head,
        system.column(),
        system.seed,
        None if baseline is None else baseline.column(),
        facts=_facts(head),
        costs=_costs(system, peak_rss_mb, tested=baseline is not None),
        notes=notes,
        sections=[] if calibrated is None else [Section("Calibration", calibration_lines(calibrated))],
        peak_rss_mb=peak_rss_mb,
        made=made or {},
        rankings=system.answers.run,
        draw=lambda: _reliability(system, f"{task}: {file}"),
    )


def _facts(head: Mapping[str, Any]) -> list[str]:
    unit = "each judgement" if head["average"] == "judgements" else "each query"
    facts = [
        f"{head['queries']:,} queries, {head['judgements']:,} judgements; {unit} counts once",
        f"pool: {head['pool']:,} papers ({head['pool_kind']}), ranked {head['depth']:,} deep",
    ]
    if missing := head["not_in_library"]:
        facts.append(f"{missing:,} judgements are of papers that the library does not have: missed")
    return facts


def _costs(system: JudgedAnswers, memory: float | None, tested: bool) -> list[str]:
    costs = [f"intervals: 95 %, bootstrap over queries{'; p: randomisation test' if tested else ''}"]
    median, high = system.seconds(50), system.seconds(95)
    if median is not None and high is not None:
        peak = "" if memory is None else f"; peak memory {memory:,.0f} MB"
        costs.append(f"{median * 1000:,.1f} ms a query, 95 % below {high * 1000:,.1f} ms{peak}")
    return costs


def _reliability(system: JudgedAnswers, title: str) -> str:
    """Draws the reliability diagram. Raises QueryError if the system has no probabilities."""
    if system.calibration is None:
        raise QueryError(
            f"{system.name} gives no probabilities, so that there is nothing to plot",
            hint="measure the pipeline full, or omit --plot",
        )
    return svg(reliability_diagram(system.calibration, f"{title}, {system.name}"))


def calibration_lines(measured: Calibration) -> list[str]:
    """Draws the reliability diagram in characters, and lists what thresholds leave."""
    return [
        f"ECE {number(measured.ece)}, Brier {number(measured.brier)}"
        f" (first {FIRST} candidates of each query: {measured.pairs:,})",
        "",
        "probability     count   mean  right  # share right, | mean probability",
        *(
            f"{f'{bin_.low:.1f}-{bin_.high:.1f}':11}  {bin_.count:8,}  {number(bin_.mean):>5}"
            f"  {number(bin_.right):>5}  {_bar(bin_.mean, bin_.right)}".rstrip()
            for bin_ in measured.bins
        ),
        "",
        "silent below   answered   first right   right in first 5",
        *(
            f"{number(level.threshold):>12}   {level.answered:8.1%}   {_share(level.first_right):>11}"
            f"   {_share(level.five_right):>16}"
            for level in measured.silence
        ),
    ]


def _bar(mean: float, right: float) -> str:
    letters = list(("#" * round(right * _BAR)).ljust(_BAR + 1))
    letters[round(mean * _BAR)] = "|"
    return "".join(letters)


def _share(value: float | None) -> str:
    return "–" if value is None else number(value)

"""Measures of the task `aspects`: rankings of a few papers for one aspect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from citewhy_lab.evaluate.measures import Doubles, Scores
from citewhy_lab.evaluate.outcome import Column, Outcome
from citewhy_lab.evaluate.runs import Ranking


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A system's answer to one question."""

    query_id: str
    aspect: str
    """The question asks for it: an intent, or a facet."""
    values: Mapping[str, float]
    """Each stands under its measure; all questions have the same measures."""
    ranking: Sequence[str] = ()
    """The candidates, best first."""


@dataclass(frozen=True, slots=True)
class MeasuredSystem:
    """A system's answers to all questions."""

    name: str
    answers: Sequence[AnsweredQuestion]

    def scores(self, aspect: str = "") -> Scores:
        """Collects the values of one aspect, or of all; each question counts once. The names of the measures
        end with the aspect."""
        chosen = [answer for answer in self.answers if aspect in ("", answer.aspect)]
        names = list(chosen[0].values) if chosen else []
        end = f"/{aspect}" if aspect else ""
        sums: dict[str, Doubles] = {
            f"{name}{end}": numpy.array([answer.values[name] for answer in chosen], dtype=numpy.float64)
            for name in names
        }
        return Scores(tuple(answer.query_id for answer in chosen), numpy.ones(len(chosen)), sums)

    def column(self, aspects: Sequence[str], seed: int) -> Column:
        """Makes the column of the measures of each aspect that was asked for, and of all."""
        scores = [self.scores(aspect) for aspect in (*aspects, "")]
        return Column.of(self.name, [some for some in scores if some.query_ids], seed)


def pairs_in_order(relevant: NDArray[Any], others: NDArray[Any]) -> float:
    """Computes the share of the pairs of a relevant paper and another one in which the relevant one has the
    higher score; equal scores count half. `relevant` [r] and `others` [o] are the scores, neither empty."""
    difference = relevant[:, None] - others[None, :]
    return float((difference > 0).mean() + (difference == 0).mean() / 2)


def average_precision(relevant: NDArray[Any], others: NDArray[Any]) -> float:
    """Computes the average precision of the ranking by the scores; at equal scores, the other papers come
    first."""
    best_first = numpy.sort(relevant)[::-1]
    hits = numpy.arange(1, len(best_first) + 1)
    ahead = (others[None, :] >= best_first[:, None]).sum(axis=1)
    return float((hits / (hits + ahead)).mean())


def aspect_outcome(
    file: str,
    aspects: Sequence[str],
    system: MeasuredSystem,
    seed: int,
    baseline: MeasuredSystem | None = None,
    notes: Sequence[str] = (),
    made: Mapping[str, Any] | None = None,
    peak_rss_mb: float | None = None,
) -> Outcome:
    """Makes the outcome of the task, with the `aspects` in the order of the rows of the table."""
    counts = {aspect: len(system.scores(aspect).query_ids) for aspect in aspects}
    by_aspect = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    rankings = {
        answer.query_id: Ranking(
            tuple(answer.ranking), [-float(rank) for rank in range(1, len(answer.ranking) + 1)]
        )
        for answer in system.answers
        if answer.ranking
    }
    return Outcome(
        "aspects",
        file,
        {"queries": len(system.answers), "by_aspect": counts, "average": "queries"},
        system.column(aspects, seed),
        seed,
        None if baseline is None else baseline.column(aspects, seed),
        facts=[
            f"{len(system.answers):,} questions ({by_aspect}); each counts once",
            "intervals: 95 %, bootstrap over questions; p: randomisation test",
        ],
        notes=notes,
        made=made or {},
        peak_rss_mb=peak_rss_mb,
        rankings=rankings or None,
    )

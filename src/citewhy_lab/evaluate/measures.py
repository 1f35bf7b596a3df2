"""Measures of a run against judgements, computed by `ir_measures`.

Two averages. Over *queries* (macro): each query counts once, whatever the number of its relevant papers. Over
*judgements* (micro): each pair of a query and a relevant paper counts once, and its value is computed as if
that paper were the only relevant one, in the query's ranking as it stands: the other relevant papers keep
their places, so the second of two can at best be second.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import ir_measures
import numpy
from numpy.typing import NDArray

from citewhy.base.errors import QueryError
from citewhy_lab.evaluate.runs import Run

Average = Literal["judgements", "queries"]
Doubles = NDArray[numpy.float64]

KNOWN = ("R", "RR", "AP", "nDCG", "P", "Rprec", "Success", "F1")
"""Names of measures; with ``@`` and a depth if the measure needs one."""

_NEEDS_CUTOFF = ("R", "P", "Success", "F1")
_NAME = re.compile(r"([A-Za-z]+1?)(?:@([1-9][0-9]{0,8}))?")
_BLOCK = 256
"""Units given to `ir_measures` at a time, which bounds the memory."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Values by query, so that the average of any resample of queries can be computed.

    `sums[name][i]` is the sum over the units of query i (its judgements, or the query itself), `weights[i]`
    their number; all arrays have one element for each query, in the order of `query_ids`.
    """

    query_ids: tuple[str, ...]
    weights: Doubles
    sums: Mapping[str, Doubles]

    def means(self) -> dict[str, float]:
        total = self.weights.sum()
        return {name: float(values.sum() / total) for name, values in self.sums.items()}


def parse(name: str) -> tuple[Any, ...]:
    """Returns the `ir_measures` measures that make the one with a name such as ``nDCG@10``: precision and
    recall for ``F1@k``, which is their harmonic mean for each unit, else that measure alone. Raises
    QueryError for one that is not in `KNOWN`."""
    parts = _NAME.fullmatch(name)
    if parts is None or parts[1] not in KNOWN or (parts[1] == "Rprec" and parts[2]):
        raise QueryError(
            f"there is no measure {name!r}",
            hint=f"known: {', '.join(KNOWN)}, with a depth as in R@10 or nDCG@10",
        )
    if parts[2] is None and parts[1] in _NEEDS_CUTOFF:
        raise QueryError(f"measure {name} needs a depth", hint=f"for instance {name}@10")
    names = ("P", "R") if parts[1] == "F1" else (parts[1],)
    made = (getattr(ir_measures, each) for each in names)
    return tuple(measure @ int(parts[2]) if parts[2] else measure for measure in made)


def cutoff(name: str) -> int:
    """Returns the depth of a measure; 0 if it considers the whole ranking."""
    return int(name.partition("@")[2] or 0)


def score(run: Run, relevant: Mapping[str, Sequence[str]], names: Sequence[str], average: Average) -> Scores:
    """Scores every query of `relevant`; a query without an answer scores zero, as does a missed paper.

    A relevant paper that is listed twice counts once. Queries of the run without judgements are ignored.
    Raises QueryError for an unknown measure, and if there is nothing to score.
    """
    measures = {name: parse(name) for name in names}
    wanted = list(dict.fromkeys(measure for parts in measures.values() for measure in parts))
    gold = {query: list(dict.fromkeys(papers)) for query, papers in relevant.items()}
    if not gold or not all(gold.values()):
        raise QueryError("there is nothing to score: no query, or a query without a relevant paper")
    units = list(_units(gold, average))
    sums = {name: numpy.zeros(len(gold)) for name in names}
    for start in range(0, len(units), _BLOCK):
        block = units[start : start + _BLOCK]
        values = {
            (int(metric.query_id), metric.measure): metric.value for metric in _calculate(block, run, wanted)
        }
        for number, unit in enumerate(block):
            for name, parts in measures.items():
                sums[name][unit.query] += _joined([values.get((number, part), 0.0) for part in parts])
    weights = [len(papers) if average == "judgements" else 1 for papers in gold.values()]
    return Scores(tuple(gold), numpy.array(weights, dtype=numpy.float64), sums)


def _joined(values: Sequence[float]) -> float:
    """Returns the harmonic mean, 0 if one of them is."""
    return len(values) / sum(1 / value for value in values) if all(values) else 0.0


@dataclass(frozen=True, slots=True)
class _Unit:
    query: int
    query_id: str
    relevant: Sequence[str]


def _units(gold: Mapping[str, Sequence[str]], average: Average) -> list[_Unit]:
    if average == "queries":
        return [_Unit(number, query, papers) for number, (query, papers) in enumerate(gold.items())]
    return [
        _Unit(number, query, (paper,))
        for number, (query, papers) in enumerate(gold.items())
        for paper in papers
    ]


def _calculate(units: Sequence[_Unit], run: Run, measures: Sequence[Any]) -> Any:
    """Runs `ir_measures` on `units`, identified by their number.

    It sorts by score and breaks ties in its own way, so it is given minus the rank instead of the score.
    """
    judgements = {str(number): dict.fromkeys(unit.relevant, 1) for number, unit in enumerate(units)}
    answers: dict[str, dict[str, float]] = {}
    for number, unit in enumerate(units):
        if ranking := run.get(unit.query_id):
            answers[str(number)] = {
                paper: -float(rank) for rank, paper in enumerate(ranking.paper_ids, start=1)
            }
    return ir_measures.iter_calc(measures, judgements, answers)

"""Common parts of the pages of the experiments on rerankers: a table for each way of counting, and its
text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy_lab.evaluate.making import library_facts, made
from citewhy_lab.evaluate.significance import Difference, crossed
from citewhy_lab.experiments.reranking import Lab
from citewhy_lab.experiments.result import Result, Table, shown
from citewhy_lab.experiments.trials import SEEDS, Prefilter, Trial
from citewhy_lab.experiments.ways import AT, EXPLANATIONS, WAYS, Judged, Way, summary

__all__ = ["COLUMNS", "SMALL", "differs", "facts", "mean", "page", "said", "tables"]

COLUMNS = ("R@10", "± R@10", "RR", "± RR")

SMALL = (
    "Scale small: networks, contexts and candidates are as many as two cores get through in minutes. Large"
    " differences tell something; what lies within the spread of the seeds does not."
)


def tables(
    title: str, rows: Mapping[str, Trial], lab: Lab, first_stages: Sequence[Prefilter] = ("BM25",)
) -> list[Table]:
    """A table for each way of counting; the first column has the name of the trial. The orders of the first
    stages come first."""
    found = {f"{name} alone": [lab.order(name)] for name in first_stages}
    found |= {name: lab.judged(trial) for name, trial in rows.items()}
    return [
        Table(
            f"{title}, {way}",
            ["", "cited papers", *COLUMNS],
            [[name, len(runs[0].judged(way)), *summary(runs, way)] for name, runs in found.items()],
            [
                f"{EXPLANATIONS[way].capitalize()}. {len(lab.test):,} test contexts;"
                f" {lab.scale.settings.depth:,} candidates of a pool of {lab.bench.pool:,},"
                f" by {lab.stages()};"
                f" mean and standard deviation (±) of {SEEDS} trainings."
            ],
        )
        for way in WAYS
    ]


def differs(first: Sequence[Judged], second: Sequence[Judged], way: Way) -> tuple[Difference, Difference]:
    """First minus second in R@10 and RR, with intervals over cited papers and seeds."""

    def values(runs: Sequence[Judged], of: Callable[[float], float]) -> NDArray[np.float64]:
        return np.array([[of(place) for place in each.judged(way)] for each in runs]).T

    hits, ranks = (
        crossed(values(first, of) - values(second, of))
        for of in (lambda place: float(place <= AT), lambda place: 1 / place)
    )
    return hits, ranks


def said(found: Difference) -> str:
    """``+.012 (-.003 to .027)``"""
    sign = "+" if found.value >= 0 else ""
    return f"{sign}{shown(found.value)} ({shown(found.low)} to {shown(found.high)})"


def mean(lab: Lab, trial: Trial, measure: str, way: Way = "counted") -> float:
    """Over seeds; `measure` is ``R@10`` or ``RR``."""
    runs = lab.judged(trial)
    values = [each.recall(way) if measure == "R@10" else each.reciprocal(way) for each in runs]
    return sum(values) / len(values)


def facts(rows: Mapping[str, Trial], lab: Lab) -> dict[str, Any]:
    """The figures of every seed of every trial."""
    return {
        "trials": {
            name: [
                {way: {"R@10": run.recall(way), "RR": run.reciprocal(way)} for way in WAYS}
                for run in lab.judged(trial)
            ]
            for name, trial in rows.items()
        }
    }


def page(
    title: str, summary: Sequence[str], parts: Sequence[Table], rows: Mapping[str, Trial], lab: Lab
) -> Result:
    """The whole result with its provenance."""
    return Result(
        title=f"{title}: {lab.bench.data.name}",
        summary=[*([SMALL] if lab.setup.scale == "small" else []), *lab.bench.data.notes, *summary],
        tables=parts,
        facts=facts(rows, lab),
        made=_made(lab),
    )


def _made(lab: Lab) -> dict[str, Any]:
    bench, setup = lab.bench, lab.setup
    options = {"scale": setup.scale, "first_stages": lab.stages()}
    return made(bench.data.files, None, library_facts(bench.library), options, setup.seed)

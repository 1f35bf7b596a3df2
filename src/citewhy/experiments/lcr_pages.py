"""Common parts of the pages of the experiments on rerankers: a table for each way of counting, and its
text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from citewhy.evaluate.making import library_facts, made
from citewhy.experiments.reranking import SEEDS, Lab, Trial
from citewhy.experiments.result import Result, Table
from citewhy.experiments.ways import EXPLANATIONS, WAYS, Way, summary

__all__ = ["COLUMNS", "SMALL", "facts", "mean", "page", "tables"]

COLUMNS = ("R@10", "± R@10", "RR", "± RR")

SMALL = (
    "Scale small: networks, contexts and candidates are as many as two cores get through in minutes. Large"
    " differences tell something; what lies within the spread of the seeds does not."
)


def tables(title: str, rows: Mapping[str, Trial], lab: Lab) -> list[Table]:
    """A table for each way of counting; the first column has the name of the trial."""
    found = {name: lab.judged(trial) for name, trial in rows.items()}
    asked = len(next(iter(found.values()))[0].counted)
    counts = (
        f"{asked:,} cited papers of {len(lab.test):,} test contexts; {lab.scale.settings.depth:,} candidates"
        f" of a pool of {lab.bench.pool:,}, by {lab.stages()}; mean and standard deviation (±)"
        f" of {SEEDS} trainings."
    )
    return [
        Table(
            f"{title}, {way}",
            ["", *COLUMNS],
            [[name, *summary(runs, way)] for name, runs in found.items()],
            [f"{EXPLANATIONS[way].capitalize()}. {counts}"],
        )
        for way in WAYS
    ]


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

"""Experiment `pcr`: papers for a paragraph, by title, abstract and topic sentence.

Table 6.2 of Medić (2023), which is table 1 of Medić and Šnajder (2023): the start encoder without and with
the topic sentence, trained on whole papers, on triplets, and on quadruplets (QPCR).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

import numpy as np

from citewhy.base.progress import Progress
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.evaluate.making import made
from citewhy_lab.evaluate.significance import Difference, crossed
from citewhy_lab.experiments import Experiment, Setup
from citewhy_lab.experiments.paragraphs import FILES, MEASURES, Found, Lab, open_lab, scored
from citewhy_lab.experiments.result import Cell, Result, Table, shown
from citewhy_lab.train.systems.qpcr.settings import Variant

__all__ = ["EXPERIMENT", "ROWS", "by_seed", "comparisons", "differences", "figures", "gains", "provenance"]

ROWS: Mapping[Variant, tuple[str, tuple[float, ...]]] = {
    "base": ("BASE: title and abstract, not trained", (0.0692, 0.0847, 0.1270, 0.1732)),
    "ts": ("TS: with the topic sentence, not trained", (0.0762, 0.0986, 0.1458, 0.1923)),
    "aclrw": ("ACLRW: trained on whole papers", (0.0761, 0.0987, 0.1477, 0.1921)),
    "tri": ("TRI: trained on triplets", (0.0763, 0.0957, 0.1458, 0.1930)),
    "qpcr": ("QPCR: trained on quadruplets", (0.0800, 0.1021, 0.1519, 0.2005)),
}
"""Name, and the source's figures for `MEASURES`."""


def run(files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
    lab = open_lab(files, setup, progress)
    runs: dict[Variant, list[Found]] = {variant: lab.runs(variant) for variant in ROWS}
    pairs: list[tuple[Variant, Variant]] = [(variant, "ts") for variant in ROWS if variant != "ts"]
    pairs += [("qpcr", "tri"), ("qpcr", "aclrw")]
    compared: dict[tuple[str, str], Mapping[str, Difference]] = {
        pair: differences(runs[pair[0]], runs[pair[1]], lab) for pair in pairs
    }
    return Result(
        title="Papers for a paragraph",
        summary=_summary(compared, lab, setup),
        tables=[_table(runs, lab), comparisons(compared)],
        facts={"seeds": {variant: by_seed(found, lab) for variant, found in runs.items()}},
        made=provenance(lab, setup),
    )


EXPERIMENT = Experiment(FILES, run)


def differences(first: Sequence[Found], second: Sequence[Found], lab: Lab) -> dict[str, Difference]:
    """First minus second in each of `MEASURES`, over questions and seeds. A system that is not trained is the
    same for each seed."""
    one, other = scored(first, lab.topics), scored(second, lab.topics)
    size = max(len(one), len(other))
    return {
        name: crossed(
            np.array(
                [one[at % len(one)].sums[name] - other[at % len(other)].sums[name] for at in range(size)]
            ).T
        )
        for name in MEASURES
    }


def provenance(lab: Lab, setup: Setup) -> dict[str, object]:
    options = {"scale": setup.scale, "seeds": list(lab.scale.seeds), **lab.sizes}
    return made([*lab.collection.files.values(), *lab.files.values()], None, None, options, setup.seed)


def _table(runs: Mapping[Variant, Sequence[Found]], lab: Lab) -> Table:
    systems = {ROWS[variant][0]: (found, ROWS[variant][1]) for variant, found in runs.items()}
    table = figures(systems, lab, "Table 6.2")
    note = (
        " The source has 2,148 paragraphs, 7,773 for training, 94,129 candidates, and another encoder: only"
        " the order can be compared."
    )
    return replace(table, notes=[table.notes[0] + note])


def figures(
    runs: Mapping[str, tuple[Sequence[Found], Sequence[float] | None]], lab: Lab, title: str
) -> Table:
    """The measures of systems by name, with intervals, and with the source's figures where it has some."""
    sourced = any(source for _, source in runs.values())
    parts = ("", "95 %", "±", "source") if sourced else ("", "95 %", "±")
    columns = [part or name for name in MEASURES for part in parts]
    rows = [[name, *_figures(found, source, lab)] for name, (found, source) in runs.items()]
    sizes = lab.sizes
    judged = sum(len(topic.relevant) for topic in lab.topics)
    note = (
        f"{sizes['asked']:,} paragraphs, {judged:,} relevant papers, {len(lab.pool):,} candidates;"
        f" {sizes['taught']:,} paragraphs for training, {sizes['held']:,} for validation. Means over"
        f" {len(lab.scale.seeds)} seeds with 95 % intervals by the bootstrap over paragraphs; ±: standard"
        " deviation over seeds."
    )
    return Table(title, ["", *columns], rows, [note])


def _figures(found: Sequence[Found], source: Sequence[float] | None, lab: Lab) -> list[Cell]:
    scores = scored(found, lab.topics)
    cells: list[Cell] = []
    for place, name in enumerate(MEASURES):
        means = [each.means()[name] for each in scores]
        values = np.mean([each.sums[name] for each in scores], axis=0)
        low, high = interval(resampled_means(values, np.ones(len(values)), lab.seed))
        spread = stdev(means) if len(means) > 1 else None
        cells += [fmean(means), f"{shown(low)} to {shown(high)}", spread]
        cells += [source[place]] if source else []
    return cells


def comparisons(compared: Mapping[tuple[str, str], Mapping[str, Difference]]) -> Table:
    rows: list[list[Cell]] = [
        [f"{first} − {second}, {name}", found.value, found.low, found.high, found.p]
        for (first, second), by_measure in compared.items()
        for name, found in by_measure.items()
    ]
    note = "Paired by paragraph; 95 % intervals and p with paragraphs and seeds as drawn at random."
    return Table("Comparisons", ["first − second", "difference", "low", "high", "p"], rows, [note])


def by_seed(found: Sequence[Found], lab: Lab) -> list[dict[str, float]]:
    return [each.means() for each in scored(found, lab.topics)]


def _summary(
    compared: Mapping[tuple[str, str], Mapping[str, Difference]], lab: Lab, setup: Setup
) -> list[str]:
    small = (
        f"Scale small: {lab.sizes['taught']} training paragraphs, {len(lab.pool):,} candidates and one epoch,"
        " to see that everything works. Its figures say nothing about the systems."
    )
    return [
        *([small] if setup.scale == "small" else []),
        f"QPCR against its start encoder with the same query: {gains(compared['qpcr', 'ts'])}.",
    ]


def gains(compared: Mapping[str, Difference]) -> str:
    return ", ".join(
        f"{name} {'+' if found.value >= 0 else ''}{shown(found.value)} ({shown(found.low)} to"
        f" {shown(found.high)})"
        for name, found in compared.items()
    )

"""Experiment `lcr-negatives`: which negatives train a reranker best?

Tables 5.5 and 5.6 of Medić (2023, section 5.3): every strategy in both regimes, with easy negatives beside
the hard ones, and with hard ones only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np

from citewhy.base.progress import Progress
from citewhy_lab.experiments.engine import Cell, Result, Setup, Table, shown, signed
from citewhy_lab.experiments.lcr_regimes import NETWORKS, PREFILTERS
from citewhy_lab.experiments.reranking import (
    SEEDS,
    Prefilter,
    RerankerLab,
    Trial,
    differs,
    mean,
    open_lab,
    page,
    tables,
    tests,
)
from citewhy_lab.experiments.significance import Difference
from citewhy_lab.train.recipe import Regime
from citewhy_lab.train.sampling.mixes import Strategy
from citewhy_lab.train.systems.textbib.settings import Variant

STRATEGIES = (
    "random",
    "prefiltered",
    "neighbours",
    "most-cited",
    "cited",
    "neighbours (only)",
    "cited (only)",
)
"""The strategies of the source."""

IN_TABLE: Mapping[Regime, Sequence[str]] = {
    "standard": STRATEGIES,
    "strict": ("random", "prefiltered", "neighbours", "cited", "cited (only)"),
}
"""For the strict regime the source gives only those that were best in the standard one."""

WITH_NEIGHBOURS = ("random", "neighbours", "neighbours (only)")
"""These are also trained only on contexts with `ENOUGH` graph neighbours, the same for all three."""

ENOUGH: tuple[Strategy, int] = ("neighbours", 10)
"""It is as many as ``neighbours (only)`` draws."""

ONLY: Mapping[str, str] = {"neighbours (only)": "neighbours", "cited (only)": "cited"}
"""Hard negatives alone, and the same with easy ones beside them."""

TABLES: Mapping[Regime, str] = {"standard": "Table 5.5", "strict": "Table 5.6"}


def run(files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
    """Trains every strategy in both regimes, and compares it with random negatives."""
    with open_lab(files, setup, progress) as lab:
        parts: list[Table] = []
        every: dict[str, Trial] = {}
        findings: list[str] = []
        for regime, title in TABLES.items():
            rows = {
                f"{prefilter}, {network}, {strategy}": Trial(
                    network, prefilter, regime, strategy, lab.scale.usual
                )
                for prefilter, network, strategy in product(PREFILTERS, NETWORKS, IN_TABLE[regime])
            }
            parts += tables(f"{title}: {regime} regime", rows, lab, PREFILTERS)
            every |= {f"{name}, {regime}": trial for name, trial in rows.items()}
            for prefilter, network in product(PREFILTERS, NETWORKS):
                own = {s: rows[f"{prefilter}, {network}, {s}"] for s in IN_TABLE[regime]}
                findings.append(f"{regime.capitalize()} regime, {prefilter}, {network}: {_finding(own, lab)}")
        rows = _with_neighbours(lab)
        every |= {f"{name}, contexts with enough neighbours": trial for name, trial in rows.items()}
        with_enough = f"Contexts with {ENOUGH[1]} graph neighbours or more"
        parts += [_tests(lab), _fill(lab), *tables(with_enough, rows, lab)]
        findings.append(f"{with_enough}: {_finding(rows, lab)}")
        return page("Negatives", findings, parts, every, lab)


def _with_neighbours(lab: RerankerLab) -> dict[str, Trial]:
    """Returns the trials by strategy."""
    return {
        strategy: Trial(NETWORKS[1], "BM25", "standard", strategy, lab.scale.usual, ENOUGH)
        for strategy in WITH_NEIGHBOURS
    }


def _tests(lab: RerankerLab) -> Table:
    """Tests every strategy against random negatives, against the order of the first stage, hard negatives
    alone against hard and easy ones, and the strict regime against the standard one."""
    rows: dict[str, tuple[Difference, Difference]] = {}
    for regime, prefilter, network in product(TABLES, PREFILTERS, NETWORKS):
        trials = {s: Trial(network, prefilter, regime, s, lab.scale.usual) for s in IN_TABLE[regime]}
        rows |= _against(f"{regime}, {prefilter}, {network}", trials, lab)
    for prefilter, network in product(PREFILTERS, NETWORKS):
        rows |= _between_regimes(prefilter, network, lab)
    rows |= _against(f"with {ENOUGH[1]} graph neighbours, BM25, {NETWORKS[1]}", _with_neighbours(lab), lab)
    return tests(
        rows,
        "Solved. Differences of means over seeds, with 95 % intervals and two-sided p-values that take cited"
        " papers and seeds as drawn at random (quasi-F for two crossed random effects).",
    )


def _against(
    name: str, trials: Mapping[str, Trial], lab: RerankerLab
) -> dict[str, tuple[Difference, Difference]]:
    """Tests the strategies of one network after one first stage."""
    rows: dict[str, tuple[Difference, Difference]] = {}
    prefilter = trials["random"].prefilter
    orders = [lab.order(prefilter)] * SEEDS
    for strategy, trial in trials.items():
        others = {f"{prefilter} alone": orders}
        if strategy != "random":
            others["random"] = lab.runs(trials["random"])
        if (mixed := ONLY.get(strategy, "")) in trials:
            others[mixed] = lab.runs(trials[mixed])
        for other, against in others.items():
            differences = differs(lab.runs(trial), against, "solved")
            rows[f"{name}, {strategy}, against {other}"] = differences
    return rows


def _between_regimes(
    prefilter: Prefilter, network: Variant, lab: RerankerLab
) -> dict[str, tuple[Difference, Difference]]:
    """Tests every strategy of table 5.6 in the strict regime against the same in the standard one."""
    rows: dict[str, tuple[Difference, Difference]] = {}
    for strategy in IN_TABLE["strict"]:
        strict, standard = (
            lab.runs(Trial(network, prefilter, regime, strategy, lab.scale.usual))
            for regime in ("strict", "standard")
        )
        rows[f"{prefilter}, {network}, {strategy}, strict against standard"] = differs(
            strict, standard, "solved"
        )
    return rows


def _finding(trials: Mapping[str, Trial], lab: RerankerLab) -> str:
    means = {name: mean(lab, trial, "solved") for name, trial in trials.items()}
    best, worst = max(means, key=lambda name: means[name]), min(means, key=lambda name: means[name])
    extremes = []
    for name in (best, worst):
        _, ranks = differs(lab.runs(trials[name]), lab.runs(trials["random"]), "solved")
        extremes.append(f"{name} {shown(means[name])}, against random {signed(ranks)}")
    return (
        f"RR, solved, random {shown(means['random'])}; highest: {extremes[0]}; lowest: {extremes[1]}."
        " Intervals of 95 % over cited papers and seeds, not corrected for the choice of the extremes."
    )


def _fill(lab: RerankerLab) -> Table:
    """Counts the hard negatives that there are. Where there are too few, easy ones take their places."""
    by_strategy = lab.hard_counts(HARD)
    rows: list[list[Cell]] = [
        [
            name,
            *(float(np.mean(counts >= least)) for least in (1, 5, 10)),
            float(np.minimum(counts, 5).mean() / 5),
        ]
        for name, counts in by_strategy.items()
    ]
    heads = ["strategy", "share with 1", "with 5", "with 10", "of 5, filled"]
    note = (
        f"Of {len(lab.train):,} training contexts, after BM25. Missing hard negatives are replaced by easy"
        " ones."
    )
    return Table("Hard negatives that there are", heads, rows, [note])


HARD: tuple[Strategy, ...] = ("prefiltered", "neighbours", "most-cited", "cited")

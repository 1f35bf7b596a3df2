"""Experiment `lcr-negatives`: which negatives train a reranker best?

Tables 5.5 and 5.6 of Medić (2023, section 5.3): every strategy in both regimes, with easy negatives beside
the hard ones, and with hard ones only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

from citewhy.experiments import Experiment, Setup
from citewhy.experiments.lcr_pages import mean, page, tables
from citewhy.experiments.lcr_regimes import NETWORKS, PREFILTERS
from citewhy.experiments.reranking import Lab, Trial, open_lab
from citewhy.experiments.result import Result, Table
from citewhy.progress import Tell
from citewhy.systems.textbib.settings import Regime

__all__ = ["EXPERIMENT"]

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

TABLES: Mapping[Regime, str] = {"standard": "Table 5.5", "strict": "Table 5.6"}


def run(files: Sequence[Path], setup: Setup, tell: Tell) -> Result:
    small = setup.scale == "small"
    prefilters, networks = (PREFILTERS[:1], NETWORKS[1:]) if small else (PREFILTERS, NETWORKS)
    with open_lab(files, setup, tell) as lab:
        parts: list[Table] = []
        every: dict[str, Trial] = {}
        findings: list[str] = []
        for regime, title in TABLES.items():
            rows = {
                f"{prefilter}, {network}, {strategy}": Trial(network, prefilter, regime, strategy)
                for prefilter, network, strategy in product(prefilters, networks, STRATEGIES)
            }
            parts += tables(f"{title}: {regime} regime", rows, lab)
            every |= {f"{name}, {regime}": trial for name, trial in rows.items()}
            for prefilter, network in product(prefilters, networks):
                own = {s: rows[f"{prefilter}, {network}, {s}"] for s in STRATEGIES}
                findings.append(f"{regime.capitalize()} regime, {prefilter}, {network}: {_finding(own, lab)}")
        return page("Negatives", findings, parts, every, lab)


EXPERIMENT = Experiment("the folder of a data set: docs/local.md", run)


def _finding(trials: Mapping[str, Trial], lab: Lab) -> str:
    found = {name: mean(lab, trial, "RR", "solved") for name, trial in trials.items()}
    best, worst = max(found, key=lambda name: found[name]), min(found, key=lambda name: found[name])
    return (
        f"{best} is best (RR, solved, {found[best]:.3f}), {worst} worst ({found[worst]:.3f}); random has"
        f" {found['random']:.3f}."
    )

"""Experiment `lcr-regimes`: should a reranker be trained on contexts whose cited paper the first stage
misses?

Table 5.4 of Medić (2023, section 5.2): the standard regime uses all contexts, the strict one only those whose
cited paper is among the candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

from citewhy.experiments import Experiment, Setup
from citewhy.experiments.lcr_pages import mean, page, tables
from citewhy.experiments.reranking import Lab, Prefilter, Trial, open_lab
from citewhy.experiments.result import Result
from citewhy.progress import Tell
from citewhy.systems.textbib.shape import Variant

__all__ = ["EXPERIMENT"]

NETWORKS: tuple[Variant, ...] = ("TEXTENH", "TEXTBIBENH-WS")
PREFILTERS: tuple[Prefilter, ...] = ("BM25", "dense")


def run(files: Sequence[Path], setup: Setup, tell: Tell) -> Result:
    with open_lab(files, setup, tell) as lab:
        rows = {
            f"{prefilter}, {network}, {trial.regime}": trial
            for prefilter, network in product(PREFILTERS, NETWORKS)
            for trial in _both(prefilter, network)
        }
        return page("Training regimes", [_finding(lab)], tables("Table 5.4", rows, lab), rows, lab)


EXPERIMENT = Experiment("the folder of a data set: docs/local.md", run)


def _both(prefilter: Prefilter, network: Variant) -> tuple[Trial, Trial]:
    return Trial(network, prefilter, "standard"), Trial(network, prefilter, "strict")


def _finding(lab: Lab) -> str:
    gains = [
        f"{mean(lab, strict, 'R@10', 'solved') - mean(lab, standard, 'R@10', 'solved'):+.3f} in R@10 and"
        f" {mean(lab, strict, 'RR', 'solved') - mean(lab, standard, 'RR', 'solved'):+.3f} in RR"
        f" ({prefilter}, {network})"
        for prefilter, network in product(PREFILTERS, NETWORKS)
        for standard, strict in (_both(prefilter, network),)
    ]
    return f"Strict against standard, judged where the first stage solved: {', '.join(gains)}."

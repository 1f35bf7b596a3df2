"""Experiment `lcr-regimes`: should a reranker be trained on contexts whose cited paper the first stage
misses?

Table 5.4 of Medić (2023, section 5.2): the standard regime uses all contexts, the strict one only those whose
cited paper is among the candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

from citewhy.base.progress import Progress
from citewhy_lab.experiments import Experiment, Setup
from citewhy_lab.experiments.lcr_pages import differs, page, said, tables
from citewhy_lab.experiments.reranking import Lab, open_lab
from citewhy_lab.experiments.result import Cell, Result, Table
from citewhy_lab.experiments.trials import Prefilter, Trial
from citewhy_lab.train.systems.textbib.shape import Variant

__all__ = ["EXPERIMENT"]

NETWORKS: tuple[Variant, ...] = ("TEXTENH", "TEXTBIBENH-WS")
PREFILTERS: tuple[Prefilter, ...] = ("BM25", "dense")


def run(files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
    with open_lab(files, setup, progress) as lab:
        rows = {
            f"{prefilter}, {network}, {trial.regime}": trial
            for prefilter, network in product(PREFILTERS, NETWORKS)
            for trial in _both(lab, prefilter, network)
        }
        parts = [_sizes(lab), *tables("Table 5.4", rows, lab, PREFILTERS)]
        return page("Training regimes", [_finding(lab)], parts, rows, lab)


EXPERIMENT = Experiment("the folder of a data set: docs/local.md", run)


def _both(lab: Lab, prefilter: Prefilter, network: Variant) -> tuple[Trial, Trial]:
    window = lab.scale.usual
    return (
        Trial(network, prefilter, "standard", window=window),
        Trial(network, prefilter, "strict", window=window),
    )


def _sizes(lab: Lab) -> Table:
    rows: list[list[Cell]] = [
        ["standard", *(sum(len(e.cited_ids) for e in part) for part in (lab.train, lab.test))]
    ]
    rows += [[f"strict, {prefilter}", *lab.solved(prefilter)] for prefilter in PREFILTERS]
    note = "Pairs of a context and a cited paper; strict: those whose paper is among the candidates."
    return Table("Sizes of the training and test sets", ["", "train", "test"], rows, [note])


def _finding(lab: Lab) -> str:
    gains = []
    for prefilter, network in product(PREFILTERS, NETWORKS):
        standard, strict = (lab.judged(trial) for trial in _both(lab, prefilter, network))
        hits, ranks = differs(strict, standard, "solved")
        gains.append(f"{said(hits)} in R@10 and {said(ranks)} in RR ({prefilter}, {network})")
    return (
        f"Strict against standard, judged where the first stage solved: {', '.join(gains)}; 95 % intervals"
        " over cited papers and seeds."
    )

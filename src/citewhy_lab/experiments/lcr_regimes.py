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
from citewhy_lab.experiments.engine import Cell, Result, Setup, Table, signed
from citewhy_lab.experiments.reranking import (
    Prefilter,
    RerankerLab,
    Trial,
    differs,
    open_lab,
    page,
    tables,
)
from citewhy_lab.train.systems.textbib.settings import Variant

NETWORKS: tuple[Variant, ...] = ("TEXTENH", "TEXTBIBENH-WS")
PREFILTERS: tuple[Prefilter, ...] = ("BM25", "dense")


def run(files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
    """Trains both networks in both regimes, after both first stages."""
    with open_lab(files, setup, progress) as lab:
        rows = {
            f"{prefilter}, {network}, {trial.regime}": trial
            for prefilter, network in product(PREFILTERS, NETWORKS)
            for trial in _both(lab, prefilter, network)
        }
        parts = [_sizes(lab), *tables("Table 5.4", rows, lab, PREFILTERS)]
        return page("Training regimes", [_finding(lab)], parts, rows, lab)


def _both(lab: RerankerLab, prefilter: Prefilter, network: Variant) -> tuple[Trial, Trial]:
    window = lab.scale.usual
    return (
        Trial(network, prefilter, "standard", window=window),
        Trial(network, prefilter, "strict", window=window),
    )


def _sizes(lab: RerankerLab) -> Table:
    rows: list[list[Cell]] = [
        ["standard", *(sum(len(context.cited_ids) for context in part) for part in (lab.train, lab.test))]
    ]
    rows += [[f"strict, {prefilter}", *lab.solved(prefilter)] for prefilter in PREFILTERS]
    note = "Pairs of a context and a cited paper; strict: those whose paper is among the candidates."
    return Table("Sizes of the training and test sets", ["", "train", "test"], rows, [note])


def _finding(lab: RerankerLab) -> str:
    gains = []
    for prefilter, network in product(PREFILTERS, NETWORKS):
        standard, strict = (lab.runs(trial) for trial in _both(lab, prefilter, network))
        hits, ranks = differs(strict, standard, "solved")
        gains.append(f"{signed(hits)} in R@10 and {signed(ranks)} in RR ({prefilter}, {network})")
    return (
        f"Strict against standard, judged where the first stage solved: {', '.join(gains)}; 95 % intervals"
        " over cited papers and seeds."
    )

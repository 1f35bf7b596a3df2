"""Experiment `lcr-enhancement`: does a reranker benefit from title and abstract of the citing paper?

Table 4.2 of Medić (2023) and Medić and Šnajder (2020): NCN (Ebesu and Fang 2017) and six variants of
TEXTBIB, on whole contexts and on short ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from citewhy.base.progress import Progress
from citewhy_lab.evaluate.significance import Difference
from citewhy_lab.experiments import Experiment, Setup
from citewhy_lab.experiments.lcr_pages import differs, page, said, tables
from citewhy_lab.experiments.reranking import Lab, open_lab
from citewhy_lab.experiments.result import Cell, Result, Table
from citewhy_lab.experiments.trials import Network, Trial
from citewhy_lab.experiments.ways import WAYS, Way
from citewhy_lab.train.systems.textbib.shape import VARIANTS, Variant

__all__ = ["EXPERIMENT"]

NETWORKS: tuple[Network, ...] = ("NCN", *VARIANTS)

PAIRS: tuple[tuple[Variant, Variant], ...] = (
    ("TEXTENH", "TEXTCON"),
    ("TEXTBIBENH-S", "TEXTBIBCON-S"),
    ("TEXTBIBENH-WS", "TEXTBIBCON-WS"),
)
"""With and without the citing paper."""

WITH_MODULE: tuple[tuple[Variant, Variant], ...] = (
    ("TEXTBIBCON-S", "TEXTCON"),
    ("TEXTBIBENH-S", "TEXTENH"),
    ("TEXTBIBCON-WS", "TEXTBIBCON-S"),
    ("TEXTBIBENH-WS", "TEXTBIBENH-S"),
)
"""With and without the bibliographic module, and its weights."""


def run(files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
    with open_lab(files, setup, progress) as lab:
        parts: list[Table] = [_sizes(lab)]
        every: dict[str, Trial] = {}
        for size, window in _windows(lab).items():
            rows: dict[str, Trial] = {variant: Trial(variant, window=window) for variant in NETWORKS}
            parts += tables(f"Table 4.2: {size}", rows, lab, ("BM25", "dense"))
            every |= {f"{variant}, {size}": trial for variant, trial in rows.items()}
        return page("Enhanced contexts", _findings(lab), [*parts, _tests(lab)], every, lab)


EXPERIMENT = Experiment("the folder of a data set: docs/local.md", run)


def _windows(lab: Lab) -> dict[str, int | None]:
    """The context sizes, by name."""
    whole, short = lab.scale.whole, lab.scale.short
    name = "whole contexts" if whole is None else f"{whole} characters on both sides"
    return {name: whole, f"{short} characters on both sides": short}


def _sizes(lab: Lab) -> Table:
    data = lab.bench.data
    rows: list[list[Cell]] = [
        [data.name, len(data.train), len(data.val), len(data.test), len(data.papers)],
        ["of these, in this experiment", len(lab.train), lab.scale.settings.validated, len(lab.test), None],
    ]
    texts = [each.text for each in data.test]
    notes = [
        f"{cut / len(texts):.0%} of the test contexts are longer than {window} characters on both sides."
        for name, window in _windows(lab).items()
        if window is not None and (cut := sum(len(text) > 2 * window for text in texts)) >= 0
    ]
    heads = ["data set", "train", "validation", "test", "papers"]
    return Table("Table 4.1: contexts and papers", heads, rows, notes)


def _findings(lab: Lab) -> list[str]:
    found = []
    for size, window in _windows(lab).items():
        gains = ",".join(
            f" {said(_differs(lab, enhanced, plain, window)[1])} for {enhanced} against {plain}"
            for enhanced, plain in PAIRS
        )
        found.append(
            f"On {size}, title and abstract of the citing paper change RR, counted, by{gains}; 95 % intervals"
            " over cited papers and seeds."
        )
    return found


def _differs(
    lab: Lab, first: Network, second: Network, window: int | None, way: Way = "counted"
) -> tuple[Difference, Difference]:
    one, other = (lab.judged(Trial(variant, window=window)) for variant in (first, second))
    return differs(one, other, way)


def _row(lab: Lab, first: Network, second: Network, window: int | None, way: Way, size: str) -> list[Cell]:
    found = _differs(lab, first, second, window, way)
    cells = [cell for each in found for cell in (each.value, each.low, each.high, each.p)]
    return [f"{first} against {second}, {size}, {way}", *cells]


def _tests(lab: Lab) -> Table:
    rows: list[list[Cell]] = []
    for size, window in _windows(lab).items():
        for enhanced, plain in PAIRS:
            rows += [_row(lab, enhanced, plain, window, way, size) for way in WAYS]
        others: list[tuple[Network, Network]] = [*WITH_MODULE, *((variant, "NCN") for variant in VARIANTS)]
        rows += [_row(lab, *pair, window, "counted", size) for pair in others]
    heads = [f"{name}{what}" for name in ("R@10", "RR") for what in ("", ", low", ", high", ", p")]
    return Table(
        "Is it by chance?",
        ["", *heads],
        rows,
        [
            "Differences of means over seeds, with 95 % intervals and two-sided p-values that take cited"
            " papers and seeds as drawn at random (quasi-F for two crossed random effects). The source has a"
            f" z-test and a t-test of one run each. Of {2 * len(rows)} tests, some come out by chance."
        ],
    )

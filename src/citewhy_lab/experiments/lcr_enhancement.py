"""Experiment `lcr-enhancement`: does a reranker benefit from title and abstract of the citing paper?

Table 4.2 of Medić (2023) and Medić and Šnajder (2020): NCN (Ebesu and Fang 2017) and six variants of
TEXTBIB, on whole contexts and on short ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from citewhy.base.progress import Progress
from citewhy_lab.experiments.engine import Cell, Result, Setup, Table, signed
from citewhy_lab.experiments.reranking import (
    SEEDS,
    WAYS,
    JudgedRanks,
    Network,
    RerankerLab,
    Trial,
    Way,
    differs,
    differs_more,
    open_lab,
    page,
    tables,
    tests,
)
from citewhy_lab.experiments.significance import Difference
from citewhy_lab.train.systems.textbib.settings import VARIANTS, Variant

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
    """Trains NCN and the variants on whole and on short contexts."""
    with open_lab(files, setup, progress) as lab:
        parts: list[Table] = [_sizes(lab)]
        every: dict[str, Trial] = {}
        for size, window in _windows(lab).items():
            rows: dict[str, Trial] = {variant: Trial(variant, window=window) for variant in NETWORKS}
            parts += tables(f"Table 4.2: {size}", rows, lab, ("BM25", "dense"))
            every |= {f"{variant}, {size}": trial for variant, trial in rows.items()}
        return page("Enhanced contexts", _findings(lab), [*parts, _tests(lab)], every, lab)


def _windows(lab: RerankerLab) -> dict[str, int | None]:
    """Returns the context sizes, by name."""
    whole, short = lab.scale.whole, lab.scale.short
    name = "whole contexts" if whole is None else f"{whole} characters on both sides"
    return {name: whole, f"{short} characters on both sides": short}


def _sizes(lab: RerankerLab) -> Table:
    data = lab.bench.data
    rows: list[list[Cell]] = [
        [data.name, len(data.train), len(data.val), len(data.test), len(data.papers)],
        ["of these, in this experiment", len(lab.train), lab.scale.settings.validated, len(lab.test), None],
    ]
    texts = [context.text for context in data.test]
    notes = [
        f"{cut / len(texts):.0%} of the test contexts are longer than {window} characters on both sides."
        for name, window in _windows(lab).items()
        if window is not None and (cut := sum(len(text) > 2 * window for text in texts)) >= 0
    ]
    heads = ["data set", "train", "validation", "test", "papers"]
    return Table("Table 4.1: contexts and papers", heads, rows, notes)


def _findings(lab: RerankerLab) -> list[str]:
    findings = []
    for size, window in _windows(lab).items():
        gains = ",".join(
            f" {signed(_differs(lab, enhanced, plain, window)[1])} for {enhanced} against {plain}"
            for enhanced, plain in PAIRS
        )
        findings.append(
            f"On {size}, title and abstract of the citing paper change RR, counted, by{gains}; 95 % intervals"
            " over cited papers and seeds."
        )
    return findings


def _differs(
    lab: RerankerLab, first: Network, second: Network, window: int | None, way: Way = "counted"
) -> tuple[Difference, Difference]:
    one, other = (lab.runs(Trial(variant, window=window)) for variant in (first, second))
    return differs(one, other, way)


def _tests(lab: RerankerLab) -> Table:
    rows: dict[str, tuple[Difference, Difference]] = {}

    def compare(first: Network, second: Network, window: int | None, way: Way, size: str) -> None:
        rows[f"{first} against {second}, {size}, {way}"] = _differs(lab, first, second, window, way)

    for size, window in _windows(lab).items():
        for enhanced, plain in PAIRS:
            for way in WAYS:
                compare(enhanced, plain, window, way, size)
        others: list[tuple[Network, Network]] = [*WITH_MODULE, *((variant, "NCN") for variant in VARIANTS)]
        for first, second in others:
            compare(first, second, window, "counted", size)
        orders = [lab.order("BM25")] * SEEDS
        for variant in VARIANTS:
            runs = lab.runs(Trial(variant, window=window))
            rows[f"{variant} against BM25 alone, {size}, counted"] = differs(runs, orders, "counted")
    rows |= _by_size(lab)
    return tests(
        rows,
        "Differences of means over seeds, with 95 % intervals and two-sided p-values that take cited"
        " papers and seeds as drawn at random (quasi-F for two crossed random effects). The source has a"
        f" z-test and a t-test of one run each. Of {2 * len(rows)} tests, some come out by chance.",
    )


def _by_size(lab: RerankerLab) -> dict[str, tuple[Difference, Difference]]:
    """Tests whether title and abstract of the citing paper help more on short contexts than on whole ones."""
    (whole, at_whole), (short, at_short) = _windows(lab).items()

    def runs(pair: tuple[Variant, Variant], window: int | None) -> tuple[list[JudgedRanks], ...]:
        return tuple(lab.runs(Trial(variant, window=window)) for variant in pair)

    rows = {}
    for enhanced, plain in PAIRS:
        here, there = (runs((enhanced, plain), window) for window in (at_short, at_whole))
        name = f"{enhanced} against {plain}, {short} against {whole}, counted"
        rows[name] = differs_more((here[0], here[1]), (there[0], there[1]), "counted")
    return rows

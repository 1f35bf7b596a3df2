"""Experiment `pcr`: papers for a paragraph, by title, abstract and topic sentence.

Table 6.2 of Medić (2023), which is table 1 of Medić and Šnajder (2023): the start encoder without and with
the topic sentence, trained on whole papers, on triplets, and on quadruplets (QPCR).

Experiment `pcr-nearest`: QPCR that also learns from the papers that its start encoder ranks first.

The source draws negatives from what the paper and the papers that it cites cite. Here half of them are papers
that are near the query and not cited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from citewhy.base.progress import Progress
from citewhy_lab.experiments.engine import Result, Scale, Setup, Table, comparisons
from citewhy_lab.experiments.paragraphs import (
    ParagraphLab,
    RankedPapers,
    by_seed,
    differences,
    figures,
    gains,
    open_lab,
    provenance,
)
from citewhy_lab.experiments.significance import Difference
from citewhy_lab.train.systems.qpcr.settings import QpcrSettings, Variant

SYSTEMS: Mapping[Variant, tuple[str, tuple[float, ...]]] = {
    "base": ("BASE: title and abstract, not trained", (0.0692, 0.0847, 0.1270, 0.1732)),
    "ts": ("TS: with the topic sentence, not trained", (0.0762, 0.0986, 0.1458, 0.1923)),
    "aclrw": ("ACLRW: trained on whole papers", (0.0761, 0.0987, 0.1477, 0.1921)),
    "tri": ("TRI: trained on triplets", (0.0763, 0.0957, 0.1458, 0.1930)),
    "qpcr": ("QPCR: trained on quadruplets", (0.0800, 0.1021, 0.1519, 0.2005)),
}
"""Name, and the source's figures for `paragraphs.MEASURES`."""

PAIRED = "Paired by paragraph; 95 % intervals and p with paragraphs and seeds as drawn at random."


def run(files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
    """Trains and asks every system, and compares them with the start encoder."""
    lab = open_lab(files, setup, progress)
    runs = {variant: lab.runs(variant) for variant in SYSTEMS}
    pairs: list[tuple[Variant, Variant]] = [(variant, "ts") for variant in SYSTEMS if variant != "ts"]
    pairs += [("qpcr", "tri"), ("qpcr", "aclrw")]
    by_pair: dict[tuple[str, str], dict[str, Difference]] = {
        (one, other): differences(runs[one], runs[other], lab) for one, other in pairs
    }
    small = (
        f"Scale small: {lab.sizes['taught']} training paragraphs, {len(lab.pool):,} candidates and one epoch,"
        " to see that everything works. Its figures say nothing about the systems."
    )
    return Result(
        title="Papers for a paragraph",
        summary=[
            *([small] if setup.scale == "small" else []),
            f"QPCR against its start encoder with the same query: {gains(by_pair['qpcr', 'ts'])}.",
        ],
        tables=[_table(runs, lab), comparisons(by_name(by_pair), PAIRED)],
        facts={"seeds": {variant: by_seed(answers, lab) for variant, answers in runs.items()}},
        made=provenance(lab),
    )


def by_name(by_pair: Mapping[tuple[str, str], Mapping[str, Difference]]) -> dict[str, Difference]:
    """Names the differences of pairs of systems, measure by measure."""
    return {
        f"{first} − {second}, {measure}": difference
        for (first, second), by_measure in by_pair.items()
        for measure, difference in by_measure.items()
    }


def _table(runs: Mapping[Variant, Sequence[RankedPapers]], lab: ParagraphLab) -> Table:
    systems = {SYSTEMS[variant][0]: (answers, SYSTEMS[variant][1]) for variant, answers in runs.items()}
    table = figures(systems, lab, "Table 6.2")
    note = (
        " The source has 2,148 paragraphs, 7,773 for training, 94,129 candidates, and another encoder: only"
        " the order can be compared."
    )
    return replace(table, notes=[table.notes[0] + note])


# Experiment `pcr-nearest` --------------------------------------------------------------------------------


NEAREST_SYSTEMS = {
    "ts": "start encoder, the same query",
    "same": "QPCR, the source's negatives, the same margin and learning rate",
    "near": "QPCR, half of the negatives nearest",
}

NEAREST_SETTINGS = QpcrSettings(epochs=1, margin=0.2, learning_rate=3e-5, nearest=5)
"""It was chosen on paragraphs before those that are asked (docs/log/paragraphs.md)."""

NEAREST_SCALES = {
    "source": Scale(NEAREST_SETTINGS),
    "full": Scale(NEAREST_SETTINGS, taught=1000),
    "small": Scale(QpcrSettings(epochs=1, pool=100, nearest=5), taught=40, asked=40, pool=500, seeds=(1, 2)),
}


def run_nearest(files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
    """Trains QPCR with and without the nearest papers as negatives, and compares both with each other and
    with the start encoder."""
    lab = open_lab(files, setup, progress, NEAREST_SCALES)
    others = {
        name: replace(scale, settings=replace(scale.settings, nearest=0))
        for name, scale in NEAREST_SCALES.items()
    }
    same = open_lab(files, setup, progress, others)
    runs = {"ts": lab.runs("ts"), "same": same.runs("qpcr"), "near": lab.runs("qpcr")}
    pairs = (("near", "ts"), ("near", "same"), ("same", "ts"))
    by_pair = {(one, other): differences(runs[one], runs[other], lab) for one, other in pairs}
    small = ["Scale small, to see that everything works: its figures say nothing."]
    return Result(
        title="QPCR with the nearest papers as negatives",
        summary=[
            *(small if setup.scale == "small" else []),
            f"QPCR against its start encoder with the same query: {gains(by_pair['near', 'ts'])}.",
            f"QPCR against QPCR with the source's negatives: {gains(by_pair['near', 'same'])}.",
        ],
        tables=[
            figures(
                {NEAREST_SYSTEMS[name]: (answers, None) for name, answers in runs.items()},
                lab,
                "What is found",
            ),
            comparisons(by_name(by_pair), PAIRED),
        ],
        facts={"seeds": {name: by_seed(answers, lab) for name, answers in runs.items()}},
        made=provenance(lab),
    )

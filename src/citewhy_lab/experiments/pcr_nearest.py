"""Experiment `pcr-nearest`: QPCR that also learns from the papers that its start encoder ranks first.

The source draws negatives from what the paper and the papers that it cites cite. Here half of them are papers
that are near the query and not cited.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from citewhy.base.progress import Progress
from citewhy_lab.experiments.engine import Result, Scale, Setup, comparisons
from citewhy_lab.experiments.paragraphs import by_seed, differences, figures, gains, open_lab, provenance
from citewhy_lab.experiments.pcr import PAIRED, by_name
from citewhy_lab.train.systems.qpcr.settings import QpcrSettings

SYSTEMS = {
    "ts": "start encoder, the same query",
    "near": "QPCR, half of the negatives nearest",
}

SETTINGS = QpcrSettings(epochs=1, margin=0.2, learning_rate=3e-5, nearest=5)
"""As chosen on paragraphs before those that are asked (docs/log/paragraphs.md)."""

SCALES = {
    "source": Scale(SETTINGS),
    "full": Scale(SETTINGS, taught=1000),
    "small": Scale(QpcrSettings(epochs=1, pool=100, nearest=5), taught=40, asked=40, pool=500, seeds=(1, 2)),
}


def run(files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
    """Trains QPCR with the nearest papers as negatives, and compares it with the start encoder."""
    lab = open_lab(files, setup, progress, SCALES)
    runs = {"ts": lab.runs("ts"), "near": lab.runs("qpcr")}
    by_measure = differences(runs["near"], runs["ts"], lab)
    small = ["Scale small, to see that everything works: its figures say nothing."]
    return Result(
        title="QPCR with the nearest papers as negatives",
        summary=[
            *(small if setup.scale == "small" else []),
            f"QPCR against its start encoder with the same query: {gains(by_measure)}.",
        ],
        tables=[
            figures({SYSTEMS[name]: (answers, None) for name, answers in runs.items()}, lab, "What is found"),
            comparisons(by_name({("near", "ts"): by_measure}), PAIRED),
        ],
        facts={"seeds": {name: by_seed(answers, lab) for name, answers in runs.items()}},
        made=provenance(lab),
    )

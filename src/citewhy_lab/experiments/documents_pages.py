"""Common parts of the pages of the experiments on paper embeddings: trials, tables, comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np

from citewhy.base.artifact import MANIFEST
from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.ranking.classify import open_classifier
from citewhy.ranking.intents.classifier import default_intents
from citewhy_lab.evaluate.compare import compare
from citewhy_lab.evaluate.making import made
from citewhy_lab.evaluate.measures import Scores
from citewhy_lab.experiments import Setup
from citewhy_lab.experiments.documents import Lab, Scored, Trial
from citewhy_lab.experiments.result import Cell, Result, Table
from citewhy_lab.train.requirements import check_extra, default_start
from citewhy_lab.train.systems.aspects.graph import ASPECTS
from citewhy_lab.train.systems.aspects.settings import ENCODER

__all__ = ["COLUMNS", "FILES", "SEEDS", "Row", "ablations", "contrast", "open_lab", "page", "table"]

FILES = (
    "the folder of the data (docs/training.md); optionally a classifier of intents, and a folder for results"
)

SEEDS = (1, 2, 3)

UNTIL = 2011

SMALL: Mapping[str, Any] = {"steps": 80, "tokens": 32, "learning_rate": 5e-5, "warm_up": 10}

FULL: Mapping[str, Any] = {"tokens": 128}

QUESTIONS = {"small": 120, "full": 1000, "source": 1000}

COLUMNS = ("", "cite", "±", "near", "±", "aspects", "±", "source: cite MAP", "source: mean of SciDocs")


@dataclass(frozen=True, slots=True)
class Row:
    """A trial, which embedding of it is measured, and the source's figures, of 100 (None: it has none)."""

    trial: Trial | None
    cite: float | None = None
    average: float | None = None
    embedding: str = ENCODER
    """``asked``: for ``aspects`` that of the asked aspect, else that of the encoder."""
    seeds: int = len(SEEDS)
    """Number of trainings."""


def open_lab(files: Sequence[Path], setup: Setup, progress: Progress) -> Lab:
    """Reads data and classifier. Raises InputError for other files."""
    check_extra()
    data, *rest = files
    classifiers = [path for path in rest if (path / MANIFEST).is_file()]
    kept = [path for path in rest if path not in classifiers]
    if len(classifiers) > 1 or len(kept) > 1:
        raise InputError("too many folders", path=rest[-1], hint=f"expected: {FILES}")
    common = {"until": UNTIL, **(SMALL if setup.scale == "small" else FULL)}
    return Lab(
        data,
        open_classifier(classifiers[0]) if classifiers else default_intents(),
        setup.encoder or default_start(),
        common,
        QUESTIONS[setup.scale],
        setup.seed,
        progress,
        kept[0] if kept else None,
    )


def ablations(rows: Mapping[str, Row], scale: str) -> dict[str, Row]:
    """The rows as they are trained to be compared with each other: at the scale small, once."""
    return {name: replace(row, seeds=1) if scale == "small" else row for name, row in rows.items()}


def table(title: str, rows: Mapping[str, Row], lab: Lab) -> Table:
    """Mean average precision over questions, its mean over seeds and standard deviation."""
    cells = [[name, *_figures(row, lab), _share(row.cite), _share(row.average)] for name, row in rows.items()]
    counts = {name: len(some) for name, some in lab.asked.items()}
    asked = ", ".join(f"{name} {count}" for name, count in counts.items())
    seeds = max(row.seeds for row in rows.values())
    several = f"mean and standard deviation (±) of up to {seeds} trainings with different seeds"
    trained = "one training a row" if seeds == 1 else several
    notes = [
        f"Mean average precision; {trained}."
        f" Questions: {asked}; aspects is the mean over questions of the three aspects. The source's figures"
        " are of SciDocs, with SciBERT and two epochs of 132,000 anchors: only their order can be compared."
    ]
    return Table(title, COLUMNS, cells, notes)


def contrast(name: str, first: Row, second: Row, lab: Lab) -> list[list[Cell]]:
    """A row for each kind of question: the difference of the means over seeds, paired by question, with its
    95 % interval and p (randomisation test)."""
    found: list[list[Cell]] = []
    for kind in ("cite", "near", "aspects"):
        one, other = (_scores(kind, row, lab) for row in (first, second))
        difference = compare(one, other, lab.seed)["AP"]
        low, high = difference.interval
        found.append([f"{name}, {kind}", difference.value, low, high, difference.p_randomisation])
    return found


def page(
    title: str, parts: Sequence[Table], contrasts: Mapping[str, tuple[Row, Row]], lab: Lab, setup: Setup
) -> Result:
    """The tables, the comparisons, and in words what they say."""
    rows = [row for name, (one, other) in contrasts.items() for row in contrast(name, one, other, lab)]
    comparisons = Table(
        "Comparisons",
        ("first minus second", "difference", "low", "high", "p"),
        rows,
        ["Paired by question, means over seeds; 95 % intervals by the bootstrap, p by randomisation."],
    )
    sure = [str(row[0]) for row in rows if _sign(row) > 0], [str(row[0]) for row in rows if _sign(row) < 0]
    summary = [
        f"The first is better in: {'; '.join(sure[0]) or 'none'}. The second is better in:"
        f" {'; '.join(sure[1]) or 'none'}. In all others the interval contains zero.",
    ]
    if setup.scale == "small":
        summary.insert(
            0,
            f"Scale small: {lab.common['steps']} steps of two or three instances, texts of 32 tokens, for two"
            " cores; ablations are trained once, so that they only show large differences. What holds here"
            " need not hold after a full training.",
        )
    options = {"scale": setup.scale, **dict(lab.common), "seeds": list(SEEDS)}
    data = list(lab.collection.files.values())
    return Result(title, summary, [*parts, comparisons], made=made(data, None, None, options, setup.seed))


def _sign(row: Sequence[Cell]) -> int:
    low, high = row[2], row[3]
    assert isinstance(low, float)
    assert isinstance(high, float)
    return 1 if low > 0 else -1 if high < 0 else 0


def _figures(row: Row, lab: Lab) -> list[Cell]:
    cells: list[Cell] = []
    for kind in ("cite", "near", "aspects"):
        means = [float(np.mean(_values(kind, row, scored))) for scored in _runs(row, lab)]
        cells += [fmean(means), stdev(means) if len(means) > 1 else None]
    return cells


def _scores(kind: str, row: Row, lab: Lab) -> Scores:
    """For each question the mean over seeds."""
    values = np.mean([_values(kind, row, scored) for scored in _runs(row, lab)], axis=0)
    ids = tuple(str(number) for number in range(len(values)))
    return Scores(ids, np.ones(len(values)), {"AP": values})


def _runs(row: Row, lab: Lab) -> list[Scored]:
    return [lab.scored(row.trial, seed) for seed in (SEEDS[: row.seeds] if row.trial else SEEDS[:1])]


def _values(kind: str, row: Row, scored: Scored) -> list[float]:
    def named(aspect: str) -> str:
        if row.embedding != "asked":
            return row.embedding
        return aspect if aspect in ASPECTS else ENCODER

    kinds = ASPECTS if kind == "aspects" else (kind,)
    return [value for each in kinds for value in scored[f"{each}/{named(each)}"]]


def _share(of_hundred: float | None) -> float | None:
    return None if of_hundred is None else of_hundred / 100

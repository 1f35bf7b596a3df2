"""Experiment `lcr-enhancement`: does a reranker benefit from title and abstract of the citing paper?

Table 4.2 of Medić (2023) and Medić and Šnajder (2020): six networks, on whole contexts and on short ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from citewhy.evaluate.significance import paired_t, z_test
from citewhy.experiments import Experiment, Setup
from citewhy.experiments.lcr_pages import mean, page, tables
from citewhy.experiments.reranking import Lab, Trial, open_lab
from citewhy.experiments.result import Cell, Result, Table
from citewhy.experiments.ways import WAYS, Way
from citewhy.progress import Tell
from citewhy.systems.textbib.shape import VARIANTS, Variant

__all__ = ["EXPERIMENT"]

SHORT = 40
"""Characters on each side of the marker in a short context."""

PAIRS: tuple[tuple[Variant, Variant], ...] = (
    ("TEXTENH", "TEXTCON"),
    ("TEXTBIBENH-S", "TEXTBIBCON-S"),
    ("TEXTBIBENH-WS", "TEXTBIBCON-WS"),
)
"""With and without the citing paper."""

SIZES = {"whole contexts": None, f"{SHORT} characters on both sides": SHORT}


def run(files: Sequence[Path], setup: Setup, tell: Tell) -> Result:
    with open_lab(files, setup, tell) as lab:
        parts: list[Table] = []
        every: dict[str, Trial] = {}
        for size, window in SIZES.items():
            rows = {str(variant): Trial(variant, window=window) for variant in VARIANTS}
            parts += tables(f"Table 4.2: {size}", rows, lab)
            every |= {f"{variant}, {size}": trial for variant, trial in rows.items()}
        return page("Enhanced contexts", _findings(lab), [*parts, _tests(lab)], every, lab)


EXPERIMENT = Experiment("the folder of a data set: docs/local.md", run)


def _findings(lab: Lab) -> list[str]:
    return [
        f"On {size}, title and abstract of the citing paper change RR, counted, by"
        + ",".join(
            f" {_rr(lab, enhanced, window) - _rr(lab, plain, window):+.3f} ({enhanced} against {plain})"
            for enhanced, plain in PAIRS
        )
        + "."
        for size, window in SIZES.items()
    ]


def _rr(lab: Lab, variant: Variant, window: int | None) -> float:
    return mean(lab, Trial(variant, window=window), "RR")


def _tests(lab: Lab) -> Table:
    rows: list[list[Cell]] = [
        [f"{enhanced} against {plain}, {size}, {way}", *_differs(lab, enhanced, plain, window, way)]
        for size, window in SIZES.items()
        for enhanced, plain in PAIRS
        for way in WAYS
    ]
    return Table(
        "Is it by chance?",
        ["", "R@10", "p, z-test", "RR", "p, t-test"],
        rows,
        [
            "Differences of means over seeds. Two-sided: a z-test of two proportions, and a paired t-test of"
            " the reciprocal places of each cited paper, each its mean over seeds. Of many tests, some come"
            " out by chance."
        ],
    )


def _differs(lab: Lab, first: Variant, second: Variant, window: int | None, way: Way) -> list[Cell]:
    one, other = (lab.judged(Trial(variant, window=window)) for variant in (first, second))
    recalls = [sum(each.recall(way) for each in runs) / len(runs) for runs in (one, other)]
    places = [
        [
            sum(1 / place for place in same) / len(same)
            for same in zip(*(each.judged(way) for each in runs), strict=True)
        ]
        for runs in (one, other)
    ]
    return [
        recalls[0] - recalls[1],
        z_test(recalls[0], recalls[1], len(places[0])),
        sum(places[0]) / len(places[0]) - sum(places[1]) / len(places[1]),
        paired_t(places[0], places[1]),
    ]

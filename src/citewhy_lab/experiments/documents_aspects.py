"""Experiment `documents-aspects`: do embeddings of the asked intent rank better than one for all?

Tables 6.4 to 6.7 of Bansal (2023): SciAspect and its embeddings, the hybrid and its α, negatives of the
second level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from citewhy.base.progress import Progress
from citewhy_lab.experiments.documents import Row, Trial, ablations, open_lab, page, table
from citewhy_lab.experiments.documents_losses import START, contrastive, hybrid
from citewhy_lab.experiments.engine import Result, Setup
from citewhy_lab.train.systems.aspects.settings import CONCAT, ENCODER

SMALL: Mapping[str, Any] = {"batch": 2, "hard": 6}


def _row(scale: str, cite: float, average: float, name: str = "sciaspect", **changes: Any) -> Row:
    small = SMALL if scale == "small" else {}
    return Row(Trial(name, tuple({**small, **changes}.items())), cite, average)


def _embeddings(row: Row, figures: Mapping[str, tuple[float, float]]) -> dict[str, Row]:
    return {
        f"embedding {name}": replace(row, embedding=name, cite=cite, average=average)
        for name, (cite, average) in figures.items()
    }


def _aspects(scale: str) -> Mapping[str, Row]:
    base = _row(scale, 87.68, 79.94)
    figures = {"method": (87.14, 79.62), "background": (87.45, 79.86), "result": (87.31, 79.91)}
    rows = {"SciAspect, 1 positive, n negatives": base}
    rows |= _embeddings(base, {**figures, CONCAT: (87.43, 79.82)})
    rows["the asked embedding"] = replace(base, embedding="asked", cite=None, average=None)
    return rows


def _others(scale: str) -> Mapping[str, Row]:
    return {
        "1 positive, n negatives": _row(scale, 87.68, 79.94),
        "with the aspect of unknown intents": _row(scale, 85.96, 79.42, other=True),
        "m positives, n negatives, with this aspect": _row(scale, 84.5, 78.9, positives=5, other=True),
        "SciAspectWeighted": _row(scale, 85.08, 78.87, "sciaspect-weighted"),
    }


def _hybrids(scale: str) -> Mapping[str, Row]:
    base = replace(hybrid(scale), embedding=ENCODER)
    figures = {"method": (86.55, 79.81), "background": (86.52, 79.96), "result": (86.57, 80.01)}
    return {"SciAspectHybrid, α = 0.7": base} | _embeddings(base, {**figures, CONCAT: (86.66, 80.11)})


def _alphas(scale: str) -> Mapping[str, Row]:
    source = {
        0.5: (86.74, 80.09),
        0.6: (87.13, 80.17),
        0.7: (86.85, 80.27),
        0.8: (86.74, 80.21),
        0.9: (86.52, 80.25),
    }
    small = SMALL if scale == "small" else {}
    return {
        f"α = {alpha}": Row(
            Trial("sciaspect-hybrid", tuple({**small, "hard": 5, "alpha": alpha}.items())), cite, average
        )
        for alpha, (cite, average) in source.items()
    }


def _second(scale: str) -> Mapping[str, Row]:
    return {
        "1 positive, 3 easy negatives": _row(scale, 86.77, 80.08, hard=0),
        "5 hard negatives": _row(scale, 80.58, 78.72, "sciaspect-l2", hard=5, easy=0),
        "3 hard, 3 easy negatives": _row(scale, 85.62, 80.07, "sciaspect-l2", hard=3),
    }


def run(files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
    """Trains every row of the tables, and compares those that answer the question."""
    lab, scale = open_lab(files, setup, progress), setup.scale
    aspects, hybrids = _aspects(scale), _hybrids(scale)
    parts = [
        table("Table 6.4: embeddings of SciAspect", {"before training": START, **aspects}, lab),
        table("Table 6.4: aspects, positives, attention", ablations(_others(scale), scale), lab),
        table("Table 6.5: embeddings of the hybrid", hybrids, lab),
        table("Table 6.6: α of the hybrid", ablations(_alphas(scale), scale), lab),
        table("Table 6.7: negatives of the second level", ablations(_second(scale), scale), lab),
    ]
    base, mixed = aspects["SciAspect, 1 positive, n negatives"], hybrids["SciAspectHybrid, α = 0.7"]
    contrasts = {
        "SciAspect: asked embedding − encoder's": (replace(base, embedding="asked"), base),
        "hybrid: asked embedding − encoder's": (replace(mixed, embedding="asked"), mixed),
        "SciAspect − SPECTERCL": (base, contrastive(scale)),
        "SciAspect − before training": (base, START),
    }
    return page("Paper embeddings by intent", parts, contrasts, lab, setup)

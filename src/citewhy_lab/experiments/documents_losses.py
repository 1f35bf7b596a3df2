"""Experiment `documents-losses`: which loss trains paper embeddings best?

Table 6.3 of Bansal (2023): numbers of positives and negatives, temperatures; and the triplet loss on the same
instances.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citewhy.base.progress import Progress
from citewhy_lab.experiments.documents import Row, Trial, ablations, open_lab, page, table
from citewhy_lab.experiments.engine import Result, Setup

BATCH = {"small": 3, "full": 8, "source": 8}
"""Instances of seven papers in a batch; hybrid instances have twelve, and are fewer."""

START = Row(None)


def contrastive(scale: str) -> Row:
    return _row(scale, 89.76, 81.14)


def triplet(scale: str) -> Row:
    return _row(scale, None, None, loss="triplet")


def hybrid(scale: str) -> Row:
    changes = {"small": (("batch", 2),)}.get(scale, ())
    return Row(Trial("sciaspect-hybrid", changes), 86.85, 80.27, "asked")


def _row(scale: str, cite: float | None, average: float | None, **changes: Any) -> Row:
    return Row(Trial("specter-cl", (*changes.items(), ("batch", BATCH[scale]))), cite, average)


def _numbers(scale: str) -> Mapping[str, Row]:
    return {
        "1 positive, 1 negative": _row(scale, 88.74, 80.35, hard=1, easy=0),
        "1 positive, 3 easy negatives": _row(scale, 88.03, 80.56, hard=0),
        "2 positives, 5 negatives": _row(scale, 88.15, 79.85, positives=2),
        "4 positives, 5 negatives": _row(scale, 88.31, 79.71, positives=4),
        "5 positives, 5 negatives": _row(scale, 87.96, 79.84, positives=5),
    }


def _temperatures(scale: str) -> Mapping[str, Row]:
    return {
        "τ = 0.01": _row(scale, 87.38, 80.31, temperature=0.01),
        "τ = 0.1": _row(scale, 89.7, 80.45, temperature=0.1),
        "τ = 0.5": _row(scale, 80.18, 76.54, temperature=0.5),
    }


def run(files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
    """Trains every row of the tables, and compares those that answer the question."""
    lab, scale = open_lab(files, setup, progress), setup.scale
    general, margin, both = contrastive(scale), triplet(scale), hybrid(scale)
    rows = {
        "before training": START,
        "triplet, 1 positive, 5 negatives": margin,
        "1 positive, 5 negatives (τ = 0.05)": general,
        "hybrid (aspects: the asked embedding)": both,
    }
    base = {"1 positive, 5 negatives, τ = 0.05": general}
    numbers, temperatures = (
        ablations({**base, **some}, scale) for some in (_numbers(scale), _temperatures(scale))
    )
    parts = [
        table("Losses", rows, lab),
        table("Table 6.3: positives and negatives (τ = 0.05)", numbers, lab),
        table("Table 6.3: temperatures (1 positive, 5 negatives)", temperatures, lab),
    ]
    contrasts = {
        "contrastive − triplet": (general, margin),
        "hybrid − contrastive": (both, general),
        "hybrid − triplet": (both, margin),
        "contrastive − before training": (general, START),
    }
    return page("Losses for paper embeddings", parts, contrasts, lab, setup)

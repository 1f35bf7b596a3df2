"""Experiments: tables of the literature, reproduced on given data. One module each, imported when requested.

An experiment trains with `citewhy_lab.train.systems`, measures with `citewhy_lab.evaluate`, and returns a
`Result`; it writes nothing itself.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from citewhy.base.config import DEFAULT_SEED
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy_lab.experiments.result import Result

if TYPE_CHECKING:
    from citewhy_lab.train.devices import DeviceName

__all__ = ["EXPERIMENTS", "Experiment", "Setup", "experiment"]

EXPERIMENTS: dict[str, str] = {
    "lcr-enhancement": "citewhy_lab.experiments.lcr_enhancement",
    "lcr-prefilter": "citewhy_lab.experiments.lcr_prefilter",
    "lcr-regimes": "citewhy_lab.experiments.lcr_regimes",
    "lcr-negatives": "citewhy_lab.experiments.lcr_negatives",
    "linkage": "citewhy_lab.experiments.linkage",
    "documents-losses": "citewhy_lab.experiments.documents_losses",
    "documents-aspects": "citewhy_lab.experiments.documents_aspects",
    "pcr": "citewhy_lab.experiments.pcr",
    "pcr-analysis": "citewhy_lab.experiments.pcr_analysis",
    "pcr-nearest": "citewhy_lab.experiments.pcr_nearest",
    "sets": "citewhy_lab.experiments.sets",
}
"""Name to the module whose `EXPERIMENT` describes it."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The options of all experiments."""

    scale: Literal["small", "full", "source"] = "full"
    """``small``: smaller networks, fewer contexts and steps, for two cores; the pages describe the
    consequences. ``source``: sizes and settings of the source, where it or its authors' code gives them."""
    seed: int = DEFAULT_SEED
    encoder: Path | None = None
    """Encoder folder, for experiments that need one; None: the built-in one."""
    vectors: Path | None = None
    """Word vectors, in a format that `train.word_vectors` reads: for an additional network of the experiment
    `linkage`, and for all rerankers of the others."""
    device: DeviceName = "auto"
    """Where rerankers are trained."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """`files` describes its files for people, in order; `run` raises InputError for other files, and
    MissingExtraError if a package is not installed."""

    files: str
    run: Callable[[Sequence[Path], Setup, Progress], Result]


def experiment(name: str) -> Experiment:
    """Raises QueryError for a name that is not in `EXPERIMENTS`."""
    if name not in EXPERIMENTS:
        raise QueryError(f"there is no experiment {name!r}", hint=f"known: {', '.join(EXPERIMENTS)}")
    found: Experiment = importlib.import_module(EXPERIMENTS[name]).EXPERIMENT
    return found

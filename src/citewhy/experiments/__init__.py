"""Experiments: tables of the literature, reproduced on given data. One module each, imported when requested.

An experiment trains with `citewhy.systems`, measures with `citewhy.evaluate`, and returns a `Result`; it
writes nothing itself.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from citewhy.config import DEFAULT_SEED
from citewhy.errors import QueryError
from citewhy.experiments.result import Result
from citewhy.progress import Tell

if TYPE_CHECKING:
    from citewhy.train.devices import DeviceName

__all__ = ["EXPERIMENTS", "Experiment", "Setup", "experiment"]

EXPERIMENTS: dict[str, str] = {
    "lcr-enhancement": "citewhy.experiments.lcr_enhancement",
    "lcr-prefilter": "citewhy.experiments.lcr_prefilter",
    "lcr-regimes": "citewhy.experiments.lcr_regimes",
    "lcr-negatives": "citewhy.experiments.lcr_negatives",
    "linkage": "citewhy.experiments.linkage",
    "documents-losses": "citewhy.experiments.documents_losses",
    "documents-aspects": "citewhy.experiments.documents_aspects",
    "pcr": "citewhy.experiments.pcr",
    "pcr-analysis": "citewhy.experiments.pcr_analysis",
    "pcr-nearest": "citewhy.experiments.pcr_nearest",
    "sets": "citewhy.experiments.sets",
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
    run: Callable[[Sequence[Path], Setup, Tell], Result]


def experiment(name: str) -> Experiment:
    """Raises QueryError for a name that is not in `EXPERIMENTS`."""
    if name not in EXPERIMENTS:
        raise QueryError(f"there is no experiment {name!r}", hint=f"known: {', '.join(EXPERIMENTS)}")
    found: Experiment = importlib.import_module(EXPERIMENTS[name]).EXPERIMENT
    return found

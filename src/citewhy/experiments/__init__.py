"""Experiments: tables of the literature, made again on given data. One module an experiment, read when asked
for.

An experiment trains by `citewhy.systems`, measures by `citewhy.evaluate`, and returns a `Result`; it writes
nothing itself.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from citewhy.config import DEFAULT_SEED
from citewhy.errors import QueryError
from citewhy.experiments.result import Result
from citewhy.progress import Tell

__all__ = ["EXPERIMENTS", "Experiment", "Setup", "experiment"]

EXPERIMENTS: dict[str, str] = {
    "lcr-enhancement": "citewhy.experiments.lcr_enhancement",
    "lcr-prefilter": "citewhy.experiments.lcr_prefilter",
    "lcr-regimes": "citewhy.experiments.lcr_regimes",
    "lcr-negatives": "citewhy.experiments.lcr_negatives",
    "linkage": "citewhy.experiments.linkage",
}
"""Name to the module whose `EXPERIMENT` describes it."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What every experiment can be told."""

    scale: Literal["small", "full"] = "full"
    """``small``: smaller networks, fewer contexts and steps, for two cores; pages say what that means."""
    seed: int = DEFAULT_SEED
    encoder: Path | None = None
    """Encoder folder, where an experiment needs one; None: that of the package."""
    vectors: Path | None = None
    """Word vectors for the experiment `linkage`, in a form that `train.word_vectors` reads."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """`files` says for people which files it reads, in their order; `run` raises InputError for others, and
    MissingExtraError where it needs what is not installed."""

    files: str
    run: Callable[[Sequence[Path], Setup, Tell], Result]


def experiment(name: str) -> Experiment:
    """Raises QueryError for a name that is not in `EXPERIMENTS`."""
    if name not in EXPERIMENTS:
        raise QueryError(f"there is no experiment {name!r}", hint=f"known: {', '.join(EXPERIMENTS)}")
    found: Experiment = importlib.import_module(EXPERIMENTS[name]).EXPERIMENT
    return found

"""Experiments: tables of the literature, made again on given data. Their modules are imported when requested.

An experiment trains with `citewhy_lab.train.systems`, measures with `citewhy_lab.evaluate`, and returns a
`Result`; it writes nothing itself (`engine`).
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy_lab.evaluate.plots import check_plots
from citewhy_lab.experiments.engine import Result, Setup
from citewhy_lab.train.requirements import check_modules

__all__ = ["EXPERIMENTS", "Experiment", "Setup", "experiment"]


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment, which a function carries out."""

    function: str
    """``module:function`` in this room."""
    files: str
    """Describes the files that it reads, in order, for people."""
    modules: tuple[str, ...] = ("torch", "transformers", "safetensors", "scipy")
    """Packages that it needs, by the names of their modules."""
    plots: bool = False
    """Whether it draws plots."""

    @property
    def name(self) -> str:
        """The name of the command's argument."""
        return next(name for name, experiment in EXPERIMENTS.items() if experiment is self)

    def run(self, files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
        """Makes the tables. Raises MissingExtraError if a package is not installed, before anything is read,
        and InputError for other files."""
        check_modules(*self.modules)
        if self.plots:
            check_plots()
        module, _, name = self.function.partition(":")
        run = getattr(importlib.import_module(f"citewhy_lab.experiments.{module}"), name)
        begun = time.process_time()
        result: Result = run(files, setup, progress)
        minutes = (time.process_time() - begun) / 60
        cost = f"{minutes:.1f} processor minutes, without what an earlier run had kept."
        called = {"command": _command(self.name, files, setup), "cost": cost}
        return replace(result, made={**called, **result.made})


def _command(name: str, files: Sequence[Path], setup: Setup) -> str:
    """Returns the command of a run, with the names of files and folders alone: where they lie is no part of a
    result."""
    words = ["citewhy experiment", name, *(path.name for path in files)]
    for option in fields(Setup):
        value = getattr(setup, option.name)
        if value != option.default:
            words += [f"--{option.name}", value.name if isinstance(value, Path) else str(value)]
    return " ".join(words)


EXPERIMENTS: Mapping[str, Experiment] = {
    "linkage": Experiment(
        "linkage:run",
        "citing sentences with their targets (docs/evaluation.md)",
        ("torch", "scipy", "sklearn", "gensim"),
        plots=True,
    ),
    "lcr-prefilter": Experiment(
        "lcr_prefilter:run",
        "a folder with a data set for local citation recommendation",
        ("scipy",),
        plots=True,
    ),
    "lcr-enhancement": Experiment("lcr_enhancement:run", "the same (described in docs/local.md)"),
    "lcr-regimes": Experiment("lcr_regimes:run", "the same"),
    "lcr-negatives": Experiment("lcr_negatives:run", "the same"),
    "documents-losses": Experiment(
        "documents:run_losses", "a folder with papers and citations (docs/training.md)"
    ),
    "documents-aspects": Experiment("documents:run_aspects", "the same"),
    "pcr": Experiment("pcr:run", "that folder, and one of paragraphs (docs/paragraphs.md)"),
    "pcr-analysis": Experiment("pcr_analysis:run", "the same", plots=True),
    "pcr-nearest": Experiment("pcr:run_nearest", "the same"),
    "sets": Experiment(
        "sets:run",
        "a folder with papers and full texts (docs/sets.md)",
        ("torch", "transformers", "safetensors", "scipy", "gensim"),
    ),
}
"""Name → experiment; a file is described after those of the experiments before it."""


def experiment(name: str) -> Experiment:
    """Returns the experiment of this name. Raises QueryError for a name that is not in `EXPERIMENTS`."""
    if name not in EXPERIMENTS:
        raise QueryError(f"there is no experiment {name!r}", hint=f"known: {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]

"""Experiments: tables of the literature, made again on given data. One module each, imported when requested.

An experiment trains with `citewhy_lab.train.systems`, measures with `citewhy_lab.evaluate`, and returns a
`Result`; it writes nothing itself (`engine`).
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy_lab.evaluate.plots import check_plots
from citewhy_lab.experiments.engine import Result, Setup
from citewhy_lab.train.requirements import check_modules

__all__ = ["EXPERIMENTS", "Experiment", "Setup", "experiment"]


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment: its module has the function `run`."""

    module: str
    files: str
    """Describes the files that it reads, in order, for people."""
    modules: tuple[str, ...] = ("torch", "transformers", "safetensors", "scipy")
    """Packages that it needs, by the names of their modules."""
    plots: bool = False
    """Whether it draws plots."""

    def run(self, files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
        """Makes the tables. Raises MissingExtraError if a package is not installed, before anything is read,
        and InputError for other files."""
        check_modules(*self.modules)
        if self.plots:
            check_plots()
        module = importlib.import_module(f"citewhy_lab.experiments.{self.module}")
        result: Result = module.run(files, setup, progress)
        return result


EXPERIMENTS: Mapping[str, Experiment] = {
    "linkage": Experiment(
        "linkage",
        "citing sentences with their targets (docs/evaluation.md)",
        ("torch", "scipy", "sklearn", "gensim"),
        plots=True,
    ),
    "lcr-prefilter": Experiment(
        "lcr_prefilter",
        "a folder with a data set for local citation recommendation",
        ("scipy",),
        plots=True,
    ),
    "lcr-enhancement": Experiment("lcr_enhancement", "the same (described in docs/local.md)"),
    "lcr-regimes": Experiment("lcr_regimes", "the same"),
    "lcr-negatives": Experiment("lcr_negatives", "the same"),
    "documents-losses": Experiment(
        "documents_losses", "a folder with papers and citations (docs/training.md)"
    ),
    "documents-aspects": Experiment("documents_aspects", "the same"),
    "pcr": Experiment("pcr", "that folder, and one of paragraphs (docs/paragraphs.md)"),
    "pcr-analysis": Experiment("pcr_analysis", "the same", plots=True),
    "pcr-nearest": Experiment("pcr_nearest", "the same"),
    "sets": Experiment(
        "sets",
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

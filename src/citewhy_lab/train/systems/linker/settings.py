"""The recipe of the linker. Imported without LightGBM and scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from citewhy.base.config import DEFAULT_SEED
from citewhy_lab.evaluate.parameters import Option
from citewhy_lab.train.recipe import Recipe


@dataclass(frozen=True, slots=True)
class LinkerInputs:
    """Names what the linker learns from."""

    citances: Annotated[
        tuple[Path, ...],
        Option("Citing sentences with their targets.", metavar="CITANCES…", argument=True),
    ]
    """Files of the task ``linkage``, or folders of CL-SciSumm."""
    texts: Annotated[
        tuple[Path, ...],
        Option(
            "Full texts in which word frequencies are counted; may be repeated. Default: the cited papers.",
            metavar="FILE",
        ),
    ] = ()


@dataclass(frozen=True, slots=True)
class LinkerSettings:
    """The parameters of training; `recipe.TREES` has those of the trees."""

    seed: Annotated[int, Option("Random seed for sampling and trees.")] = DEFAULT_SEED


RECIPE = Recipe(
    name="linkage",
    help="""Train the linker on citing sentences linked to the sentences they refer to.

    Takes a few minutes. Needs the extra `lab`.
    """,
    epilog="""\b
Examples:
  citewhy train linkage my.citances.jsonl --texts fulltext.jsonl --out linker
  citewhy train linkage CL-SciSumm/Training-Set-2018 --out linker

CITANCES are files NAME.citances.jsonl, each with NAME.clusters.jsonl beside it, or CL-SciSumm folders. Use
the trained linker with --linker of suggest and passages, and with `citewhy evaluate linkage --model`. The
printed figures are cross-validated: each paper is judged by a model that was trained without it.
""",
    inputs=LinkerInputs,
    settings=LinkerSettings,
    function="citewhy_lab.train.systems.linker.recipe:train_linkage",
    modules=("lightgbm", "sklearn", "scipy"),
)

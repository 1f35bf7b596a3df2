"""The recipe of the set model. Imported without LightGBM."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from citewhy.base.config import DEFAULT_SEED
from citewhy_lab.evaluate.parameters import EncoderFolder, FollowOutside, Option
from citewhy_lab.train.recipe import DraftsFolder, Manifest, Recipe


@dataclass(frozen=True, slots=True)
class SetsInputs:
    """Names what the set model learns from."""

    manifest: Manifest
    documents: DraftsFolder
    sentences: Annotated[
        tuple[tuple[Path, Path], ...],
        Option("Also learn from citing sentences in FILE; repeatable.", metavar="LIBRARY FILE"),
    ] = ()
    follow_outside: FollowOutside = False
    encoder: EncoderFolder = None


@dataclass(frozen=True, slots=True)
class SetsSettings:
    """The parameters of training; `recipe.TREES` has those of the trees."""

    since: Annotated[
        int,
        Option("Learn only from citing sentences published in YEAR or later.", metavar="YEAR", shown=""),
    ] = 0
    seed: Annotated[int, Option("Random seed for the sampled places and the trees.")] = DEFAULT_SEED


RECIPE = Recipe(
    name="sets",
    help="""Train the model that completes citations: which papers belong together, and how many.

    Needs the extra `lab`.
    """,
    epilog="""\b
Examples:
  citewhy train sets documents.jsonl --documents drafts --out sets
  citewhy train sets a.jsonl --documents a --out s --sentences lib q.jsonl

MANIFEST has one JSON object per line: name (a folder in DOCUMENTS), root (the draft in it), bibs (its
bibliographies). The drafts of four authors in five are used; the others measure. docs/sets.md describes what
is learned. Libraries and what was asked are kept in OUT.training, which can be removed afterwards.
""",
    inputs=SetsInputs,
    settings=SetsSettings,
    function="citewhy_lab.train.systems.sets.recipe:train_sets",
    modules=("lightgbm",),
)

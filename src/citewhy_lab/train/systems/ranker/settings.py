"""The recipes of the ranker, and of its last step. Imported without LightGBM."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from citewhy.base.config import DEFAULT_SEED, YEARS
from citewhy_lab.evaluate.parameters import EncoderFolder, FollowOutside, Option
from citewhy_lab.train.recipe import DraftsFolder, Manifest, Recipe


@dataclass(frozen=True, slots=True)
class RankerInputs:
    """Names what the ranker learns from."""

    files: Annotated[
        tuple[Path, ...], Option("Questions with known answers.", metavar="FILES", argument=True)
    ]
    library: Annotated[Path, Option("Library folder.", metavar="DIR")]
    encoder: EncoderFolder = None


@dataclass(frozen=True, slots=True)
class RankerSettings:
    """The parameters of training; `fit.TREES` has those of the trees."""

    year: Annotated[int, Option("Year of the questions.", least=YEARS[0], most=YEARS[1])] = 2011
    threshold: Annotated[
        float,
        Option("Suggest nothing if the best paper is less likely than this to be right.", least=0, most=1),
    ] = 0.1
    seed: Annotated[int, Option("Random seed for known references and trees.")] = DEFAULT_SEED


RECIPE = Recipe(
    name="ranker",
    help="""Train the ranker on questions with known answers.

    Takes a few minutes on two cores. Needs the extra `lab`.
    """,
    epilog="""\b
Examples:
  citewhy train ranker contexts.jsonl global.jsonl --library mine --out ranker
  citewhy train ranker questions/* --library mine --year 2015 --out other

FILES are questions: citing sentences (task local) and whole papers (task global), told apart by their
content. Only those of YEAR are used, as of that year; the encoder must not have been trained on it.
""",
    inputs=RankerInputs,
    settings=RankerSettings,
    function="citewhy_lab.train.systems.ranker.recipe:train_ranker",
    modules=("lightgbm", "scipy"),
)


@dataclass(frozen=True, slots=True)
class LastStepInputs:
    """Names what the last step of the ranker learns from."""

    manifest: Manifest
    documents: DraftsFolder
    ranker: Annotated[
        Path | None, Option("Ranker to start from; default: the built-in one.", metavar="DIR")
    ] = None
    sentences: Annotated[
        tuple[tuple[Path, Path], ...],
        Option(
            "Also learn from citing sentences in FILE, and from the abstracts of LIBRARY; repeatable.",
            metavar="LIBRARY FILE",
        ),
    ] = ()
    paragraphs: Annotated[
        tuple[tuple[Path, Path], ...],
        Option("Also fit probabilities for paragraphs on those in FILE; repeatable.", metavar="LIBRARY FILE"),
    ] = ()
    follow_outside: FollowOutside = False
    encoder: EncoderFolder = None


@dataclass(frozen=True, slots=True)
class LastStepSettings:
    """The parameters of training; `last_step.TREES` has those of the trees."""

    after: Annotated[
        int,
        Option(
            "Learn only from citing sentences published after YEAR (which the encoder has not seen).",
            metavar="YEAR",
            shown="",
        ),
    ] = 0
    most: int = 2000
    """The most questions of one file, and of the abstracts of one library."""
    seed: Annotated[int, Option("Random seed for the sampled places and the trees.")] = DEFAULT_SEED


LAST_STEP = Recipe(
    name="drafts",
    help="""Train the last step of the ranker on finished drafts with their own bibliographies.

    All other parts of the ranker are kept. Needs the extra `lab`.
    """,
    epilog="""\b
Examples:
  citewhy train drafts documents.jsonl --documents drafts --out ranker
  citewhy train drafts a.jsonl --documents a --out r --sentences lib q.jsonl

MANIFEST has one JSON object per line: name (a folder in DOCUMENTS), root (the draft in it), bibs (its
bibliographies). The drafts of two authors in five are used; the others train the encoder, or measure.
docs/training.md describes what is learned. Libraries are kept in OUT.training, which can be removed
afterwards.
""",
    inputs=LastStepInputs,
    settings=LastStepSettings,
    function="citewhy_lab.train.systems.ranker.last_step:train_last_step",
    modules=("lightgbm", "scipy"),
)

"""The recipe of paper embeddings, and its presets: table 5.1 of Bansal (2023) and its ablations. Imported
without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from citewhy.base.config import DEFAULT_SEED
from citewhy.base.errors import QueryError
from citewhy_lab.evaluate.parameters import Option, year
from citewhy_lab.train.recipe import Recipe

Aspect = str

ASPECTS: tuple[Aspect, ...] = ("background", "method", "result")
"""The intents of a citation (table 2.1); a citation may have several. The source says *methodology* for the
second."""

OTHER: Aspect = "other"
"""The aspect of citations of unknown intent; *miscellaneous* in the source."""

Strategy = Literal["references", "citations", "aspects", "hybrid", "neighbourhoods"]
"""Which papers are positives: those that a paper cites; those or its citing ones; those linked in an aspect;
the same, with two sets of negatives; near ones in an embedding of the citation graph."""

Loss = Literal["triplet", "n-pairs", "contrastive", "hybrid"]

ENCODER, CONCAT = "encoder", "concat"
"""Names of embeddings, beside those of the aspects."""

TOKENS = 128
"""Tokens of a paper that are read, in training and in use, unless asked otherwise."""


@dataclass(frozen=True, slots=True)
class AspectInputs:
    """Names what paper embeddings learn from."""

    data: Annotated[Path, Option("Folder with papers and citations.", metavar="DIR")]
    start: Annotated[
        str | None, Option("Model to start from; default: all-MiniLM-L6-v2.", metavar="DIR|NAME")
    ] = None
    classifier: Annotated[
        Path | None,
        Option("Sentence classifier of intents, instead of the built-in one.", metavar="DIR"),
    ] = None
    embedding: Annotated[
        tuple[str, ...],
        Option("encoder, concat or an aspect; further ones are written to OUT-NAME.", metavar="NAME"),
    ] = (ENCODER,)
    """Names of the embeddings that are written: the first to the folder, each other one beside it."""
    exclude: Annotated[
        tuple[Path, ...],
        Option(
            "Do not train on the papers of this evaluation set, by id and title; may be repeated.",
            metavar="FILE",
        ),
    ] = ()
    instances: Annotated[
        Path | None,
        Option(
            "Train on these instances instead of mining them, without those whose papers are not trained on.",
            metavar="FILE",
        ),
    ] = None
    write_instances: Annotated[
        Path | None, Option("Only mine, and write the instances to FILE.", metavar="FILE")
    ] = None
    """SPECTER's triples go to ``….triples.jsonl``, SciNCL's to ``…_triples.csv``, others are whole."""
    preset: str = ""
    """Name of the preset, for people."""


@dataclass(frozen=True, slots=True)
class AspectSettings:
    """The parameters of training. Defaults are the source's (section 4.4), except `until`, `tokens`,
    `pooling`, `projection` and `dropout`."""

    strategy: Strategy = "citations"
    loss: Annotated[Loss, Option("Loss function.")] = "contrastive"
    positives: Annotated[int, Option("Positives of an instance; not for sciaspect-hybrid.", least=1)] = 1
    hard: Annotated[int, Option("Hard negatives of an instance.", least=0)] = 2
    easy: Annotated[int, Option("Easy negatives of an instance; not for sciaspect-hybrid.", least=0)] = 3
    distant: Annotated[int, Option("Negatives of the global loss of sciaspect-hybrid.", least=1)] = 0
    level: int = 1
    """For the strategy ``aspects``: 1, linked in another aspect are negatives; 2, references of references
    are."""
    temperature: Annotated[float, Option("Temperature of the contrastive losses.", above=0)] = 0.05
    margin: Annotated[float, Option("Margin of the triplet loss.", above=0)] = 1.0
    """In Euclidean distances between embeddings that are not normalised."""
    alpha: Annotated[float, Option("Weight of the global loss in the hybrid one.", least=0, most=1)] = 0.7
    """The local loss has the rest."""
    other: Annotated[
        bool, Option("Also an aspect for citations of unknown intent; not for sciaspect-hybrid.")
    ] = False
    in_all: Annotated[
        bool, Option("Also use papers that are not linked by every intent.", name="--any-aspect")
    ] = True
    """Whether anchors need a positive in each aspect."""
    weighted: bool = False
    """Sentence-level attention with aspect queries."""
    pooling: Annotated[Literal["mean", "cls"], Option("How a text's tokens become one vector.")] = "mean"
    projection: Annotated[Literal["identity", "random"], Option("What the projections start from.")] = (
        "identity"
    )
    until: Annotated[int, year("Learn only from papers published up to YEAR.")] = 2010
    steps: Annotated[int, Option("Number of training steps; default: two epochs.", least=1, shown="")] = 0
    batch: Annotated[int, Option("Instances per batch.", least=1)] = 8
    """Instances in a step of one process."""
    tokens: Annotated[int, Option("Tokens that are read of a paper.", least=3, most=512)] = TOKENS
    learning_rate: Annotated[float, Option("Highest learning rate.", above=0)] = 2e-5
    warm_up: Annotated[int, Option("Steps over which the learning rate rises.", least=0)] = 100
    """Then it falls as a cosine."""
    weight_decay: float = 0.01
    untrained: Annotated[bool, Option("Write the start model as it is, without training.")] = False
    dropout: Annotated[float, Option("Dropout of the encoder in training.", least=0, below=1)] = 0.0
    """The source's encoder has .1."""
    seed: Annotated[int, Option("Random seed for instances and batches.")] = DEFAULT_SEED
    checkpoint_every: int = 50

    @property
    def aspects(self) -> tuple[Aspect, ...]:
        """The aspects that have a projection; none where all citations are alike."""
        if self.strategy not in ("aspects", "hybrid"):
            return ()
        return (*ASPECTS, OTHER) if self.other else ASPECTS

    def check(self) -> None:
        """Raises QueryError for settings that contradict each other."""
        if (self.loss == "hybrid") != (self.strategy == "hybrid"):
            raise QueryError(
                f"the loss {self.loss} does not fit the strategy {self.strategy}",
                hint="the hybrid loss needs the negatives of the hybrid strategy, and those need it",
            )
        if self.strategy == "hybrid":
            self._check_hybrid()
        if self.loss == "n-pairs" and self.positives != 1:
            raise QueryError(
                f"the N-pairs loss has one positive, not {self.positives}",
                hint="use the loss contrastive for more",
            )
        if not self.hard + self.easy:
            raise QueryError("there are no negatives", hint="give a number of hard or of easy ones")
        if self.weighted and not self.aspects:
            raise QueryError("only a model with aspects can be weighted", hint="use sciaspect-weighted")

    def _check_hybrid(self) -> None:
        """Raises QueryError for numbers of papers that are not those of section 5.4."""
        fixed = {
            "one positive": self.positives == 1,
            "no easy negatives": self.easy == 0,
            "local negatives of the first level": self.level == 1,
            "a known intent": not self.other,
        }
        if not all(fixed.values()):
            missing = next(what for what, holds in fixed.items() if not holds)
            raise QueryError(
                f"an instance of a hybrid has {missing}",
                hint="only the numbers of its hard (local) and distant (global) negatives can be changed",
            )


_ASPECT = AspectSettings(strategy="aspects", hard=10, easy=3)

PRESETS: Mapping[str, AspectSettings] = MappingProxyType(
    {
        "specter": AspectSettings("references", "triplet", positives=5, batch=6),
        "specter-undirected": AspectSettings("citations", "triplet", positives=5, batch=6),
        "specter-cl": AspectSettings("citations", "contrastive"),
        "scincl": AspectSettings("neighbourhoods", "triplet", positives=5, batch=6),
        "sciaspect": _ASPECT,
        "sciaspect-l2": replace(_ASPECT, level=2, hard=3),
        "sciaspect-hybrid": replace(_ASPECT, strategy="hybrid", loss="hybrid", hard=5, distant=5, easy=0),
        "sciaspect-weighted": replace(_ASPECT, weighted=True),
    }
)
"""Table 5.1. A batch of SPECTER's has 32 triplets, here six instances of five."""


def preset(name: str, **changes: Any) -> AspectSettings:
    """Returns the settings of the preset `name`, with `changes`. Raises QueryError for an unknown name, and
    for settings that contradict each other."""
    if name not in PRESETS:
        raise QueryError(f"there is no recipe {name!r}", hint=f"choose from: {', '.join(PRESETS)}")
    settings = replace(PRESETS[name], **changes)
    settings.check()
    return settings


RECIPE = Recipe(
    name="documents",
    help="""Train paper embeddings on citations: SPECTER, SciNCL, SPECTERCL, SciAspect.

    The result is an encoder, for --encoder. Needs the extra `lab`.
    """,
    epilog="""\b
Examples:
  citewhy train documents specter-cl --data collection --out specter-cl
  citewhy train documents sciaspect --data coll --out a --embedding method
  citewhy train documents specter --data coll --out b --steps 99 --tokens 64

\b
RECIPE                positives             loss
  specter             cited papers          triplet
  specter-undirected  cited or citing       triplet
  specter-cl          cited or citing       contrastive
  scincl              near in the graph     triplet
  sciaspect           linked by an intent   contrastive, by intent
  sciaspect-l2        linked by an intent   the same, L2 negatives
  sciaspect-hybrid    linked by an intent   both contrastive losses
  sciaspect-weighted  linked by an intent   as sciaspect, weighted

DATA is the same folder as for `citewhy train encoder`. docs/training.md describes data, recipes and options.
After Ctrl-C, the same command continues from the last checkpoint in the folder OUT.training.
""",
    inputs=AspectInputs,
    settings=AspectSettings,
    function="citewhy_lab.train.systems.aspects.recipe:train_aspects",
    on_devices=True,
    presets=PRESETS,
    preset=Option("One of the presets.", metavar="RECIPE", argument=True),
)

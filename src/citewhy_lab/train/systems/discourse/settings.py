"""The recipe of the discourse tagger. Imported without torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from citewhy.base.config import DEFAULT_SEED
from citewhy.ranking.classify.features import Features
from citewhy_lab.evaluate.parameters import Option
from citewhy_lab.train.recipe import Recipe, StartFolder, WordsFile


@dataclass(frozen=True, slots=True)
class DiscourseInputs:
    """Names what the tagger learns from."""

    data: Annotated[Path, Option("Paragraphs of CORWA.", metavar="DATA", argument=True)]
    words: WordsFile = None
    start: StartFolder = None


@dataclass(frozen=True, slots=True)
class DiscourseSettings:
    """The parameters of training."""

    features: Features = field(
        default_factory=lambda: Features(
            words={"text": 2},
            cues=("text",),
            markers=("text",),
            position=True,
            citations=True,
        )
    )
    """Features of a sentence, beside its vector."""
    least: int = 10
    """Minimum number of sentences with a feature."""
    layers: int = 6
    """Layers of the start encoder that are kept, the first ones."""
    trained: int = 3
    """How many of these are trained, the last ones; what is below stays as it is."""
    tokens: int = 64
    """Maximum number of tokens of a sentence."""
    gain: float = 4.0
    """Factor of the encoder's vectors, which have length 1, before the layer that reads them."""
    hidden: int = 48
    """Units of the layer that reads a sentence's features."""
    units: int = 32
    """Units of the recurrent layer, in each direction."""
    dropout: float = 0.4
    encoder_dropout: float = 0.1
    epochs: int = 4
    batch: int = 8
    """Paragraphs in a step."""
    encoder_rate: float = 1e-4
    """Learning rate of the encoder."""
    learning_rate: float = 2e-3
    """Learning rate of everything else. Both rise over a share of `warm_up` of the steps, and fall
    linearly."""
    warm_up: float = 0.06
    weight_decay: float = 1e-2
    balance: float = 0.5
    """The weight of an example is one over its label's share, to this power."""
    folds: int = 5
    seed: Annotated[int, Option("Random seed for the folds and the network.")] = DEFAULT_SEED

    def document(self) -> dict[str, Any]:
        """Returns the settings as JSON."""
        return {**asdict(self), "features": self.features.document()}


RECIPE = Recipe(
    name="discourse",
    help="""Train the tagger that finds topic sentences.

    It tells for each sentence of a paragraph on related work whether it introduces a topic, summarises one
    work or several, cites in passing, or compares with the own work. Takes about forty minutes for CORWA on
    one core. Needs the extra `lab`.
    """,
    epilog="""\b
Examples:
  citewhy train discourse corwa.train.jsonl.gz --out discourse
  citewhy train discourse CORWA/data --words papers.jsonl --out discourse

DATA is a file of JSON lines or a folder of BRAT annotations; docs/training.md describes both layouts. All
printed figures are cross-validated by paper.
""",
    inputs=DiscourseInputs,
    settings=DiscourseSettings,
    function="citewhy_lab.train.systems.discourse.recipe:train_discourse",
)

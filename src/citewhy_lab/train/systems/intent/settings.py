"""The recipe of the classifier of intents. Imported without torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from citewhy.base.config import DEFAULT_SEED
from citewhy_lab.evaluate.parameters import Option
from citewhy_lab.train.recipe import Recipe, StartFolder, WordsFile

TARGET_TOKEN, OTHER_TOKEN = "§", "@"
"""Tokens of the vocabulary that stand for the citation in question, and for other citations."""


@dataclass(frozen=True, slots=True)
class IntentInputs:
    """Names what the classifier learns from."""

    data: Annotated[Path, Option("Labelled citations, as JSON lines.", metavar="FILE")]
    more: Annotated[
        tuple[Path, ...],
        Option("Citing sentences with labels of MultiCite; may be repeated.", metavar="FILE"),
    ] = ()
    texts: Annotated[
        tuple[Path, ...],
        Option(
            "Full texts, for the sections of citing sentences and the need of a citation; may be repeated.",
            metavar="FILE",
        ),
    ] = ()
    """In any format, citations as printed."""
    discourse: Annotated[Path | None, Option("Paragraphs of CORWA, for their tags.", metavar="FILE")] = None
    papers: Annotated[
        Path | None,
        Option(
            "Records of the citing papers: authors who cite a work of their own often extend it.",
            metavar="FILE",
        ),
    ] = None
    words: WordsFile = None
    start: StartFolder = None


@dataclass(frozen=True, slots=True)
class IntentSettings:
    """The parameters of training."""

    layers: int = 4
    """Layers of the encoder that are kept, the first ones. The embeddings and the first layer stay as they
    are; the others are trained."""
    tokens: int = 64
    """Maximum number of tokens of a sentence."""
    context: Annotated[
        int,
        Option(
            "Tokens of the sentence before, and of the one after, that the functions are read with.",
            metavar="N",
            least=0,
            most=128,
        ),
    ] = 0
    """0: without them."""
    scaffold_epochs: int = 1
    """Passes over the sentences of the scaffolds, before those over the citations."""
    scaffold_sentences: int = 8000
    """Maximum number of sentences of full texts for each scaffold."""
    epochs: Annotated[int, Option("Passes over the data.", least=1)] = 2
    batch: int = 32
    learning_rate: float = 1e-4
    head_gain: float = 20.0
    """The learning rate of the heads, relative to that of the layers."""
    warm_up: int = 60
    """Steps until the learning rate is reached; then it falls linearly."""
    dropout: float = 0.1
    weight_decay: float = 0.01
    average: float = 0.99
    """The weights that are written are an exponential moving average over the steps, with this decay."""
    words_weight: float = 0.5
    """Weight of the scores of a linear classifier of words beside those of the network, for the intents; 0:
    none."""
    words_penalty: float = 1e-4
    """Penalty of the squared weights of that classifier."""
    purposes: bool = True
    """Whether words for a purpose, and whether authors cite their own work, are used beside the network for
    the functions."""
    purposes_penalty: float = 2e-3
    """Penalty of the squared weights of these, each in units of its feature's standard deviation."""
    purposes_least: int = 20
    """Minimum number of examples with such a feature."""
    repeat_functions: int = 1
    """Number of times that an epoch has each example of ACL-ARC, which has fewer than SciCite."""
    multicite_weight: float = 0.5
    """Weight of an example of MultiCite."""
    folds: int = 5
    """Groups of examples, such as the citations of a paper, are dealt into so many folds. What stands beside
    the network, the calibration, and the figures of the manifest are made of scores by networks that did not
    learn from the fold of an example."""
    seed: Annotated[int, Option("Random seed for the order of the citations, and for dropout.")] = (
        DEFAULT_SEED
    )

    def document(self) -> dict[str, Any]:
        """Returns the settings as JSON."""
        return asdict(self)


RECIPE = Recipe(
    name="intent",
    help="""Train the classifier of intents: why a sentence cites a paper.

    Takes half an hour or more on one core. Needs the extra `lab`.
    """,
    epilog="""\b
Examples:
  citewhy train intent --data intents.train.jsonl.gz --out intent
  citewhy train intent --data intents.jsonl --papers papers.jsonl --out a

DATA has the citations of SciCite and ACL-ARC, as for `citewhy evaluate intent` (docs/training.md). A network
is trained for each of five folds of the papers, and one on all; the printed figures are those of the papers
that a network was not trained on. An interrupted training goes on where it stopped. The classifier is used
with `citewhy classify --model` and `citewhy evaluate intent --model`.
""",
    inputs=IntentInputs,
    settings=IntentSettings,
    function="citewhy_lab.train.systems.intent.recipe:train_intent",
)

"""The recipe of the cross-encoder. Imported without torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from citewhy.base.config import DEFAULT_SEED
from citewhy.base.errors import QueryError
from citewhy_lab.evaluate.parameters import EncoderFolder, FollowOutside, Option
from citewhy_lab.train.recipe import DraftsFolder, Manifest, Recipe, StartFolder


@dataclass(frozen=True, slots=True)
class CrossInputs:
    """Names what the cross-encoder learns from."""

    manifest: Manifest
    documents: DraftsFolder
    sentences: Annotated[
        tuple[tuple[Path, Path], ...],
        Option("Also learn from the citing sentences in FILE; repeatable.", metavar="LIBRARY FILE"),
    ] = ()
    start: StartFolder = None
    encoder: EncoderFolder = None
    follow_outside: FollowOutside = False


@dataclass(frozen=True, slots=True)
class CrossSettings:
    """The parameters of training."""

    layers: Annotated[int, Option("Layers of the network.", least=1)] = 6
    joint: Annotated[int, Option("The last layers, in which the texts see each other.", least=1)] = 3
    """The layers below read each text alone, and are not trained."""
    depth: Annotated[int, Option("Candidates that are read.", least=2)] = 30
    """The first ones of the default ranking, in training and in use."""
    sentence: int = 46
    paper: int = 58
    citing: Annotated[
        int, Option("Tokens of the sentence that cites the paper elsewhere in the draft; 0: none.", least=0)
    ] = 38
    """Tokens that are read of the three texts, marks included."""
    steps: Annotated[int, Option("Number of training steps.", least=1)] = 600
    lists: int = 4
    """Questions of a step."""
    negatives: int = 6
    """Wrong candidates of a question, two of three among the first `near`."""
    near: int = 14
    learning_rate: float = 7e-5
    head_rate: float = 10.0
    """How many times as fast what is new learns."""
    warm_up: float = 0.05
    """Share of the steps over which the learning rate rises; then it falls to zero, both linearly."""
    weight_decay: float = 0.01
    clip: float = 1.0
    """Norm that a step's gradients are scaled down to."""
    gate: float = -1.5
    """What is added to the attention between two texts before the first step."""
    of_draft: int = 40
    most: int = 2000
    """The most questions of a draft, and of a file of sentences."""
    checkpoint_every: int = 100
    seed: Annotated[int, Option("Random seed for the questions and the candidates.")] = DEFAULT_SEED

    def check(self) -> None:
        """Raises QueryError for more joint layers than there are."""
        if self.joint > self.layers:
            raise QueryError(
                f"{self.joint} of {self.layers} layers cannot be joint", hint="give --joint as many at most"
            )


RECIPE = Recipe(
    name="crossencoder",
    help="""Train a cross-encoder, a reranker that reads a sentence and a candidate together.

    Needs the extra `lab`.
    """,
    epilog="""\b
Examples:
  citewhy train crossencoder a.jsonl --documents a --out c
  citewhy train crossencoder a.jsonl --documents a --out c --sentences l q

MANIFEST has one JSON object per line: name (a folder in DOCUMENTS), root (the draft in it), bibs (its
bibliographies). One author in five is left out, to measure. Use the result with --reranker of suggest,
backtest and evaluate. docs/training.md describes what is learned. Libraries and candidates are kept in
OUT.training, which can be removed afterwards.
""",
    inputs=CrossInputs,
    settings=CrossSettings,
    function="citewhy_lab.train.systems.crossencoder.recipe:train_crossencoder",
    on_devices=True,
)

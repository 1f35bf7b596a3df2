"""The recipe of NCN: sizes and settings. Imported without torch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from citewhy.base.config import DEFAULT_SEED
from citewhy_lab.evaluate.parameters import Option
from citewhy_lab.train.recipe import Recipe, Regime, RerankerInputs


@dataclass(frozen=True, slots=True)
class NcnShape:
    """Sizes are dimensions of vectors; those of the authors' code."""

    word: int = 64
    state: int = 64
    """Dimensions of the state of the GRU."""
    filters: int = 64
    """Filters of each width of a convolution."""
    widths: tuple[int, ...] = (4, 4, 5)
    """Widths of the convolutions over a context, in words."""
    author: int = 64
    author_widths: tuple[int, ...] = (1, 2)
    """Widths of the convolutions over authors."""
    context_tokens: int = 31
    title_tokens: int = 15
    authors: int = 5
    """Authors that are read of a paper, the first ones."""
    vocabulary: int = 20_000
    """At most so many words of contexts, words of titles, and authors, the most frequent ones."""


@dataclass(frozen=True, slots=True)
class NcnSettings:
    """The parameters of training; `NcnShape` has those of the network."""

    shape: NcnShape = field(default_factory=NcnShape)
    regime: Annotated[
        Regime,
        Option(
            "standard: learn from all citations; strict: only from papers that the first stage found.",
            metavar="NAME",
        ),
    ] = "standard"
    epochs: Annotated[int, Option("Number of epochs, of 100 batches each.", least=1)] = 20
    batches: int = 100
    """Steps of an epoch."""
    pairs: int = 64
    """Pairs of a context and a cited paper in a batch."""
    learning_rate: float = 1e-3
    dropout: float = 0.2
    """Probability with which an input of the GRU is dropped."""
    clip: float = 5.0
    """Norm that a step's gradients are scaled down to."""
    validate_every: int = 5
    """Epochs between two validations."""
    validated: int = 100
    """Validation contexts that are asked each time, drawn once; all where there are fewer."""
    depth: int = 200
    """Candidates of the first stage, in validation and in use."""
    held_out: Annotated[bool, Option("Train on held-out papers, too.", name="--with-held-out")] = True
    """Keep held-out papers (`evaluate.datasets.held_out`) from training."""
    seed: Annotated[int, Option("Random seed.")] = DEFAULT_SEED


RECIPE = Recipe(
    name="ncn",
    help="""Train NCN, a reranker that ranks papers by how probable their titles are after a citing sentence.

    A baseline of the literature. Needs the extra `lab`.
    """,
    epilog="""\b
Examples:
  citewhy train ncn --data collection --out ncn
  citewhy train ncn --data collection --regime strict --out ncn-strict

DATA holds papers.jsonl and contexts.jsonl, preferably also citations.tsv, as for `citewhy train textbib`. The
first stage is BM25, queried as it is when suggesting; 200 of its candidates are reranked, because the network
reads every title word by word. After Ctrl-C, the same command continues from the last checkpoint in the
folder OUT.training, which can be removed at the end.
""",
    inputs=RerankerInputs,
    settings=NcnSettings,
    function="citewhy_lab.train.systems.ncn.recipe:train_ncn",
    modules=("torch", "safetensors"),
    on_devices=True,
)

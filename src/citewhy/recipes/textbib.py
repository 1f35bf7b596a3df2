"""TEXTBIB, a reranker for citing sentences: Medić and Šnajder (2020, 2022)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from citewhy.config import DEFAULT_SEED
from citewhy.models.textbib_shape import Shape
from citewhy.progress import Tell
from citewhy.records import Alias, Citation, Context, Paper
from citewhy.sampling.mixes import Mix

__all__ = ["FirstStage", "Regime", "TextBibData", "TextBibSettings", "train_textbib"]

Regime = Literal["standard", "strict"]
"""Learn from all contexts, or only from those whose cited paper the first stage found."""

FirstStage = Callable[[Context], Sequence[str]]
"""The ids that the first stage gives for a context, best first. Asked once for each context."""


@dataclass(frozen=True, slots=True)
class TextBibSettings:
    """The recipe's dials; `Shape` has the network's."""

    shape: Shape = field(default_factory=Shape)
    regime: Regime = "strict"
    negatives: Mix = field(default_factory=lambda: Mix.named("prefiltered"))
    epochs: int = 100
    batches: int = 100
    """Steps of an epoch."""
    pairs: int = 30
    """Pairs of a context and a cited paper in a batch; each makes as many triplets as it has negatives."""
    margin: float = 0.1
    learning_rate: float = 1e-3
    dropout: float = 0.2
    clip: float = 1.0
    """Norm that a step's gradients are scaled down to."""
    validate_every: int = 5
    """Epochs between two validations."""
    validated: int = 500
    """Validation contexts that are asked each time, drawn once; all where there are fewer."""
    depth: int = 1000
    """Candidates of the first stage."""
    held_out: bool = True
    """Keep held-out papers (`datasets.held_out`) from training, as right and as wrong answers."""
    seed: int = DEFAULT_SEED


@dataclass(frozen=True, slots=True)
class TextBibData:
    """What is learned from. Any id of a paper may stand anywhere; `aliases` say which are the same."""

    papers: Sequence[Paper]
    train: Sequence[Context]
    val: Sequence[Context]
    citations: Sequence[Citation]
    """Who cites whom; citing sentences of `train` are added. A citation counts from the year after its
    own, so that later ones may be among them."""
    first_stage: FirstStage
    aliases: Sequence[Alias] = ()
    vectors: Path | None = None
    """Word vectors as text, word2vec or GloVe, to begin with; None: made from the papers' own words."""


def train_textbib(data: TextBibData, settings: TextBibSettings, out: Path, tell: Tell) -> dict[str, Any]:
    """Writes the folder `out`, which `rerank.textbib.open_textbib` opens, and returns its report.

    Checkpoints lie in the folder `out` + ``.training``, from which the same call goes on after an
    interruption.
    """
    raise NotImplementedError

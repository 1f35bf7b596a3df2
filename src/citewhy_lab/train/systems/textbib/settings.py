"""The settings of TEXTBIB's training. Imported without torch."""

from __future__ import annotations

from dataclasses import dataclass, field

from citewhy.base.config import DEFAULT_SEED
from citewhy_lab.train.reranking.data import Regime
from citewhy_lab.train.sampling.mixes import Mix, Strategy
from citewhy_lab.train.systems.textbib.shape import Shape

__all__ = ["SOURCE", "TextBibSettings"]


@dataclass(frozen=True, slots=True)
class TextBibSettings:
    """The parameters of training; `Shape` has those of the network."""

    shape: Shape = field(default_factory=Shape)
    regime: Regime = "strict"
    negatives: Mix = field(default_factory=lambda: Mix.named("prefiltered"))
    epochs: int = 100
    batches: int = 100
    """Steps of an epoch."""
    pairs: int = 30
    """Pairs of a context and a cited paper in a batch; each makes as many triplets as it has negatives."""
    margin: float = 0.2
    learning_rate: float = 2e-3
    """Of the first step."""
    dropout: float = 0.4
    train_words: bool = False
    """Whether word vectors are trained, too; with only some thousand pairs, frozen ones do better."""
    decay: bool = True
    """Whether the learning rate falls to zero; otherwise it stays as it is."""
    clip: float | None = 1.0
    """Norm that a step's gradients are scaled down to; None: they are not."""
    validate_every: int = 5
    """Epochs between two validations."""
    validated: int = 300
    """Validation contexts that are asked each time, drawn once; all where there are fewer."""
    depth: int = 1000
    """Candidates of the first stage."""
    held_out: bool = True
    """Keep held-out papers (`evaluate.datasets.held_out`) from training, as positives and as negatives."""
    enough: tuple[Strategy, int] | None = None
    """Learn only from contexts with at least this number of hard negatives of the strategy."""
    seed: int = DEFAULT_SEED


SOURCE = TextBibSettings(
    shape=Shape(
        state=100,
        attention=400,
        author=50,
        people=50,
        recent=4,
        context_tokens=400,
        paper_tokens=200,
        function_words=True,
    ),
    regime="standard",
    negatives=Mix.named("random"),
    margin=0.3,
    learning_rate=1e-3,
    decay=False,
    dropout=0.0,
    train_words=True,
    clip=None,
    held_out=False,
)
"""The sizes and settings of the source: those of Medić (2023, section 5.2), and of the code that its authors
published for the paper of 2020 (https://github.com/zoranmedic/DualLCR) where the thesis refers to it. 400
tokens hold a context of 600 characters to each side."""

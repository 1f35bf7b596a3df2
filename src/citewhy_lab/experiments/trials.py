"""What the experiments on rerankers train: the cells of their tables, and the scales."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from citewhy_lab.train.reranking.data import Regime
from citewhy_lab.train.sampling.mixes import Strategy
from citewhy_lab.train.systems.ncn.settings import NcnSettings
from citewhy_lab.train.systems.textbib.settings import SOURCE, TextBibSettings
from citewhy_lab.train.systems.textbib.shape import Shape, Variant

__all__ = ["SCALES", "SEEDS", "Network", "Prefilter", "Scale", "Trial"]

Network = Variant | Literal["NCN"]
"""A variant of TEXTBIB, or the baseline of table 4.2."""

Prefilter = Literal["BM25", "dense"]

SEEDS = 3
"""Number of trainings of each kind, with consecutive seeds."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Sizes of training and test; None: everything available."""

    learned: int | None
    tested: int | None
    settings: TextBibSettings
    short: int = 40
    """Characters on each side of the marker in a short context."""
    whole: int | None = None
    """The same of a whole context; None: all that the data has."""
    usual: int | None = None
    """The same in the tables of chapter 5."""
    ncn: NcnSettings = field(default_factory=lambda: NcnSettings(held_out=False))


SCALES = {
    "source": Scale(None, None, SOURCE, short=200, whole=600, usual=200),
    "full": Scale(None, None, TextBibSettings(held_out=False)),
    "small": Scale(
        1000,
        150,
        TextBibSettings(
            shape=Shape(word=64, state=24, attention=24, author=16, people=16, paper_tokens=40),
            epochs=4,
            batches=60,
            pairs=10,
            dropout=0.1,
            validate_every=2,
            validated=30,
            depth=200,
            held_out=False,
        ),
        ncn=NcnSettings(epochs=4, batches=60, validate_every=2, validated=30, held_out=False),
    ),
}


@dataclass(frozen=True, slots=True)
class Trial:
    """A cell of a table."""

    variant: Network = "TEXTBIBENH-WS"
    prefilter: Prefilter = "BM25"
    regime: Regime = "standard"
    negatives: str = "random"
    window: int | None = None
    """Characters of a context that are read on each side of the marker; None: all."""
    enough: tuple[Strategy, int] | None = None
    """Learn only from contexts with at least this number of hard negatives of the strategy."""

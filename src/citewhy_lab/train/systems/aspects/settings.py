"""The settings of training, and the recipes: table 5.1 of Bansal (2023) and its ablations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, get_args

from citewhy.base.config import DEFAULT_SEED
from citewhy.base.errors import QueryError
from citewhy_lab.train.systems.aspects.graph import ASPECTS, OTHER, Aspect

__all__ = ["CONCAT", "ENCODER", "LOSSES", "RECIPES", "STRATEGIES", "TOKENS", "Settings", "recipe"]

Strategy = Literal["references", "citations", "aspects", "hybrid", "neighbourhoods"]

STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
"""Which papers are positives: those that a paper cites; those or its citing ones; those linked in an aspect;
the same, with two sets of negatives; near ones in an embedding of the citation graph."""

Loss = Literal["triplet", "n-pairs", "contrastive", "hybrid"]

LOSSES: tuple[Loss, ...] = get_args(Loss)

ENCODER, CONCAT = "encoder", "concat"
"""Names of embeddings, beside those of the aspects."""

TOKENS = 128
"""Tokens of a paper that are read, in training and in use, unless asked otherwise."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Checked by `recipe`. Defaults are the source's (section 4.4), except `until` and `tokens`."""

    strategy: Strategy = "citations"
    loss: Loss = "contrastive"
    positives: int = 1
    hard: int = 2
    easy: int = 3
    distant: int = 0
    """Negatives of the global loss."""
    level: int = 1
    """Of `aspects`: 1, linked in another aspect are negatives; 2, references of references are."""
    temperature: float = 0.05
    margin: float = 1.0
    """Of the triplet loss, in Euclidean distances between embeddings that are not normalised."""
    alpha: float = 0.7
    """Weight of the global loss of a hybrid; the local one has the rest."""
    other: bool = False
    """Whether citations of unknown intent are an aspect of their own."""
    in_all: bool = True
    """Whether anchors need a positive in each aspect."""
    weighted: bool = False
    """Sentence-level attention with aspect queries."""
    pooling: Literal["mean", "cls"] = "mean"
    projection: Literal["identity", "random"] = "identity"
    """What the projections start from."""
    until: int = 2010
    """Last year of the papers that are trained on, inclusive."""
    steps: int = 0
    """0: as many as two epochs have."""
    batch: int = 8
    """Instances in a step of one process."""
    tokens: int = TOKENS
    learning_rate: float = 2e-5
    warm_up: int = 100
    """Steps over which the learning rate rises; then it falls as a cosine."""
    weight_decay: float = 0.01
    seed: int = DEFAULT_SEED
    checkpoint_every: int = 50

    @property
    def aspects(self) -> tuple[Aspect, ...]:
        """That have a projection; none where all citations are alike."""
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


_ASPECT = Settings(strategy="aspects", hard=10, easy=3)

RECIPES: Mapping[str, Settings] = MappingProxyType(
    {
        "specter": Settings("references", "triplet", positives=5, batch=6),
        "specter-undirected": Settings("citations", "triplet", positives=5, batch=6),
        "specter-cl": Settings("citations", "contrastive"),
        "scincl": Settings("neighbourhoods", "triplet", positives=5, batch=6),
        "sciaspect": _ASPECT,
        "sciaspect-l2": replace(_ASPECT, level=2, hard=3),
        "sciaspect-hybrid": replace(_ASPECT, strategy="hybrid", loss="hybrid", hard=5, distant=5, easy=0),
        "sciaspect-weighted": replace(_ASPECT, weighted=True),
    }
)
"""Table 5.1. A batch of SPECTER's has 32 triplets, here six instances of five."""


def recipe(name: str, **changes: Any) -> Settings:
    """The settings of a recipe, with `changes` that are not None. Raises QueryError."""
    if name not in RECIPES:
        raise QueryError(f"there is no recipe {name!r}", hint=f"choose from: {', '.join(RECIPES)}")
    settings = replace(RECIPES[name], **{key: value for key, value in changes.items() if value is not None})
    settings.check()
    return settings

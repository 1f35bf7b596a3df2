"""The settings of QPCR and of the systems that the source compares it with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from citewhy.base.config import DEFAULT_SEED

__all__ = [
    "ABSTRACT",
    "NEAREST",
    "POOLS",
    "TOKENS",
    "TOPIC_MARK",
    "TRAINED",
    "VARIANTS",
    "Settings",
    "Variant",
]

Variant = Literal["qpcr", "tri", "aclrw", "ts", "base"]
"""``qpcr``: quadruplets; ``tri``: triplets of the same papers; ``aclrw``: triplets of a whole paper, a paper
that its related-work section cites, and one that it does not cite; ``ts`` and ``base``: the start encoder as
it is, with and without the topic sentence in the query."""

VARIANTS: tuple[Variant, ...] = get_args(Variant)

TRAINED: tuple[Variant, ...] = ("qpcr", "tri", "aclrw")

TOPIC_MARK = "[TS]"
"""The token before the topic sentence of a query."""

TOKENS = {"query": 256, "paper": 96}
"""Tokens that are read of a text, in training and in use."""

ABSTRACT = 900
"""Characters of an abstract that a query has, so that the topic sentence after it is not cut off."""

POOLS = (3, 3, 4)
"""Negatives of a paragraph: from the related-work section, from elsewhere in the paper, and from the
references of the papers that it cites."""

NEAREST = 100
"""Papers of which `Settings.nearest` draws."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of training. Checked by the command line that fills them."""

    variant: Variant = "qpcr"
    epochs: int = 5
    """Maximum; training ends after `patience` epochs without a better R-precision."""
    patience: int = 2
    paragraphs: int = 4
    """Paragraphs in a step, each with all of its quadruplets."""
    nearest: int = 0
    """How many negatives of a paragraph are from the `NEAREST` papers that the start encoder ranks first,
    in place of as many from the pools."""
    margin: float = 0.5
    layers: int = 2
    """Number of the last layers that are trained."""
    learning_rate: float = 1e-5
    warm_up: float = 0.1
    weight_decay: float = 0.01
    first_moment: float = 0.99
    """β₁ of AdamW; β₂ is .999."""
    clip: float = 1.0
    pool: int = 1000
    """Papers that are ranked for validation, beside those that the validation paragraphs cite."""
    seed: int = DEFAULT_SEED

    @property
    def name(self) -> str:
        """For messages and files."""
        return f"{self.variant}{'-nearest' if self.nearest else ''}-{self.seed}"

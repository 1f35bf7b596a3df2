"""The recipe of QPCR and of the systems that the source compares it with. Imported without torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from citewhy.base.config import DEFAULT_SEED
from citewhy_lab.evaluate.parameters import Option
from citewhy_lab.train.recipe import Recipe, StartFolder

Pooling = Literal["mean", "cls"]

Variant = Literal["qpcr", "tri", "aclrw", "ts", "base"]
"""``qpcr``: quadruplets; ``tri``: triplets of the same papers; ``aclrw``: triplets of a whole paper, a paper
that its related-work section cites, and one that it does not cite; ``ts`` and ``base``: the start encoder as
it is, with and without the topic sentence in the query."""

TRAINED: tuple[Variant, ...] = ("qpcr", "tri", "aclrw")

TOPIC_MARK = "[TS]"
"""The token before the topic sentence of a query."""

TOKENS = {"query": 256, "paper": 96}
"""Tokens that are read of a text, in training and in use."""

ABSTRACT = 900
"""Characters of an abstract that a query has, so that the topic sentence after it is not cut off."""

POOLS = (3, 3, 4)
"""Negatives of a paragraph: from the related-work section, from elsewhere in the paper, and from the
references of the papers that its related work cites."""

PUBLISHED_POOLS = (4, 3, 3)
"""The same in the code of the authors."""

INSTANCES = 32
"""Quadruplets or triplets of a step in the code of the authors: eight times four, whose gradients are
added up."""

DROPOUT = 0.1
"""That of BERT, and of the source's start model."""

NEAREST = 100
"""Papers of which `QpcrSettings.nearest` draws."""


@dataclass(frozen=True, slots=True)
class QpcrInputs:
    """Names what QPCR learns from."""

    data: Annotated[Path, Option("Folder with papers and citations.", metavar="DIR")]
    train: Annotated[tuple[Path, ...], Option("Paragraphs to learn from.", metavar="FILE")]
    val: Annotated[tuple[Path, ...], Option("Paragraphs for early stopping.", metavar="FILE")]
    start: StartFolder = None


@dataclass(frozen=True, slots=True)
class QpcrSettings:
    """The parameters of training."""

    variant: Annotated[
        Variant,
        Option(
            "qpcr: quadruplets; tri: triplets; aclrw: triplets of whole papers; ts and base: the start "
            "encoder with and without the topic sentence."
        ),
    ] = "qpcr"
    epochs: Annotated[int, Option("Maximum number of epochs.", least=1)] = 5
    """Training ends after `patience` epochs without a better R-precision."""
    patience: int = 2
    paragraphs: int = 4
    """Paragraphs in a step, each with all of its quadruplets."""
    nearest: Annotated[
        int,
        Option(
            "Of ten negatives, draw N from the papers that the start encoder ranks first; 0: as in the "
            "source.",
            metavar="N",
            least=0,
            most=10,
        ),
    ] = 0
    """They are drawn from the first `NEAREST` papers, in place of as many from the pools."""
    as_published: Annotated[
        bool, Option("Instances, dropout and trained embeddings as in the code of the source's authors.")
    ] = False
    """Ten quadruplets for each cited paper of a paragraph with several, ten triplets for each of any, drawn
    anew for each epoch (`published`); `INSTANCES` in a step; dropout as the start model has it; the
    embeddings are trained as well as the last layers; gradients are not clipped; the learning rate reaches
    its peak before it falls; products in 32 bits."""
    pooling: Annotated[Pooling, Option("How a text's tokens become one vector.")] = "mean"
    unscaled: Annotated[
        bool, Option("Train and validate with vectors of any length; served ones have length 1.")
    ] = False
    tokens: Annotated[
        int,
        Option(
            "Tokens that are read of a text, its topic sentence whole; 0: 256 of a query, 96 of a paper.",
            least=0,
            most=512,
            shown=0,
        ),
    ] = 0
    margin: Annotated[float, Option("Margin of the losses.", above=0)] = 0.5
    layers: Annotated[int, Option("Number of last layers to train.", least=1)] = 2
    learning_rate: Annotated[float, Option("Learning rate.", above=0)] = 1e-5
    warm_up: float = 0.1
    weight_decay: float = 0.01
    first_moment: float = 0.99
    """β₁ of AdamW; β₂ is .999."""
    clip: float = 1.0
    pool: int = 1000
    """Papers that are ranked for validation, beside those that the validation paragraphs cite."""
    seed: Annotated[int, Option("Random seed.")] = DEFAULT_SEED

    @property
    def name(self) -> str:
        """The name of a training with these settings, for messages and files."""
        return f"{self.variant}{'-nearest' if self.nearest else ''}-{self.seed}"


SOURCE = QpcrSettings(patience=0, as_published=True, pooling="cls", unscaled=True, tokens=512)
"""The settings of the paper, and of the code that its authors published (https://github.com/zoranmedic/qpcr)
where the paper does not say."""

RECIPE = Recipe(
    name="qpcr",
    help="""Train QPCR: papers for a paragraph from title, abstract, and topic sentence.

    The encoder can be used everywhere with --encoder. An interrupted training is resumed by the same command.
    Needs the extra `lab`.
    """,
    epilog="""\b
Examples:
  citewhy train qpcr --data DIR --train a.jsonl --val b.jsonl --out qpcr
  citewhy train qpcr --data DIR --train a --val b --variant tri --out tri

`citewhy datasets build paragraphs` makes the files of paragraphs; docs/training.md describes them, and the
folder DIR with papers and citations. The trained folder is an encoder: `citewhy suggest --encoder qpcr`.
""",
    presets={"default": QpcrSettings(), "source": SOURCE},
    preset=Option("source: the settings of the paper and of its authors' code."),
    inputs=QpcrInputs,
    settings=QpcrSettings,
    function="citewhy_lab.train.systems.qpcr.recipe:train_qpcr",
    on_devices=True,
)

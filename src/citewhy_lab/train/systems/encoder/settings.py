"""The recipe of the encoder: data, settings, and what is read of a text. Imported without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

from citewhy.base.config import DEFAULT_SEED
from citewhy_lab.evaluate.parameters import Option, year
from citewhy_lab.train.recipe import Recipe

Source = Literal["context", "citation", "self", "paragraph", "triple", "draft", "field"]

WEIGHTS: Mapping[Source, float] = MappingProxyType(
    {
        "context": 6.0,
        "citation": 3.0,
        "self": 1.0,
        "paragraph": 0.2,
        "triple": 0.1,
        "draft": 5.0,
        "field": 2.0,
    }
)
"""How often a batch is of each source of pairs, relative to each other."""

TOKENS: Mapping[str, int] = MappingProxyType({"query": 72, "paper": 128})
"""Tokens that are read of a text, in training and in use. A whole paper as query is read like a paper."""


@dataclass(frozen=True, slots=True)
class EncoderInputs:
    """Names what the encoder learns from."""

    data: Annotated[Path, Option("Folder with papers and citations.", metavar="DIR")]
    start: Annotated[
        Path | None,
        Option("BERT model folder to start from; default: all-MiniLM-L6-v2.", metavar="DIR"),
    ] = None
    drafts: Annotated[
        Path | None,
        Option(
            "Learn also from these finished drafts, as `citewhy train drafts` reads them.",
            metavar="MANIFEST",
        ),
    ] = None
    documents: Annotated[
        Path | None, Option("Folder of the drafts; default: that of MANIFEST.", metavar="DIR")
    ] = None
    fields: Annotated[
        tuple[Path, ...],
        Option("Another folder with papers and contexts, of any year; may be repeated.", metavar="DIR"),
    ] = ()


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    """The parameters of training."""

    until: Annotated[int, year("Learn only from papers published up to YEAR.")] = 2010
    """Last year of citing papers and of cited ones, inclusive."""
    steps: Annotated[int, Option("Number of training steps.", least=1)] = 600
    batch: Annotated[int, Option("Pairs per batch.", least=2)] = 48
    """Pairs in a step; at least 2, because the positives of the others are the negatives."""
    seed: Annotated[int, Option("Random seed for the order and form of the pairs.")] = DEFAULT_SEED
    rounds: int = 2
    """Hard negatives are mined at the beginning of each round; rounds are of equal length."""
    learning_rate: float = 5e-5
    warm_up: float = 0.1
    """Share of the steps over which the learning rate rises; then it falls to zero, both linearly."""
    weight_decay: float = 0.01
    clip: float = 1.0
    """Norm that a step's gradients are scaled down to."""
    temperature: float = 0.05
    checkpoint_every: int = 25
    trained_share: Annotated[
        float,
        Option(
            "Share of the trained weights; the rest are those that training started from.", above=0, most=1
        ),
    ] = 1.0
    """Share of the trained weights in those of the encoder; the rest are those that training
    started from (WiSE-FT: Wortsman et al., 2022). Less than 1 keeps more of what it knew of other fields."""
    weights: Mapping[Source, float] = field(default_factory=lambda: dict(WEIGHTS))

    def round_length(self) -> int:
        """Steps of a round; the last one may be shorter."""
        return max(-(-self.steps // self.rounds), 1)


RECIPE = Recipe(
    name="encoder",
    help="""Train the encoder on citing sentences and citations.

    Takes about an hour on two cores with the default settings. Needs the extra `lab`.
    """,
    epilog="""\b
Examples:
  citewhy train encoder --data collection --out encoder
  citewhy train encoder --data collection --out other --until 2015 --seed 1

DATA holds papers.jsonl, and contexts.jsonl or citations.tsv; docs/training.md lists what else is read, what
is held out, and what is written. After Ctrl-C, the same command continues from the last checkpoint in the
folder OUT.training, which can be removed at the end.
""",
    inputs=EncoderInputs,
    settings=EncoderSettings,
    function="citewhy_lab.train.systems.encoder.recipe:train_encoder",
    on_devices=True,
)

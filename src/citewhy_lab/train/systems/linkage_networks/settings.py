"""The recipe of linkage networks as linkers. Imported without torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from citewhy.base.config import DEFAULT_SEED
from citewhy.base.errors import QueryError
from citewhy_lab.evaluate.parameters import Option
from citewhy_lab.train.recipe import Recipe

Psi = Literal["binary", "tfidf", "embedding", "word2vec", "supplied"]
"""``embedding`` is learned with the network; ``word2vec`` before it, from the clusters; ``supplied`` is read
from a file."""

Loss = Literal["entropy", "triplet"]

Supervision = Literal["CCS", "TCS"]
"""Citance-centred (CCS) or target-centred supervision (TCS)."""

Joint = Literal["mul", "sqrd"]
"""f: the elementwise product, or the squared difference."""

Start = Literal["neutral", "counting"]
"""How the weights of G1 begin."""

VECTOR_EPOCHS = 5
"""Epochs of word2vec, gensim's own."""


@dataclass(frozen=True, slots=True)
class NetworkInputs:
    """Names what a linkage network learns from."""

    citances: Annotated[
        tuple[Path, ...],
        Option("Citing sentences with their targets.", metavar="CITANCES…", argument=True),
    ]
    """Files of the task ``linkage``, or folders of CL-SciSumm."""
    vectors: Annotated[
        Path | None, Option("Word vectors (word2vec or GloVe), for --psi supplied.", metavar="FILE")
    ] = None


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """The parameters of training; by default those of the network that the source has in table 6 and figure
    7."""

    psi: Annotated[
        Psi, Option("What is read of a sentence: binary, tfidf, embedding, word2vec or supplied.")
    ] = "binary"
    loss: Annotated[Loss, Option("entropy: the binary network; triplet: the triplet network.")] = "entropy"
    joint: Annotated[Joint, Option("mul: the product of both sentences; sqrd: their squared difference.")] = (
        "mul"
    )
    supervision: Annotated[
        Supervision,
        Option("CCS: sentences that share most words are true; TCS: those that people marked."),
    ] = "CCS"
    begin: Annotated[
        Start, Option("neutral: weights on both sides of zero; counting: above it, so that words count.")
    ] = "neutral"
    epochs: Annotated[int, Option("Number of epochs.", least=1)] = 2
    """The source does not say; inner folds choose 2 or 4 (docs/linkage.md)."""
    vector_size: Annotated[int, Option("Numbers of a vector of word2vec.", least=1)] = 300
    seed: Annotated[int, Option("Random seed.")] = DEFAULT_SEED

    def check(self) -> None:
        """Raises QueryError for ψ and f that no table of the source has."""
        if self.joint == "sqrd" and self.psi not in ("binary", "tfidf"):
            raise QueryError(
                f"the squared difference is of bags of words, not of {self.psi}",
                hint="give --psi binary or tfidf, or --joint mul",
            )


RECIPE = Recipe(
    name="linkage-network",
    help="""Train a linkage network of the literature (Nomoto 2018) as a linker.

    It exists to be compared: the linker of `citewhy train linkage` finds more. Needs the extra `lab`.
    """,
    epilog="""\b
Examples:
  citewhy train linkage-network my.citances.jsonl --out network
  citewhy train linkage-network my.citances.jsonl --loss triplet --out tri

CITANCES are as for `citewhy train linkage`. Words that are in none of them count nowhere. The network learns
from all of them: `citewhy experiment linkage` measures networks on papers that they were trained without.
The folder is read without torch, by --linker of suggest and passages, and by `citewhy evaluate linkage`.
""",
    inputs=NetworkInputs,
    settings=NetworkSettings,
    function="citewhy_lab.train.systems.linkage_networks.served:train_network_linker",
    modules=("torch", "scipy", "sklearn"),
)

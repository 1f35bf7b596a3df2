"""The recipe of MP-BERT4CR: sizes of the network, of the sampled texts and of training. Imported without
torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from citewhy.base.config import DEFAULT_SEED
from citewhy_lab.evaluate.parameters import Option
from citewhy_lab.train.recipe import Recipe, RerankerInputs

Objective = Literal["triplet", "mpt-tgt", "mpt-src", "mpt-src-tgt"]

"""``triplet``: equation 3; ``mpt-tgt``, ``mpt-src``, ``mpt-src-tgt``: equations 4 to 6."""


@dataclass(frozen=True, slots=True)
class MpBertShape:
    """Sizes of the encoders and of the decoder; by default those of the source (table 2)."""

    layers: int = 6
    """Transformer layers of each part: sentences, documents, decoder."""
    size: int = 768
    """Dimensions; divisible by `heads`."""
    heads: int = 12
    inputs: int = 0
    """Dimensions of the sentence vectors of a ready encoder, which replaces the lower level; 0: none, the
    lower level is trained."""
    words: int = 30_000
    """At most so many words of the vocabulary, the most frequent ones."""
    sentence: int = 32
    """Words of a sentence that are read, its end included."""
    sentences: int = 64
    """Sentences of a text that are read."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """Sentences that are sampled of a text (section 4.1.1)."""

    manuscript: int = 27
    """Supplemental sentences of a manuscript, beside the three fundamental ones."""
    abstract: int = 10
    """Fundamental sentences of a cited paper."""
    body: int = 30
    """Supplemental sentences of a cited paper."""


@dataclass(frozen=True, slots=True)
class MpBertSettings:
    """The parameters of training; by default those of the source for its DBLP data (table 2, section 5.2)."""

    shape: MpBertShape = field(default_factory=MpBertShape)
    sampled: Sampled = field(default_factory=Sampled)
    objective: Annotated[Objective, Option("triplet, mpt-tgt, mpt-src or mpt-src-tgt.", metavar="NAME")] = (
        "mpt-src-tgt"
    )
    dynamic: Annotated[
        bool, Option("Read the same sentences of a text in each epoch.", name="--no-dynamic")
    ] = True
    """If false, the supplemental sentences are those nearest to the fundamental ones, the same in all
    epochs."""
    positives: int = 3
    """At most so many of the papers that are cited together with the target."""
    sentence_first: Annotated[
        bool, Option("Take the other papers of a sentence as positives before any are drawn.")
    ] = False
    """If false, equation 1 alone draws the positives, as in the source."""
    negatives: int = 4
    margin: float = 1.0
    """Margin of the triplet objective."""
    pretraining: Annotated[
        int, Option("Epochs of pre-training; default: the preset's.", metavar="N", least=0)
    ] = 10
    """Epochs over the documents; 0: none."""
    pretraining_batch: int = 28
    pretraining_rate: float = 1e-4
    masked: float = 0.15
    """Share of the sentences of a document that are masked; at least one is."""
    epochs: Annotated[int, Option("Epochs of fine-tuning.", metavar="N", least=1)] = 2
    """Epochs over the pairs of a citing sentence and a cited paper."""
    batch: int = 8
    """Pairs in a step."""
    learning_rate: float = 2e-5
    warm_up: Annotated[int, Option("Steps over which the learning rate rises.", metavar="N", least=1)] = 2000
    weight_decay: float = 0.01
    dropout: float = 0.1
    clip: float = 1.0
    validated: int = 100
    """Validation contexts that are asked after each epoch, drawn once."""
    depth: int = 100
    """Candidates of the first stage, in validation and in use."""
    held_out: Annotated[bool, Option("Train on held-out papers, too.", name="--with-held-out")] = True
    """Keep held-out papers (`evaluate.datasets.held_out`) from training."""
    seed: Annotated[int, Option("Random seed.")] = DEFAULT_SEED

    @property
    def regime(self) -> Literal["standard"]:
        """Targets are learned from whether or not the first stage finds them."""
        return "standard"


PRESETS: Mapping[str, MpBertSettings] = {
    "source": MpBertSettings(),
    "source-acl": MpBertSettings(pretraining=50, epochs=5, warm_up=1000),
    "small": MpBertSettings(
        sentence_first=True,
        shape=MpBertShape(layers=1, size=192, heads=4, words=5000, sentence=24, sentences=32),
        sampled=Sampled(manuscript=9, abstract=6, body=10),
        pretraining=2,
        pretraining_rate=1e-3,
        epochs=2,
        learning_rate=2e-4,
        warm_up=100,
        validated=50,
    ),
}
"""``source`` has the iterations of the source for its DBLP data, ``source-acl`` those for ACL's (section 5.2,
table 2). ``small`` is for processors: with the vectors of a ready sentence encoder, minutes an epoch."""


@dataclass(frozen=True, slots=True)
class MpBertInputs(RerankerInputs):
    """Names what MP-BERT4CR is trained on."""

    full_texts: Annotated[
        tuple[Path, ...],
        Option(
            "Full texts of citing and cited papers, in any format that `citewhy add` reads; repeatable.",
            metavar="FILE",
        ),
    ] = ()
    sentence_encoder: Annotated[
        Literal["trained", "built-in"],
        Option(
            "trained: the lower level is trained, too; built-in: the vectors of CiteWhy's encoder.",
            metavar="NAME",
        ),
    ] = "trained"


RECIPE = Recipe(
    name="mpbert4cr",
    help="""Train MP-BERT4CR, a reranker for sentences that cite several papers at once.

    Manuscripts and papers are read sentence by sentence, by two levels of transformers. Needs the extra
    `lab`.
    """,
    epilog="""\b
Examples:
  citewhy train mpbert4cr --data collection --out mpbert4cr
  citewhy train mpbert4cr --data d --full-texts t.jsonl --preset small --out m

DATA holds papers.jsonl and contexts.jsonl, preferably also citations.tsv, as for `citewhy train textbib`.
Sentences of citing and cited papers are drawn from --full-texts; a paper without one is known by its
abstract. The preset source has the sizes of the paper, and needs a GPU. After Ctrl-C, the same command
continues from the last checkpoint in the folder OUT.training, which can be removed at the end.
""",
    inputs=MpBertInputs,
    settings=MpBertSettings,
    function="citewhy_lab.train.systems.mpbert4cr.recipe:train_mpbert4cr",
    modules=("torch", "safetensors"),
    on_devices=True,
    presets=PRESETS,
    preset=Option(
        "source: sizes and settings of the paper, for its DBLP data; source-acl: for ACL's; small: for two "
        "cores.",
        metavar="NAME",
    ),
)

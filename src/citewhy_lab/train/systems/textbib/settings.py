"""The recipe of TEXTBIB: variant, sizes and settings. Imported without torch."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, get_args

from citewhy.base.config import DEFAULT_SEED
from citewhy_lab.evaluate.parameters import Option
from citewhy_lab.train.recipe import Recipe, Regime, RerankerInputs
from citewhy_lab.train.sampling.mixes import Mix, Strategy

Variant = Literal["TEXTCON", "TEXTENH", "TEXTBIBCON-S", "TEXTBIBCON-WS", "TEXTBIBENH-S", "TEXTBIBENH-WS"]

VARIANTS: tuple[Variant, ...] = get_args(Variant)
"""``CON``: the context alone; ``ENH``: enhanced by title and abstract of the citing paper. ``BIB``: with the
bibliographic module, whose score is added (``S``) or weighed by the context (``WS``)."""


@dataclass(frozen=True, slots=True)
class TextBibShape:
    """Variant and sizes of the network; sizes are dimensions of vectors."""

    variant: Annotated[
        Variant,
        Option(
            "TEXTCON, TEXTENH, TEXTBIBCON-S, TEXTBIBCON-WS, TEXTBIBENH-S or TEXTBIBENH-WS.", metavar="NAME"
        ),
    ] = "TEXTBIBENH-WS"
    word: int = 300
    state: int = 96
    """Dimensions of the LSTM, in each direction; a token's state is twice as long."""
    attention: int = 64
    author: int = 50
    people: int = 50
    """Channels of the convolution over authors."""
    span: int = 3
    """Width of the convolution, in authors; odd."""
    recent: int = 3
    """Citations of the last so many years before the query's are also counted apart, as recent."""
    context_tokens: int = 60
    paper_tokens: int = 80
    """Tokens that are read of a context, and of a title with its abstract."""
    function_words: bool = False
    """Whether function words are read, too."""

    @property
    def enhanced(self) -> bool:
        return "ENH" in self.variant

    @property
    def bibliographic(self) -> bool:
        return "BIB" in self.variant

    @property
    def weighted(self) -> bool:
        return self.variant.endswith("-WS")


@dataclass(frozen=True, slots=True)
class TextBibSettings:
    """The parameters of training; `TextBibShape` has those of the network."""

    shape: TextBibShape = field(default_factory=TextBibShape)
    regime: Annotated[
        Regime,
        Option("strict: learn only from papers that the first stage found; or standard.", metavar="NAME"),
    ] = "strict"
    negatives: Annotated[
        Mix, Option("Negative examples.", metavar="MIX", read=Mix.named, shown="prefiltered")
    ] = field(default_factory=lambda: Mix.named("prefiltered"))
    epochs: Annotated[int, Option("Number of epochs, of 100 batches each.", least=1)] = 20
    batches: int = 100
    """Steps of an epoch."""
    pairs: int = 30
    """Pairs of a context and a cited paper in a batch; each makes as many triplets as it has negatives."""
    margin: Annotated[float, Option("Margin of the triplet loss.", least=0, most=2)] = 0.2
    learning_rate: float = 2e-3
    """The learning rate of the first step."""
    dropout: float = 0.4
    train_words: Annotated[bool, Option("Train the word vectors, too; for large data.")] = False
    """Whether word vectors are trained, too; with only some thousand pairs, frozen ones do better."""
    decay: bool = True
    """Whether the learning rate falls to zero; otherwise it stays as it is."""
    published_start: bool = False
    """Whether the attention vector begins at N(0, 1) and word vectors as their file has them, as in the code
    of the source; else the former begins near zero, so that all tokens are attended alike, and the latter are
    scaled to the length of random ones."""
    clip: float | None = 1.0
    """Norm that a step's gradients are scaled down to; None: they are not."""
    validate_every: int = 5
    """Epochs between two validations."""
    validated: int = 300
    """Validation contexts that are asked each time, drawn once; all where there are fewer."""
    depth: int = 1000
    """Candidates of the first stage."""
    held_out: Annotated[bool, Option("Train on held-out papers, too.", name="--with-held-out")] = True
    """Keep held-out papers (`evaluate.datasets.held_out`) from training, as positives and as negatives."""
    enough: tuple[Strategy, int] | None = None
    """Learn only from contexts with at least this number of hard negatives of the strategy."""
    seed: Annotated[int, Option("Random seed.")] = DEFAULT_SEED


@dataclass(frozen=True, slots=True)
class TextBibInputs(RerankerInputs):
    """Names what TEXTBIB is trained on."""

    vectors: Annotated[Path | None, Option("Word vectors (word2vec or GloVe).", metavar="FILE")] = None
    """None: vectors of the papers' own words, and those of the built-in encoder."""


SOURCE = TextBibSettings(
    shape=TextBibShape(
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
    epochs=100,
    margin=0.3,
    learning_rate=1e-3,
    decay=False,
    dropout=0.0,
    train_words=True,
    published_start=True,
    clip=None,
    held_out=False,
)
"""The sizes and settings of the source: those of Medić (2023, section 5.2), and of the code that its authors
published for the paper of 2020 (https://github.com/zoranmedic/DualLCR) where the thesis refers to it. 400
tokens hold a context of 600 characters to each side."""

RECIPE = Recipe(
    name="textbib",
    help="""Train TEXTBIB, a reranker for citing sentences with a text and a bibliographic module.

    Needs the extra `lab`.
    """,
    epilog="""\b
Examples:
  citewhy train textbib --data collection --out reranker
  citewhy train textbib --data collection --out other --variant TEXTENH
  citewhy train textbib --data collection --out other --negatives cited

Use the trained reranker with --reranker of suggest and evaluate. DATA holds papers.jsonl and contexts.jsonl,
preferably also citations.tsv; docs/training.md describes what is learned from them. The first stage is BM25,
queried as it is when suggesting. NEGATIVES are random, prefiltered, neighbours, most-cited or cited, each
half hard and half easy, or only hard if followed by " (only)"; or a count of each, such as
prefiltered=4,cited=4,easy=2. After Ctrl-C, the same command continues from the last checkpoint in the folder
OUT.training, which can be removed at the end.
""",
    inputs=TextBibInputs,
    settings=TextBibSettings,
    function="citewhy_lab.train.systems.textbib.recipe:train_textbib",
    modules=("torch", "safetensors", "scipy"),
    on_devices=True,
)

"""`citewhy train textbib`: trains the TEXTBIB reranker on papers and citing sentences."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citewhy.doors.cli import options
from citewhy_lab.cli import options as lab_options
from citewhy_lab.cli import reranker_training
from citewhy_lab.cli.reranker_training import one_of, train_and_say

if TYPE_CHECKING:
    from citewhy.base.progress import Progress
    from citewhy_lab.train.devices import DeviceName
    from citewhy_lab.train.reranking.data import RerankingData

__all__ = ["command"]

EPILOG = """\b
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
"""


@click.command("textbib", epilog=EPILOG)
@reranker_training.data
@options.new_folder
@click.option(
    "--variant",
    default="TEXTBIBENH-WS",
    show_default=True,
    metavar="NAME",
    help="TEXTCON, TEXTENH, TEXTBIBCON-S, TEXTBIBCON-WS, TEXTBIBENH-S or TEXTBIBENH-WS.",
)
@click.option(
    "--regime",
    default="strict",
    show_default=True,
    metavar="NAME",
    help="strict: learn only from papers that the first stage found; or standard.",
)
@click.option(
    "--negatives", default="prefiltered", show_default=True, metavar="MIX", help="Negative examples."
)
@reranker_training.until
@reranker_training.epochs
@click.option(
    "--margin",
    type=options.Number(0, 2),
    default=0.2,
    show_default=True,
    help="Margin of the triplet loss.",
)
@click.option(
    "--vectors", type=click.Path(path_type=Path), metavar="FILE", help="Word vectors (word2vec or GloVe)."
)
@reranker_training.library
@click.option("--train-words", is_flag=True, help="Train the word vectors, too; for large data.")
@reranker_training.with_held_out
@options.seed("Random seed.")
@lab_options.device
@options.quiet
def command(
    data: Path,
    out: Path,
    variant: str,
    regime: str,
    negatives: str,
    until: int,
    epochs: int,
    margin: float,
    vectors: Path | None,
    library: Path | None,
    train_words: bool,
    with_held_out: bool,
    seed: int,
    device: DeviceName,
    quiet: bool,
) -> None:
    """Train TEXTBIB, a reranker for citing sentences with a text and a bibliographic module.

    Needs the extra `lab`.
    """
    from typing import get_args

    from citewhy_lab.train.requirements import check_modules
    from citewhy_lab.train.reranking.data import Regime
    from citewhy_lab.train.sampling.mixes import Mix
    from citewhy_lab.train.systems.textbib.recipe import train_textbib
    from citewhy_lab.train.systems.textbib.settings import TextBibSettings
    from citewhy_lab.train.systems.textbib.shape import VARIANTS, Shape

    settings = TextBibSettings(
        shape=Shape(variant=one_of(variant, VARIANTS, "variant")),
        regime=one_of(regime, get_args(Regime), "regime"),
        negatives=Mix.named(negatives),
        epochs=epochs,
        margin=margin,
        train_words=train_words,
        held_out=not with_held_out,
        seed=seed,
    )
    check_modules("torch", "safetensors", "scipy")
    from citewhy.search.encode import default_encoder

    def train(given: RerankingData, out: Path, progress: Progress) -> dict[str, Any]:
        encoder = default_encoder() if vectors is None else None
        given = dataclasses.replace(given, vectors=vectors, encoder=encoder)
        return train_textbib(given, settings, out, progress, device)

    train_and_say(data, until, settings.depth, out, library, quiet, train)

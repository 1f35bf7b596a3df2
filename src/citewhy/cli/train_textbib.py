"""`citewhy train textbib`: trains the TEXTBIB reranker on papers and citing sentences."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citewhy.cli import options
from citewhy.cli.progress import progress_bar

if TYPE_CHECKING:
    from citewhy.pipeline import Recommender
    from citewhy.progress import Tell
    from citewhy.records import Query
    from citewhy.systems.textbib.data import TextBibData
    from citewhy.train.collection import Collection
    from citewhy.train.devices import DeviceName

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

_FOLDER = click.Path(path_type=Path)


@click.command("textbib", epilog=EPILOG)
@click.option(
    "--data", type=_FOLDER, required=True, metavar="DIR", help="Folder with papers and citing sentences."
)
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
@options.until("Train on sentences up to YEAR; those of the next year select the best epoch.")
@click.option(
    "--epochs",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Number of epochs, of 100 batches each.",
)
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
@click.option(
    "--library",
    type=_FOLDER,
    metavar="DIR",
    help="Library of the same papers: choose a weight for the default ranking's order in it, too.",
)
@click.option("--train-words", is_flag=True, help="Train the word vectors, too; for large data.")
@click.option("--with-held-out", is_flag=True, help="Train on held-out papers, too.")
@options.seed("Random seed.")
@options.device
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

    Needs the extra `train`.
    """
    from citewhy.systems.textbib.recipe import checkpoints, train_textbib
    from citewhy.systems.textbib.settings import TextBibSettings
    from citewhy.systems.textbib.shape import Shape
    from citewhy.train.collection import Collection
    from citewhy.train.requirements import check_modules
    from citewhy.train.sampling.mixes import Mix

    settings = TextBibSettings(
        shape=Shape(variant=_one_of(variant, "variant")),
        regime=_one_of(regime, "regime"),
        negatives=Mix.named(negatives),
        epochs=epochs,
        margin=margin,
        train_words=train_words,
        held_out=not with_held_out,
        seed=seed,
    )
    check_modules("torch", "safetensors", "scipy")
    from citewhy.library.store import Library
    from citewhy.pipeline import Recommender
    from citewhy.train import processes

    out = out.absolute()
    with progress_bar(quiet or not processes.is_first()) as tell:
        tell("reading the data", None)
        collection = Collection(data)
        with contextlib.ExitStack() as opened:
            first_stage = opened.enter_context(_first_stage(collection, checkpoints(out), tell))
            given = _data(collection, until, vectors, first_stage, settings.depth)
            if library is not None:
                served = Recommender(opened.enter_context(Library.open(library)), "full")
                order = functools.partial(_order, served, settings.depth)
                given = dataclasses.replace(given, others={"full": order})
            made = train_textbib(given, settings, out, tell, device)
    if not processes.is_first():
        return
    learnt, best = made["data"], made["best"]
    click.echo(f"learned    {learnt['pairs']:,} pairs of {learnt['contexts']:,} sentences up to {until}")
    click.echo(f"missed     {learnt['missed']:,} more pairs that the first stage did not find")
    click.echo(f"best       epoch {best['epoch']}: MRR {best['mrr']:.4f} on {learnt['validated']} sentences")
    for each in made["weights"]:
        click.echo(
            f"           {each['mrr']:.4f} with weight {each['weight']:g} for the order of {each['pipeline']}"
            f" ({each['before']:.4f} alone)"
        )
    click.echo(f"written    {out}")
    click.echo(f"           {checkpoints(out).name} beside it can be removed")


def _one_of(given: str, what: str) -> Any:
    """The given variant or regime. Raises QueryError for an unknown one."""
    from typing import get_args

    from citewhy.errors import QueryError
    from citewhy.systems.textbib.settings import Regime
    from citewhy.systems.textbib.shape import VARIANTS

    choices = VARIANTS if what == "variant" else get_args(Regime)
    if given not in choices:
        raise QueryError(f"there is no {what} {given}", hint=f"choose from: {', '.join(choices)}")
    return given


def _data(
    collection: Collection, until: int, vectors: Path | None, first_stage: Recommender, depth: int
) -> TextBibData:
    """The training data from contexts up to the year `until`; those of the next year are the validation
    data."""
    from citewhy.encode import default_encoder
    from citewhy.systems.textbib.data import TextBibData

    learned, validated = collection.split(until)
    return TextBibData(
        papers=list(collection.papers.values()),
        train=learned,
        val=validated,
        citations=collection.citations,
        first_stage=functools.partial(_order, first_stage, depth),
        aliases=collection.aliases,
        vectors=vectors,
        encoder=default_encoder() if vectors is None else None,
    )


def _order(recommender: Recommender, depth: int, query: Query) -> Sequence[str]:
    return recommender.rank(query, depth).ids


@contextlib.contextmanager
def _first_stage(collection: Collection, folder: Path, tell: Tell) -> Iterator[Recommender]:
    """A recommender by BM25, with a library that is created in `folder`, or completed if it was begun."""
    from citewhy.library.store import Library
    from citewhy.pipeline import Recommender
    from citewhy.train import processes

    tell("making a library for the first stage", None)
    if processes.is_first():
        folder.mkdir(parents=True, exist_ok=True)
        with Library.open(folder / "library", create=True) as library:
            library.add([*collection.papers.values(), *collection.aliases])
    processes.wait()
    with Library.open(folder / "library") as library:
        yield Recommender(library, "bm25")

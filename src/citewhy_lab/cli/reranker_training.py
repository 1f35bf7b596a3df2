"""What the commands that train rerankers of citing sentences have in common: options, data, report."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citewhy.doors.cli.progress import progress_bar
from citewhy_lab.cli import options as lab_options

if TYPE_CHECKING:
    from citewhy.base.progress import Progress
    from citewhy.base.records import Query
    from citewhy.ranking.recommender import Recommender
    from citewhy_lab.train.collection import Collection
    from citewhy_lab.train.reranking.data import RerankingData

__all__ = [
    "data",
    "epochs",
    "library",
    "one_of",
    "train_and_say",
    "until",
    "with_held_out",
]

_FOLDER = click.Path(path_type=Path)

data = click.option(
    "--data", type=_FOLDER, required=True, metavar="DIR", help="Folder with papers and citing sentences."
)
until = lab_options.until("Train on sentences up to YEAR; those of the next year select the best epoch.")
epochs = click.option(
    "--epochs",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Number of epochs, of 100 batches each.",
)
library = click.option(
    "--library",
    type=_FOLDER,
    metavar="DIR",
    help="Library of the same papers: choose a weight for the default ranking's order in it, too.",
)
with_held_out = click.option("--with-held-out", is_flag=True, help="Train on held-out papers, too.")


def train_and_say(
    folder: Path,
    until: int,
    depth: int,
    out: Path,
    library: Path | None,
    quiet: bool,
    train: Callable[[RerankingData, Path, Progress], Mapping[str, Any]],
) -> None:
    """Reads the papers and citing sentences of `folder`, trains by `train`, which is given the training data
    and the absolute path `out`, and prints its report."""
    from citewhy_lab.train import processes
    from citewhy_lab.train.collection import Collection

    out = out.absolute()
    with progress_bar(quiet or not processes.is_first()) as progress:
        progress("reading the data", None)
        collection = Collection(folder)
        with _reranking_data(collection, until, depth, out, library, progress) as given:
            made = train(given, out, progress)
    if processes.is_first():
        _say(made, until, out)


def one_of(given: str, choices: Sequence[str], what: str) -> Any:
    """`given`. Raises QueryError for what is not among `choices`."""
    from citewhy.base.errors import QueryError

    if given not in choices:
        raise QueryError(f"there is no {what} {given}", hint=f"choose from: {', '.join(choices)}")
    return given


@contextlib.contextmanager
def _reranking_data(
    collection: Collection,
    until: int,
    depth: int,
    out: Path,
    library: Path | None,
    progress: Progress,
) -> Iterator[RerankingData]:
    """The training data from contexts up to the year `until`; those of the next year are the validation data.

    The first stage is BM25 over a library beside `out`, created there, or completed if it was begun.
    `library` is one of the same papers whose default order the reranker gets a weight for, too.
    """
    from citewhy.papers.library.store import Library
    from citewhy.ranking.recommender import Recommender
    from citewhy_lab.train.reranking.data import RerankingData
    from citewhy_lab.train.scratch import checkpoints

    learned, validated = collection.split(until)
    with contextlib.ExitStack() as opened:
        first_stage = opened.enter_context(_first_stage(collection, checkpoints(out), progress))
        others = {}
        if library is not None:
            served = Recommender(opened.enter_context(Library.open(library)), "full")
            others["full"] = functools.partial(_order, served, depth)
        yield RerankingData(
            papers=list(collection.papers.values()),
            train=learned,
            val=validated,
            citations=collection.citations,
            first_stage=functools.partial(_order, first_stage, depth),
            aliases=collection.aliases,
            others=others,
        )


def _say(made: Mapping[str, Any], until: int, out: Path) -> None:
    """Prints the report of a training."""
    from citewhy_lab.train.scratch import checkpoints

    learnt, best = made["data"], made["best"]
    click.echo(f"learned    {learnt['pairs']:,} pairs of {learnt['contexts']:,} sentences up to {until}")
    if "missed" in learnt:
        click.echo(f"missed     {learnt['missed']:,} more pairs that the first stage did not find")
    click.echo(f"best       epoch {best['epoch']}: MRR {best['mrr']:.4f} on {learnt['validated']} sentences")
    for each in made["weights"]:
        click.echo(
            f"           {each['mrr']:.4f} with weight {each['weight']:g} for the order of {each['pipeline']}"
            f" ({each['before']:.4f} alone)"
        )
    click.echo(f"written    {out}")
    click.echo(f"           {checkpoints(out).name} beside it can be removed")


def _order(recommender: Recommender, depth: int, query: Query) -> Sequence[str]:
    return recommender.rank(query, depth).ids


@contextlib.contextmanager
def _first_stage(collection: Collection, folder: Path, progress: Progress) -> Iterator[Recommender]:
    """A recommender by BM25."""
    from citewhy.papers.library.store import Library
    from citewhy.ranking.recommender import Recommender
    from citewhy_lab.train import processes

    progress("making a library for the first stage", None)
    if processes.is_first():
        folder.mkdir(parents=True, exist_ok=True)
        with Library.open(folder / "library", create=True) as library:
            library.add([*collection.papers.values(), *collection.aliases])
    processes.wait()
    with Library.open(folder / "library") as library:
        yield Recommender(library, "bm25")

"""`citewhy train qpcr`: trains an encoder that finds the papers of a paragraph by its topic sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy train qpcr --data DIR --train a.jsonl --val b.jsonl --out qpcr
  citewhy train qpcr --data DIR --train a --val b --variant tri --out tri

`citewhy datasets build paragraphs` makes the files of paragraphs; docs/training.md describes them, and the
folder DIR with papers and citations. The trained folder is an encoder: `citewhy suggest --encoder qpcr`.
"""

_FILE = click.Path(path_type=Path)
_VARIANTS = ("qpcr", "tri", "aclrw", "ts", "base")


@click.command("qpcr", epilog=EPILOG)
@click.option("--data", type=_FILE, metavar="DIR", required=True, help="Folder with papers and citations.")
@click.option(
    "--train",
    "taught",
    type=_FILE,
    metavar="FILE",
    multiple=True,
    required=True,
    help="Paragraphs to learn from.",
)
@click.option(
    "--val",
    "held",
    type=_FILE,
    metavar="FILE",
    multiple=True,
    required=True,
    help="Paragraphs for early stopping.",
)
@click.option(
    "--variant",
    type=click.Choice(_VARIANTS),
    default="qpcr",
    show_default=True,
    help="qpcr: quadruplets; tri: triplets; aclrw: triplets of whole papers; ts and base: the start encoder "
    "with and without the topic sentence.",
)
@click.option(
    "--start", type=_FILE, metavar="DIR", help="BERT folder to start from; default: all-MiniLM-L6-v2."
)
@click.option(
    "--epochs", type=click.IntRange(1), default=5, show_default=True, help="Maximum number of epochs."
)
@click.option(
    "--nearest",
    type=click.IntRange(0, 10),
    default=0,
    show_default=True,
    metavar="N",
    help="Of ten negatives, draw N from the papers that the start encoder ranks first; 0: as in the source.",
)
@click.option(
    "--margin",
    type=options.Number(0, min_open=True),
    default=0.5,
    show_default=True,
    help="Margin of the losses.",
)
@click.option(
    "--learning-rate",
    type=options.Number(0, min_open=True),
    default=1e-5,
    show_default=True,
    help="Learning rate.",
)
@click.option(
    "--layers", type=click.IntRange(1), default=2, show_default=True, help="Number of last layers to train."
)
@options.new_folder
@options.seed("Random seed.")
@options.quiet
def command(
    data: Path,
    taught: tuple[Path, ...],
    held: tuple[Path, ...],
    start: Path | None,
    out: Path,
    quiet: bool,
    **given: Any,
) -> None:
    """Train QPCR: papers for a paragraph from title, abstract, and topic sentence.

    The encoder can be used everywhere with --encoder. An interrupted training is resumed by the same command.
    Needs the extra `lab`.
    """
    from citewhy_lab.train.requirements import check_extra, default_start

    check_extra()
    from citewhy_lab.train.systems.qpcr.recipe import Paragraphs, train_qpcr
    from citewhy_lab.train.systems.qpcr.settings import Settings

    with progress_bar(quiet) as progress:
        made = train_qpcr(
            data, Paragraphs(taught, held), start or default_start(), out, Settings(**given), progress
        )
    click.echo(
        f"paragraphs {made['examples']['train']:,} to learn from, {made['examples']['val']:,} held out"
    )
    if "pool" in made:
        after = ", ".join(f"{each:.3f}" for each in made["R-precision by epoch"])
        click.echo(f"R-prec     {made['R-precision before']:.3f} before training; after each epoch: {after}")
        click.echo(f"           among {made['pool']:,} papers")
    click.echo(f"written    {out}")

"""`citewhy train encoder`: trains an encoder on papers and citations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar
from citewhy_lab.cli import options as lab_options

if TYPE_CHECKING:
    from citewhy_lab.train.devices import DeviceName

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy train encoder --data collection --out encoder
  citewhy train encoder --data collection --out other --until 2015 --seed 1

DATA holds papers.jsonl, and contexts.jsonl or citations.tsv; docs/training.md lists what else is read, what
is held out, and what is written. After Ctrl-C, the same command continues from the last checkpoint in the
folder OUT.training, which can be removed at the end.
"""


@click.command("encoder", epilog=EPILOG)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    required=True,
    help="Folder with papers and citations.",
)
@click.option(
    "--start",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="BERT model folder to start from; default: all-MiniLM-L6-v2.",
)
@options.new_folder
@click.option(
    "--drafts",
    type=click.Path(path_type=Path),
    metavar="MANIFEST",
    help="Learn also from these finished drafts, as `citewhy train drafts` reads them.",
)
@click.option(
    "--documents",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of the drafts; default: that of MANIFEST.",
)
@click.option(
    "--fields",
    type=click.Path(path_type=Path),
    metavar="DIR",
    multiple=True,
    help="Another folder with papers and contexts, of any year; may be repeated.",
)
@lab_options.until("Learn only from papers published up to YEAR.")
@click.option(
    "--steps", type=click.IntRange(1), default=600, show_default=True, help="Number of training steps."
)
@click.option("--batch", type=click.IntRange(2), default=48, show_default=True, help="Pairs per batch.")
@click.option(
    "--trained-share",
    type=options.Number(0, 1, min_open=True),
    default=1.0,
    show_default=True,
    help="Share of the trained weights; the rest are those that training started from.",
)
@options.seed("Random seed for the order and form of the pairs.")
@lab_options.device
@options.quiet
def command(
    data: Path,
    start: Path | None,
    out: Path,
    drafts: Path | None,
    documents: Path | None,
    fields: tuple[Path, ...],
    until: int,
    steps: int,
    batch: int,
    trained_share: float,
    seed: int,
    device: DeviceName,
    quiet: bool,
) -> None:
    """Train the encoder on citing sentences and citations.

    Takes about an hour on two cores with the default settings. Needs the extra `lab`.
    """
    from citewhy_lab.train.requirements import check_extra, default_start

    check_extra()
    from citewhy_lab.train import processes
    from citewhy_lab.train.scratch import checkpoints
    from citewhy_lab.train.systems.encoder.fields import Fields
    from citewhy_lab.train.systems.encoder.recipe import train_encoder
    from citewhy_lab.train.systems.encoder.settings import Settings

    settings = Settings(until=until, steps=steps, batch=batch, seed=seed, trained_share=trained_share)
    others = Fields(drafts, documents, fields)
    out = out.absolute()
    with progress_bar(quiet or not processes.is_first()) as progress:
        made = train_encoder(data, start or default_start(), out, settings, progress, device, others)
    if not processes.is_first():
        return
    learnt = ", ".join(f"{number:,} {source}" for source, number in made["pairs"].items())
    click.echo(f"pairs      {learnt}")
    click.echo(f"loss       {made['loss']:.3f} in the last steps")
    click.echo(f"agreement  {made['agreement']:.4f} mean cosine of the written encoder with the trained one")
    click.echo(f"written    {out}")
    click.echo(f"           {checkpoints(out).name} beside it can be removed")

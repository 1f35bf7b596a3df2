"""`citewhy train discourse`: trains the discourse tagger on CORWA."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.cli import options
from citewhy.cli.progress import progress_bar

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy train discourse corwa.train.jsonl.gz --out discourse
  citewhy train discourse CORWA/data/annotated_train --out discourse

DATA is a file of JSON lines or a folder of BRAT annotations; docs/training.md describes both layouts. All
printed figures are cross-validated by paper.
"""

_FILE = click.Path(path_type=Path)


@click.command("discourse", epilog=EPILOG)
@click.argument("data", type=_FILE, metavar="DATA")
@options.encoder
@options.new_folder
@options.seed("Random seed for the folds and the network.")
@options.quiet
def command(data: Path, encoder: Path | None, out: Path, seed: int, quiet: bool) -> None:
    """Train the tagger that finds topic sentences.

    It tells for each sentence of a paragraph on related work whether it introduces a topic, summarises one
    work or several, cites in passing, or compares with the own work. Takes some minutes for CORWA. Needs the
    extra `train`.
    """
    from citewhy.cli.train_classifier import show_quality
    from citewhy.systems.discourse.recipe import train_discourse

    with progress_bar(quiet) as tell:
        made = train_discourse(data, out, tell, encoder, seed)
    show_quality(made, out)

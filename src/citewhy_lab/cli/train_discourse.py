"""`citewhy train discourse`: trains the discourse tagger on CORWA."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.doors.cli import options
from citewhy.doors.cli import words as known_words
from citewhy.doors.cli.progress import progress_bar

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy train discourse corwa.train.jsonl.gz --out discourse
  citewhy train discourse CORWA/data --words papers.jsonl --out discourse

DATA is a file of JSON lines or a folder of BRAT annotations; docs/training.md describes both layouts. All
printed figures are cross-validated by paper.
"""

_FILE = click.Path(path_type=Path)


@click.command("discourse", epilog=EPILOG)
@click.argument("data", type=_FILE, metavar="DATA")
@known_words.option
@click.option(
    "--start", type=_FILE, metavar="DIR", help="BERT folder to start from; default: all-MiniLM-L6-v2."
)
@options.new_folder
@options.seed("Random seed for the folds and the network.")
@options.quiet
def command(data: Path, words: Path | None, start: Path | None, out: Path, seed: int, quiet: bool) -> None:
    """Train the tagger that finds topic sentences.

    It tells for each sentence of a paragraph on related work whether it introduces a topic, summarises one
    work or several, cites in passing, or compares with the own work. Takes about forty minutes for CORWA on
    one core. Needs the extra `lab`.
    """
    from citewhy_lab.cli.train_classifier import show_quality
    from citewhy_lab.train.requirements import check_extra, default_start
    from citewhy_lab.train.systems.discourse.settings import Settings

    check_extra()
    from citewhy_lab.train.systems.discourse.recipe import train_discourse

    with progress_bar(quiet) as progress:
        made = train_discourse(
            data, start or default_start(), out, Settings(seed=seed), progress, known_words.texts(words)
        )
    show_quality(made, out)

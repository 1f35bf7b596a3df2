"""`citewhy train intent`: trains the classifier of citation intents."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.doors.cli import options
from citewhy.doors.cli import words as known_words
from citewhy.doors.cli.progress import progress_bar

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy train intent --data intents.train.jsonl.gz --out intent
  citewhy train intent --data intents.jsonl --papers papers.jsonl --out a

DATA has the citations of SciCite and ACL-ARC, as for `citewhy evaluate intent` (docs/training.md). A network
is trained for each of five folds of the papers, and one on all; the printed figures are those of the papers
that a network was not trained on. An interrupted training goes on where it stopped. The classifier is used
with `citewhy classify --model` and `citewhy evaluate intent --model`.
"""

_FILE = click.Path(path_type=Path)


@click.command("intent", epilog=EPILOG)
@click.option("--data", type=_FILE, required=True, metavar="FILE", help="Labelled citations, as JSON lines.")
@click.option(
    "--more",
    type=_FILE,
    multiple=True,
    metavar="FILE",
    help="Citing sentences with labels of MultiCite; may be repeated.",
)
@click.option(
    "--texts",
    type=_FILE,
    multiple=True,
    metavar="FILE",
    help="Full texts, for the sections of citing sentences and the need of a citation; may be repeated.",
)
@click.option("--discourse", type=_FILE, metavar="FILE", help="Paragraphs of CORWA, for their tags.")
@click.option(
    "--context",
    type=click.IntRange(0, 128),
    default=0,
    show_default=True,
    metavar="N",
    help="Tokens of the sentence before, and of the one after, that the functions are read with.",
)
@click.option(
    "--papers",
    type=_FILE,
    metavar="FILE",
    help="Records of the citing papers: authors who cite a work of their own often extend it.",
)
@known_words.option
@click.option(
    "--start", type=_FILE, metavar="DIR", help="BERT folder to start from; default: all-MiniLM-L6-v2."
)
@click.option("--epochs", type=click.IntRange(1), default=2, show_default=True, help="Passes over the data.")
@options.new_folder
@options.seed("Random seed for the order of the citations, and for dropout.")
@options.quiet
def command(
    data: Path,
    more: tuple[Path, ...],
    texts: tuple[Path, ...],
    discourse: Path | None,
    context: int,
    papers: Path | None,
    words: Path | None,
    start: Path | None,
    epochs: int,
    out: Path,
    seed: int,
    quiet: bool,
) -> None:
    """Train the classifier of intents: why a sentence cites a paper.

    Takes half an hour or more on one core. Needs the extra `lab`.
    """
    from citewhy_lab.train.requirements import check_extra, default_start
    from citewhy_lab.train.systems.intent.settings import Settings

    check_extra()
    from citewhy_lab.train.systems.intent.recipe import train_intent
    from citewhy_lab.train.systems.intent.scaffolds import Sources

    with progress_bar(quiet) as progress:
        found = train_intent(
            data,
            start or default_start(),
            out,
            Settings(epochs=epochs, context=context, seed=seed),
            progress,
            more,
            known_words.texts(words),
            Sources(texts, discourse),
            papers,
        )
    for head, quality in found["quality"].items():
        click.echo(f"{head:9} macro-F1 {quality['macro-F1']:.3f} in cross-validation")
    click.echo(f"written   {out}")

"""`citewhy train ranker`: trains a ranker on questions with known answers."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.base.config import YEARS
from citewhy.base.errors import InputError, QueryError
from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy train ranker contexts.jsonl global.jsonl --library mine --out ranker
  citewhy train ranker questions/* --library mine --year 2015 --out other

FILES are questions: citing sentences (task local) and whole papers (task global), told apart by their
content. Only those of YEAR are used, as of that year; the encoder must not have been trained on it.
"""


@click.command("ranker", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILES")
@click.option(
    "--library", type=click.Path(path_type=Path), metavar="DIR", required=True, help="Library folder."
)
@options.encoder
@click.option(
    "--year", type=click.IntRange(*YEARS), default=2011, show_default=True, help="Year of the questions."
)
@options.new_folder
@click.option(
    "--threshold",
    type=options.Number(0, 1),
    default=0.1,
    show_default=True,
    help="Suggest nothing if the best paper is less likely than this to be right.",
)
@options.seed("Random seed for known references and trees.")
@options.quiet
def command(
    files: tuple[Path, ...],
    library: Path,
    encoder: Path | None,
    year: int,
    out: Path,
    threshold: float,
    seed: int,
    quiet: bool,
) -> None:
    """Train the ranker on questions with known answers.

    Takes a few minutes on two cores. Needs the extra `lab`.
    """
    from citewhy.models import check_new
    from citewhy.papers.library.store import Library
    from citewhy.ranking.rank.folder import write_ranker
    from citewhy.search.encode import open_encoder
    from citewhy_lab.train.systems.ranker.recipe import train_ranker

    contexts: list[Path] = []
    wholes: list[Path] = []
    for file in files:
        (contexts if _has_sentences(file) else wholes).append(file)
    if not contexts or not wholes:
        raise QueryError(
            "the ranker learns from citing sentences and from whole papers",
            hint="give at least one file of each, such as contexts.jsonl and global.jsonl",
        )
    check_new(out)
    chosen = open_encoder(encoder)
    with progress_bar(quiet) as progress, Library.open(library) as opened:
        document = train_ranker(opened, chosen, contexts, wholes, year, seed, threshold, progress)
    write_ranker(out, f"citewhy ranker (questions of {year})", document)
    for name, measures in document["making"]["cross_fitted"].items():
        click.echo(f"{name:24} R@10 {measures['R@10']:.3f}  RR {measures['RR']:.3f}")
    click.echo(f"written: {out}")


def _has_sentences(file: Path) -> bool:
    """Whether the file contains citing sentences; otherwise it contains whole papers. Raises InputError for
    other files."""
    import orjson

    from citewhy.text.source import open_lines
    from citewhy_lab.evaluate.datasets.lines import Line

    for number, text in open_lines(file):
        try:
            row = orjson.loads(text)
        except ValueError:
            row = None
        kind = Line(file, number, row).kind if isinstance(row, dict) else None
        if kind in ("context_id", "query_id"):
            return kind == "context_id"
        raise InputError(
            "expected a citing sentence or a whole paper",
            path=file,
            line=number,
            hint="docs/evaluation.md describes both",
        )
    raise InputError("the file is empty", path=file, hint="give a file with questions")

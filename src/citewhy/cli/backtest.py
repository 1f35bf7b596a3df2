"""`citewhy backtest`: how well suggestions would have done on papers that are finished."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.cli import options
from citewhy.cli.progress import progress_bar
from citewhy.config import YEARS

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy backtest thesis.tex
  citewhy backtest 2018/paper.tex 2020/paper.tex --baseline bm25
  citewhy backtest paper.md --as-of 2019 --json
  citewhy backtest paper.tex --pipeline bm25 --run bm25.run
  citewhy backtest paper.tex --plot reliability.svg

Citations are hidden one place at a time; the rest of the draft, its other references included, stays known.
The draft itself, where the library has it, is never suggested and never helps. docs/evaluation.md has every
decision behind the numbers.
"""


@click.command("backtest", epilog=EPILOG)
@click.argument("drafts", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DRAFT…")
@options.library
@click.option(
    "--as-of",
    "year",
    type=click.IntRange(*YEARS),
    metavar="YEAR",
    help="Know nothing newer; default: each draft's own year.",
)
@options.pipeline
@options.encoder
@options.baseline
@options.seed("For the intervals.")
@options.outputs
@options.quiet
def command(
    drafts: tuple[Path, ...],
    library: Path | None,
    year: int | None,
    pipeline: str,
    encoder: Path | None,
    baseline: str | None,
    seed: int,
    outputs: options.Outputs,
    quiet: bool,
) -> None:
    """Hide the citations of finished papers in turn: would they have been suggested?

    Each place is asked as `citewhy suggest` would ask it, as of the year of its paper.
    """
    from citewhy.encode import open_encoder
    from citewhy.evaluate.backtest import backtest
    from citewhy.manuscript import read
    from citewhy.starter import open_library

    outputs.check()
    roots = {path.resolve(): path for path in drafts}  # one that is named twice is asked once
    with progress_bar(quiet) as tell, open_library(library) as opened:
        manuscripts = [read(path) for path in roots.values()]
        found = backtest(
            opened,
            manuscripts,
            year,
            pipeline,
            baseline,
            seed,
            tell,
            None if encoder is None else open_encoder(encoder),
        )
    outputs.write(found)

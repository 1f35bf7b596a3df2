"""`citewhy backtest`: how well suggestions would have done on papers that are finished."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.cli.progress import progress_bar
from citewhy.config import DEFAULT_SEED, YEARS

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
@click.option("--library", type=click.Path(path_type=Path), help="Library folder; default: the user's own.")
@click.option(
    "--as-of",
    "year",
    type=click.IntRange(*YEARS),
    metavar="YEAR",
    help="Know nothing newer; default: each draft's own year.",
)
@click.option("--pipeline", default="full", show_default=True, help="What is measured: full, or bm25 alone.")
@click.option("--baseline", metavar="NAME|RUN", help="A pipeline, or a TREC run file, to compare with.")
@click.option("--seed", type=int, default=DEFAULT_SEED, show_default=True, help="For the intervals.")
@click.option(
    "--run", "run_file", type=click.Path(path_type=Path), help="Write the rankings here, as a TREC run."
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE.svg",
    help="Draw here how often probabilities are right.",
)
@click.option(
    "--json", "as_document", is_flag=True, help="One JSON document on standard output, nothing else."
)
@click.option("--quiet", is_flag=True, help="No progress bar.")
def command(
    drafts: tuple[Path, ...],
    library: Path | None,
    year: int | None,
    pipeline: str,
    baseline: str | None,
    seed: int,
    run_file: Path | None,
    plot: Path | None,
    as_document: bool,
    quiet: bool,
) -> None:
    """Hide the citations of finished papers in turn: would they have been suggested?

    Each place is asked as `citewhy suggest` would ask it, as of the year of its paper.
    """
    import orjson

    from citewhy.backtest import backtest
    from citewhy.backtest.text import as_text
    from citewhy.evaluation.asking import refuse_early
    from citewhy.evaluation.report import save_plot
    from citewhy.evaluation.runs import write_trec
    from citewhy.manuscript import read
    from citewhy.pipeline import PIPELINES
    from citewhy.starter import open_library

    refuse_early(baseline, (run_file, plot), PIPELINES)
    roots = {path.resolve(): path for path in drafts}  # one that is named twice is asked once
    with progress_bar(quiet) as tell, open_library(library) as opened:
        manuscripts = [read(path) for path in roots.values()]
        found = backtest(opened, manuscripts, year, pipeline, baseline, seed, tell)
    if as_document:
        click.echo(orjson.dumps(found.document(), option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo(as_text(found))
    if run_file is not None:
        write_trec(run_file, found.report.system.answers.run, tag=found.report.system.name)
    if plot is not None:
        save_plot(found.report, plot)

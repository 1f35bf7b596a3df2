"""`citewhy backtest`: measures suggestions on finished papers by hiding their citations."""

from __future__ import annotations

import click

from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar
from citewhy_lab.cli import options as lab_options
from citewhy_lab.evaluate.backtest.settings import BacktestSettings

EPILOG = """\b
Examples:
  citewhy backtest thesis.tex
  citewhy backtest 2018/paper.tex 2020/paper.tex --baseline bm25
  citewhy backtest paper.md --as-of 2019 --json
  citewhy backtest paper.tex --pipeline bm25 --run bm25.run
  citewhy backtest thesis.tex --so-far
  citewhy backtest paper.tex --plot reliability.svg

Citations are hidden one place at a time; the rest of the draft, including its other references, stays known;
with --so-far, only what is written before the place.
If the library has the draft itself, it is never suggested and never used as evidence. docs/evaluation.md
explains every decision behind the numbers.
"""


@click.command("backtest", epilog=EPILOG)
@lab_options.settings_of(BacktestSettings)
@lab_options.outputs
@options.quiet
def command(settings: BacktestSettings, outputs: lab_options.Outputs, quiet: bool) -> None:
    """Measure suggestions on finished papers: hide each citation, and see if it is suggested.

    Each citation is answered as by `citewhy suggest`, as of the year of its paper.
    """
    from citewhy.session.session import Session
    from citewhy_lab.evaluate.backtest import backtest

    outputs.check()
    roots = {path.resolve(): path for path in settings.drafts}  # a draft that is named twice counts once
    with (
        progress_bar(quiet) as progress,
        Session(
            settings.library,
            pipeline=settings.pipeline,  # type: ignore[arg-type] # it checks
            encoder=settings.encoder,
            ranker=settings.ranker,
        ) as session,
    ):
        manuscripts = [session.read(path, follow_outside=settings.follow_outside) for path in roots.values()]
        measured = backtest(
            session,
            manuscripts,
            settings.year,
            settings.baseline,
            settings.seed,
            progress,
            so_far=settings.so_far,
        )
    outputs.write(measured.outcome)

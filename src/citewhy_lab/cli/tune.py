"""`citewhy tune`: a few numbers of the ranking, fitted to an author's own finished drafts."""

from __future__ import annotations

import click

from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar
from citewhy_lab.cli.options import settings_of
from citewhy_lab.evaluate.backtest.settings import TuneSettings

EPILOG = """\b
Examples:
  citewhy tune thesis.tex 2020/paper.tex
  citewhy tune paper.md --as-of 2019
  citewhy tune --forget

Every citation of the drafts is hidden in turn. What is fitted: how much your own earlier citations, the
paragraph, and names in the sentence count, and how scores become probabilities. It is kept in the library and
used for your drafts only if it helps on places that it was not fitted on (whole drafts, from three on);
`citewhy info` shows it, and `citewhy backtest` measures it on drafts that you left out.
"""


@click.command("tune", epilog=EPILOG)
@settings_of(TuneSettings)
@options.quiet
def command(settings: TuneSettings, quiet: bool) -> None:
    """Fit the ranking to finished drafts of your own.

    The papers that they cite should be in the library: add their bibliographies first.
    """
    from citewhy.base.errors import QueryError
    from citewhy.doors.present.library_text import TUNED
    from citewhy.ranking.rank.tuning import forget_tuning, write_tuning
    from citewhy.session.session import Session
    from citewhy.text.counted import counted
    from citewhy_lab.evaluate.backtest.tuning import tune

    if settings.forget == bool(settings.drafts):
        raise QueryError("give either finished drafts or --forget")
    with (
        progress_bar(quiet) as progress,
        Session(settings.library, encoder=settings.encoder, ranker=settings.ranker) as session,
    ):
        folder = session.own_folder()
        if settings.forget:
            click.echo("removed" if forget_tuning(folder) else "there was nothing to remove")
            return
        roots = {path.resolve(): path for path in settings.drafts}  # one that is named twice is asked once
        manuscripts = [session.read(path, follow_outside=settings.follow_outside) for path in roots.values()]
        tuned = tune(session, manuscripts, settings.year, progress)
    click.echo(
        f"{tuned.places:,} citations of {counted(len(roots), 'draft')}; reciprocal rank in cross-validation: "
        f"{tuned.before:.3f} as it is, {tuned.after:.3f} tuned"
    )
    if tuned.helps:
        write_tuning(folder, tuned.tuning)
        for kind, weight in tuned.tuning.weights.items():
            click.echo(f"  {TUNED[kind]} × {1 + weight:g}")
        if tuned.tuning.calibration is not None:
            click.echo("  probabilities: fitted to these drafts")
        click.echo(f"kept in {folder}; undo with: citewhy tune --forget")
    else:
        removed = forget_tuning(folder)
        outcome = "the earlier tuning was removed" if removed else "nothing is changed"
        click.echo(f"tuning does not help on places that it was not fitted on: {outcome}")

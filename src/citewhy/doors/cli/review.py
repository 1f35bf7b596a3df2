"""`citewhy review`: lists sentences without a citation that probably need one, works that a draft misses,
and, for reviewers, both with an audit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citewhy.base.errors import QueryError
from citewhy.doors.cli import options
from citewhy.doors.cli.configuration import configured
from citewhy.doors.cli.progress import progress_bar
from citewhy.doors.cli.terminal import echo_styled, look, remark
from citewhy.doors.present import as_json as json_form
from citewhy.doors.present import draft_text, report_json, report_text, review_text
from citewhy.doors.present.lines import clean
from citewhy.session.session import Session

if TYPE_CHECKING:
    from citewhy.answers.review import ReviewFields

EPILOG = """\b
Examples:
  citewhy review draft.tex
  citewhy review thesis.tex --budget 50 -k 3
  citewhy review draft.md --only mine --json
  citewhy review paper.tex --missing --as-of 2024
  citewhy review paper.tex --full --budget 30

A remark shows a sentence without a citation, how sure it is that such sentences cite in published papers,
why, and the best suggestion. The surest remarks are chosen: by default one for thirty sentences, at least
five and at most thirty. The abstract, acknowledgements, captions, and what the paper says of itself are left
out, and so are sentences that repeat one that cites. DRAFT is read as by `citewhy suggest`.

--missing lists works that a finished draft should consider as of its year, for the whole and for sections,
each with why: references that cite it, or are cited together with it, papers like the draft that cite it, or
a name that it introduces and the draft uses. Own works, versions of what is cited, and later works are left
out. --full is a report for reviewers: entries that are wrong, works that are missing, and sentences that
need a citation, within one budget: what is certain first, then one of each in turn.
"""


@click.command("review", cls=options.ForAuthors, epilog=EPILOG)
@click.argument("draft", type=click.Path(path_type=Path), metavar="DRAFT")
@click.option("--budget", type=click.IntRange(min=0), metavar="N", help="Show at most N remarks.")
@options.count("Number of papers for each sentence.", default=1)
@options.libraries
@options.year("Ignore papers published after YEAR.")
@options.pipeline
@options.encoder
@options.ranker
@options.ranking
@options.linker
@click.option(
    "--model",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Use this trained classifier (`citewhy train needs`) instead of the built-in one.",
)
@click.option(
    "--only",
    type=click.Choice(["mine", "new"]),
    help="Suggest only papers that the bibliography of DRAFT has (mine), or only others (new).",
)
@click.option("--missing", is_flag=True, help="List works that DRAFT should consider, instead of sentences.")
@click.option(
    "--full", is_flag=True, help="Report for reviewers: wrong entries, missing works, and sentences."
)
@options.as_json
@options.follow_outside
@options.verbose
@click.option("--quiet", is_flag=True, help="Print the remarks only: no progress bar, no problems.")
@configured
def command(
    draft: Path,
    budget: int | None,
    count: int,
    model: Path | None,
    only: Any,
    missing: bool,
    full: bool,
    as_json: bool,
    follow_outside: bool,
    verbose: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """List sentences of DRAFT without a citation that probably need one, or works that it misses."""
    if missing and full:
        raise QueryError("--full has the missing works", hint="omit --missing")
    with Session(**given) as session:
        opened = session.open_draft(draft, follow_outside=follow_outside)
        manuscript = opened.manuscript
        if not (as_json or quiet):
            for problem in (*draft_text.problems(manuscript, verbose), *opened.remarks):
                remark(problem)
        with progress_bar(quiet or as_json) as progress:
            opened.prepare(progress)
            progress("reviewing the draft", None)
            by: ReviewFields = {"budget": budget, "only": only}
            if full:
                report = session.report(manuscript, count, model, **by)
            elif missing:
                works = session.missing(manuscript, **by)
            else:
                remarks = list(session.review(manuscript, count, model, **by))
        about = opened.library, session.pipeline
        if as_json:
            if full:
                echo_json(report_json.report_document(report, *about))
            elif missing:
                echo_json(report_json.missing_document(manuscript, works, *about))
            else:
                echo_json(json_form.review_document(manuscript, remarks, *about))
        elif budget == 0:
            what = "nothing" if missing or full else "no sentence"
            click.echo(f"{clean(manuscript.path)}: --budget 0 shows {what}.")
        elif full:
            echo_styled(report_text.report(report, look(verbose)))
        elif missing:
            echo_styled(report_text.missing(manuscript, works, look(verbose)))
        else:
            echo_styled(review_text.review(manuscript, remarks, look(verbose)))


def echo_json(document: Mapping[str, Any]) -> None:
    """Prints a document."""
    click.echo(json_form.dumps(document))

"""`citewhy review`: lists sentences without a citation that probably need one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from citewhy.doors.cli import options
from citewhy.doors.cli.configuration import configured
from citewhy.doors.cli.progress import progress_bar
from citewhy.doors.cli.terminal import echo_styled, look, remark
from citewhy.doors.present import as_json as json_form
from citewhy.doors.present import draft_text, review_text
from citewhy.doors.present.lines import clean
from citewhy.session.session import Session

EPILOG = """\b
Examples:
  citewhy review draft.tex
  citewhy review thesis.tex --budget 50 -k 3
  citewhy review draft.md --only mine --json

A remark shows a sentence without a citation, how sure it is that such sentences cite in published papers,
why, and the best suggestion. The surest remarks are chosen: by default one for thirty sentences, at least
five and at most thirty. The abstract, acknowledgements, captions, and what the paper says of itself are left
out, and so are sentences that repeat one that cites. DRAFT is read as by `citewhy suggest`.
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
    as_json: bool,
    follow_outside: bool,
    verbose: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """List sentences of DRAFT without a citation that probably need one, with papers for them."""
    with Session(**given) as session:
        opened = session.open_draft(draft, follow_outside=follow_outside)
        manuscript = opened.manuscript
        if not (as_json or quiet):
            for problem in (*draft_text.problems(manuscript, verbose), *opened.remarks):
                remark(problem)
        with progress_bar(quiet or as_json) as progress:
            opened.prepare(progress)
            progress("reviewing the draft", None)
            remarks = list(session.review(manuscript, count, budget=budget, only=only, judge=model))
        if as_json:
            document = json_form.review_document(manuscript, remarks, opened.library, session.pipeline)
            click.echo(json_form.dumps(document))
        elif budget == 0:
            click.echo(f"{clean(manuscript.path)}: --budget 0 shows no sentence.")
        else:
            echo_styled(review_text.review(manuscript, remarks, look(verbose)))

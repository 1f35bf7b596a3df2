"""`citewhy review`: lists sentences without a citation that probably need one, works that a draft misses,
and, for reviewers, both with an audit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from citewhy.base.artifact import replace_file
from citewhy.base.errors import QueryError
from citewhy.base.printable import printable
from citewhy.doors.cli import options
from citewhy.doors.cli.configuration import configured
from citewhy.doors.cli.progress import progress_bar
from citewhy.doors.cli.terminal import echo_styled, look, remark
from citewhy.doors.present import as_json as json_form
from citewhy.doors.present import draft_text, report_html, report_json, report_text, review_text
from citewhy.doors.present.lines import clean
from citewhy.session.session import Session

if TYPE_CHECKING:
    from citewhy.answers.missing import MissingWorks
    from citewhy.answers.report import ReviewReport
    from citewhy.answers.review import ReviewFields
    from citewhy.base.records import Advice, Manuscript
    from citewhy.doors.present.lines import Look

EPILOG = """\b
Examples:
  citewhy review draft.tex
  citewhy review thesis.tex --budget 50 -k 3
  citewhy review draft.md --only mine --json
  citewhy review paper.tex --missing --as-of 2024
  citewhy review paper.tex --full --budget 30 --html report.html

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
@options.index
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
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="With --missing and --full: also write a page for reading and printing to FILE.",
)
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
    html: Path | None,
    follow_outside: bool,
    verbose: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """List sentences of DRAFT without a citation that probably need one, or works that it misses."""
    if missing and full:
        raise QueryError("--full has the missing works", hint="omit --missing")
    if html is not None and not (missing or full):
        raise QueryError("--html writes a report", hint="add --full or --missing")
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
            about = opened.library, session.pipeline
            if full:
                shown = _report(session.report(manuscript, count, model, **by), *about)
            elif missing:
                shown = _missing(manuscript, session.missing(manuscript, **by), *about)
            else:
                shown = _uncited(manuscript, list(session.review(manuscript, count, model, **by)), *about)
        if html is not None:
            replace_file(html, printable(shown.page()).encode())
        if as_json:
            click.echo(json_form.dumps(shown.document()))
        elif budget == 0:
            what = "nothing" if missing or full else "no sentence"
            click.echo(f"{clean(manuscript.path)}: --budget 0 shows {what}.")
        else:
            echo_styled(shown.text(look(verbose)))


class _Shown(NamedTuple):
    """What is answered, in each form."""

    document: Callable[[], Mapping[str, Any]]
    text: Callable[[Look], str]
    page: Callable[[], str] = str


def _report(found: ReviewReport, *about: str) -> _Shown:
    return _Shown(
        lambda: report_json.report_document(found, *about),
        lambda style: report_text.report(found, style),
        lambda: report_html.page(found),
    )


def _missing(manuscript: Manuscript, found: MissingWorks, *about: str) -> _Shown:
    return _Shown(
        lambda: report_json.missing_document(manuscript, found, *about),
        lambda style: report_text.missing(manuscript, found, style),
        lambda: report_html.missing_page(manuscript, found),
    )


def _uncited(manuscript: Manuscript, remarks: list[Advice], *about: str) -> _Shown:
    return _Shown(
        lambda: json_form.review_document(manuscript, remarks, *about),
        lambda style: review_text.review(manuscript, remarks, style),
    )

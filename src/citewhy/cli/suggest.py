"""`citewhy suggest`: suggests papers for the open citations of a draft, or for one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citewhy.cli import options
from citewhy.cli.progress import progress_bar
from citewhy.config import DEFAULT_K
from citewhy.errors import QueryError

if TYPE_CHECKING:
    from citewhy.records import Advice, Manuscript, Unit
    from citewhy.session import Session

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy suggest draft.tex
  citewhy suggest --text "Attention replaced recurrence in translation."
  citewhy suggest draft.md -k 3 --as-of 2019
  citewhy suggest draft.md --unit paragraph --unit draft
  citewhy suggest draft.tex --write
  citewhy suggest draft.tex --undo

Open citations are \\cite{}, \\cite{?}, \\cite{TODO}, \\citeneeded, [CITE], [?], [@], and keys that no
bibliography defines. --unit selects the parts of the draft to suggest papers for: open citations (place),
citations that already have papers, to add more (set), paragraphs of one or two sentences that cite nothing
yet (paragraph), the paper as a whole (draft). Drafts are LaTeX (including all files that they input),
Markdown, or plain text. --write inserts the first suggestion for each open citation if it is probable enough
(--at-least), and lists the citations that stay open, with the reasons. It shows the edit and asks for
confirmation before it changes any file. Undefined keys are kept: if a key describes exactly one paper in the
library, an entry is added under this key.
"""


@click.command("suggest", epilog=EPILOG)
@click.argument("draft", required=False, type=click.Path(path_type=Path), metavar="DRAFT")
@click.option("--text", help="One sentence, instead of a draft.")
@click.option(
    "--unit",
    "units",
    type=click.Choice(["place", "set", "paragraph", "draft"]),
    multiple=True,
    default=["place"],
    show_default=True,
    help="Parts of DRAFT to suggest papers for; may be repeated.",
)
@options.library
@click.option(
    "-k",
    "count",
    type=click.IntRange(min=1),
    default=DEFAULT_K,
    show_default=True,
    help="Number of papers for each citation.",
)
@options.year("Ignore papers published after YEAR.")
@options.pipeline
@options.encoder
@options.ranker
@options.ranking
@options.linker
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Suggest nothing if the best paper has a probability below P; default: the threshold of the ranker.",
)
@options.as_json
@click.option("--write", is_flag=True, help="Show the edit that inserts the first suggestions, and apply it.")
@click.option(
    "--at-least",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="With --write: write only papers with a probability of at least P; default: 0.5, more likely right "
    "than wrong.",
)
@click.option(
    "--outside", is_flag=True, help="With --write: also write to files outside of the draft's folder."
)
@click.option("--yes", is_flag=True, help="With --write: do not ask for confirmation.")
@click.option("--undo", is_flag=True, help="Undo the last --write.")
@options.quiet
def command(
    draft: Path | None,
    text: str | None,
    units: tuple[Unit, ...],
    count: int,
    threshold: float | None,
    as_json: bool,
    write: bool,
    at_least: float | None,
    outside: bool,
    yes: bool,
    undo: bool,
    quiet: bool,
    **models: Any,
) -> None:
    """Suggest papers for the open citations of DRAFT, or for one sentence.

    Until you add papers, suggestions come from a built-in starter library of well-known papers.
    """
    if (draft is None) == (text is None):
        raise QueryError("give either a DRAFT or --text")
    if draft is None and (write or undo):
        raise QueryError("--write and --undo change a draft", hint="give a DRAFT")
    if units != ("place",) and (draft is None or write):
        problem = "--unit needs a DRAFT" if draft is None else "--write fills open citations only"
        raise QueryError(problem, hint="omit --unit")
    if undo and draft is not None:
        _undo(draft)
        return
    from citewhy.session import Session

    with Session(**models) as session:
        if draft is None:
            _answer_text(session, text or "", count, threshold, as_json, quiet)
            return
        manuscript, found = _answer_draft(session, draft, units, count, threshold, as_json, quiet)
        if write:
            _write(session, manuscript, found, at_least, outside, ask=not yes, quiet=as_json)


def _answer_text(
    session: Session, text: str, count: int, threshold: float | None, as_json: bool, quiet: bool
) -> None:
    from citewhy.present import as_json as json_form
    from citewhy.present import as_text

    with progress_bar(quiet or as_json) as tell:
        session.prepare(tell)
        found = session.suggest(text, count, threshold=threshold)
    if as_json:
        document = json_form.text_document(text, found, str(session.folder), session.pipeline)
        click.echo(json_form.dumps(document))
    else:
        click.echo(as_text.suggestions(found))


def _answer_draft(
    session: Session,
    draft: Path,
    units: Sequence[Unit],
    count: int,
    threshold: float | None,
    as_json: bool,
    quiet: bool,
) -> tuple[Manuscript, list[Advice]]:
    from citewhy.present import as_json as json_form
    from citewhy.present import as_text

    manuscript = session.read(draft)
    with progress_bar(quiet or as_json) as tell:
        session.prepare(tell)
        total, found = len(session.units(manuscript, units)), []
        for each in session.advise(manuscript, count, threshold=threshold, units=units):
            found.append(each)
            tell(f"{len(found)} of {total} answered", len(found) / total)
    if as_json:
        document = json_form.draft_document(manuscript, found, str(session.folder), session.pipeline)
        click.echo(json_form.dumps(document))
    else:
        for problem in as_text.problems(manuscript):
            click.echo(f"citewhy: {problem}", err=True)
        click.echo(as_text.draft(manuscript, found, units))
    return manuscript, found


def _write(
    session: Session,
    manuscript: Manuscript,
    found: Sequence[Advice],
    at_least: float | None,
    outside: bool,
    ask: bool,
    quiet: bool,
) -> None:
    """Shows the edit that inserts the suggestions that are probable enough, lists the citations that stay
    open, and writes the edit after confirmation.

    With `quiet` the diff goes to standard error, so that standard output holds one JSON document.
    """
    from citewhy.edits import AT_LEAST
    from citewhy.present import as_text

    if at_least is not None and any(each.probability is None for one in found for each in one.suggestions):
        raise QueryError(
            f"the pipeline {session.pipeline} gives no probabilities",
            hint="omit --at-least, or use the pipeline full",
        )
    floor = AT_LEAST if at_least is None else at_least
    choices = session.first_choices(manuscript, found, floor, outside=outside)
    for line in as_text.left_open((each.place, each.why) for each in choices.left_open):
        click.echo(line, err=True)
    if not choices.chosen:
        click.echo("Nothing to write.", err=quiet)
        return
    edit = session.edit(manuscript, choices.chosen, outside=outside)
    click.echo(edit.diff(), nl=False, err=quiet)
    if ask and not click.confirm("Apply this edit?", default=False, err=True):
        click.echo("Nothing was changed.", err=True)
        return
    edit.apply()
    count = len(edit.files)
    files = f"{count} file{'' if count == 1 else 's'}"
    click.echo(f"Changed {files}; to undo: citewhy suggest {manuscript.path} --undo", err=True)


def _undo(draft: Path) -> None:
    from citewhy.session import Session

    for file in Session.undo(draft):
        click.echo(f"restored {file}")

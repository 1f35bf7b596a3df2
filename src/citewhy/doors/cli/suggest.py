"""`citewhy suggest`: suggests papers for the open citations of a draft, or for one sentence."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citewhy.base.errors import QueryError
from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar
from citewhy.doors.cli.terminal import echo_styled, look, remark

if TYPE_CHECKING:
    from citewhy.answers.edits import Choices
    from citewhy.base.records import Intent, Manuscript, Only, QueryKind, Suggestion, UnitAnswer, UnitKind
    from citewhy.session.session import Session

__all__ = ["command"]

_OFFERED = 5
"""Papers to choose from."""

EPILOG = """\b
Examples:
  citewhy suggest draft.tex
  citewhy suggest --text "Attention replaced recurrence in translation."
  citewhy suggest --text "Beam search has improved." --paragraph
  citewhy suggest --text "Translation is scored by n-grams." --beside P02-1040
  citewhy suggest draft.md -k 3 --as-of 2019
  citewhy suggest --text "Parallel corpora are aligned." --intent method
  citewhy suggest draft.md --unit paragraph --unit draft
  citewhy suggest draft.tex --write
  citewhy suggest draft.tex --choose
  citewhy suggest draft.tex --undo
  citewhy suggest draft.tex -k 1 --bibtex

Open citations are \\cite{}, \\cite{?}, \\cite{TODO}, \\citeneeded, \\todo{cite Och}, [CITE], (CITE), [?],
[@], and keys that no bibliography defines. --unit selects the parts of the draft to suggest papers for: open
citations (place), citations with papers, to complete them (set), paragraphs of one or two sentences
that cite nothing yet (paragraph), the paper as a whole (draft). A comment cite-paragraph (in LaTeX
% cite-paragraph, in Markdown <!-- cite-paragraph -->) above, in or below a paragraph asks for its papers.
Drafts are LaTeX (including all files that they input), Markdown, Typst, Org, or plain text. --write inserts
the first suggestion for each open citation if it is probable enough (--at-least), and lists the citations
that stay open, with the reasons. It shows the edit and asks for confirmation before it changes any file.
Undefined keys are kept: if a key names exactly one paper in the library, an entry is added under this key.
--choose asks for each open citation which of the first five papers to write. --bibtex, --ris and --csl print
the suggested papers that the bibliography does not have yet.
"""


@click.command("suggest", epilog=EPILOG)
@click.argument("draft", required=False, type=click.Path(path_type=Path), metavar="DRAFT")
@click.option("--text", help="One sentence, instead of a draft.")
@click.option(
    "--paragraph",
    is_flag=True,
    help="--text is the first sentence of a paragraph: suggest papers for the rest of it.",
)
@click.option(
    "--beside",
    multiple=True,
    metavar="ID",
    help="A paper that the citation in --text has already, to complete it; may be repeated.",
)
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
@options.count("Number of papers for each citation.")
@options.year("Ignore papers published after YEAR.")
@options.pipeline
@options.encoder
@options.ranker
@options.ranking
@options.linker
@click.option(
    "--threshold",
    type=options.Number(0, 1),
    metavar="P",
    help="Suggest nothing if the best paper has a probability below P; default: the threshold of the ranker.",
)
@options.exports
@options.as_json
@click.option(
    "--only",
    type=click.Choice(["mine", "new", "needed"]),
    multiple=True,
    help="Suggest only papers that the bibliography of DRAFT has (mine), or only others (new); only for "
    "sentences that cite nothing but should, as `citewhy review` lists them (needed). May be repeated.",
)
@options.intent
@click.option("-v", "--verbose", is_flag=True, help="Show all reasons, and all problems of DRAFT.")
@click.option("--write", is_flag=True, help="Show the edit that inserts the first suggestions, and apply it.")
@click.option(
    "--choose",
    is_flag=True,
    help="Ask for each open citation which of the first five papers to write, then as --write.",
)
@click.option(
    "--at-least",
    type=options.Number(0, 1),
    metavar="P",
    help="With --write: write only papers with a probability of at least P; default: 0.5, more likely right "
    "than wrong.",
)
@click.option(
    "--outside",
    is_flag=True,
    help="With --write and --choose: also write to files outside of the draft's folder.",
)
@options.follow_outside
@click.option("--yes", is_flag=True, help="With --write and --choose: do not ask for confirmation.")
@click.option("--undo", is_flag=True, help="Undo the last --write or --choose.")
@click.option("--quiet", is_flag=True, help="Print the answers only: no progress bar, no remarks.")
def command(
    draft: Path | None,
    text: str | None,
    paragraph: bool,
    beside: tuple[str, ...],
    write: bool,
    choose: bool,
    at_least: float | None,
    follow_outside: bool,
    undo: bool,
    **given: Any,
) -> None:
    """Suggest papers for the open citations of DRAFT, or for one sentence.

    Until you add papers, suggestions come from a built-in starter library of well-known papers.
    """
    if (draft is None) == (text is None):
        raise QueryError("give either a DRAFT or --text")
    only, needed = _restrictions(given.pop("only"))
    names = [field.name for field in dataclasses.fields(_Wishes) if field.name not in ("only", "needed")]
    wishes = _Wishes(**{name: given.pop(name) for name in names}, only=only, needed=needed)
    changes = write or choose
    if draft is None and (changes or undo or only or needed):
        raise QueryError("--write, --choose, --undo and --only are for a draft", hint="give a DRAFT")
    if wishes.units != ("place",) and (draft is None or changes):
        problem = "--unit needs a DRAFT" if draft is None else "--write and --choose fill open citations only"
        raise QueryError(problem, hint="omit --unit")
    if needed and (changes or wishes.units != ("place",)):
        what = "--write and --choose fill open citations" if changes else "--unit selects other parts"
        raise QueryError(
            f"{what}, --only needed selects sentences that cite nothing", hint="omit one of them"
        )
    if choose and (wishes.as_json or write or at_least is not None):
        raise QueryError("--choose asks a person", hint="omit --json, --write and --at-least")
    if wishes.export is not None and changes:
        raise QueryError(f"--{wishes.export} prints nothing else", hint="omit --write and --choose")
    if beside and (draft is not None or paragraph):
        raise QueryError("--beside is for one citation in --text", hint="for a DRAFT: --unit set")
    if paragraph and draft is not None:
        raise QueryError("--paragraph is for --text", hint="for a DRAFT: --unit paragraph")
    if undo and draft is not None:
        _undo(draft)
        return
    from citewhy.session.session import Session

    with Session(**given) as session:
        for told in () if wishes.as_json or wishes.quiet else session.models.remarks:
            remark(told)
        if draft is None:
            kind: QueryKind = "paragraph" if paragraph else "set" if beside else "local"
            _answer_text(session, text or "", kind, beside, wishes)
            return
        manuscript = session.read(draft, follow_outside=follow_outside)
        if not (wishes.as_json or wishes.quiet):
            from citewhy.doors.present import as_text

            for problem in as_text.problems(manuscript, wishes.verbose):
                remark(problem)
        if choose:
            choices = _ask(session, manuscript, wishes)
        else:
            found = _answer_draft(session, manuscript, wishes)
            if not write:
                return
            choices = _first(session, manuscript, found, at_least, wishes)
        _write(session, manuscript, choices, wishes)


@dataclasses.dataclass(frozen=True, slots=True)
class _Wishes:
    """What is asked for, and how it is shown."""

    units: tuple[UnitKind, ...]
    count: int
    threshold: float | None
    only: Only | None
    intent: Intent | None
    needed: bool
    export: str | None
    as_json: bool
    verbose: bool
    quiet: bool
    outside: bool
    yes: bool


def _restrictions(given: Sequence[str]) -> tuple[Only | None, bool]:
    """Which papers may be suggested, and whether only for sentences that lack a citation."""
    papers = set(given) - {"needed"}
    if len(papers) > 1:
        raise QueryError("no paper is both mine and new", hint="give --only mine or --only new")
    only: Only | None = "mine" if "mine" in papers else "new" if "new" in papers else None
    return only, "needed" in given


def _answer_text(
    session: Session, text: str, kind: QueryKind, beside: Sequence[str], wishes: _Wishes
) -> None:
    from citewhy.answers.resolve.in_question import unknown_citations, unknown_names
    from citewhy.doors.present import as_json as json_form
    from citewhy.doors.present import as_text

    members = tuple(session.paper(each).id for each in beside)
    with progress_bar(wishes.quiet or wishes.as_json) as progress:
        session.prepare(progress, intents=wishes.intent is not None)
        found = session.suggest(
            text,
            wishes.count,
            threshold=wishes.threshold,
            intent=wishes.intent,
            kind=kind,
            member_ids=members,
        )
    if wishes.as_json:
        document = json_form.text_document(text, found, str(session.folder), session.pipeline)
        click.echo(json_form.dumps(document))
    elif wishes.export is not None:
        options.write_export(wishes.export, [(each.paper.id, each.paper) for each in found])
    else:
        if not wishes.quiet:
            if names := unknown_names(text, lambda name: session.find(name, 1)):
                told = f"no title or abstract in the library has the name {' or '.join(names)}"
                remark(told)
            if lacking := unknown_citations(text, lambda words: session.find(words, 1)):
                told = f"the library has no paper that is cited as {' or '.join(lacking)}"
                remark(told)
        echo_styled(as_text.suggestions(found, look(wishes.verbose)))


def _answer_draft(session: Session, manuscript: Manuscript, wishes: _Wishes) -> list[UnitAnswer]:
    """Prints the answers to a draft, and returns them."""
    from citewhy.doors.present import as_json as json_form
    from citewhy.doors.present import as_text, review_text

    found = _answers(session, manuscript, wishes)
    if wishes.as_json:
        document = json_form.draft_document(manuscript, found, str(session.folder), session.pipeline)
        click.echo(json_form.dumps(document))
    elif wishes.export is not None:
        _export(wishes.export, manuscript, found, wishes.only)
    elif wishes.needed and not found:
        click.echo(review_text.nothing_missing(manuscript))
    else:
        echo_styled(as_text.draft(manuscript, found, wishes.units, look(wishes.verbose)))
    return found


def _answers(session: Session, manuscript: Manuscript, wishes: _Wishes) -> list[UnitAnswer]:
    """The answers to the parts of a draft; those to sentences that lack a citation are most certain first."""
    from citewhy.base.records import Unit, UnitAnswer

    found: list[UnitAnswer] = []
    with progress_bar(wishes.quiet or wishes.as_json) as progress:
        session.prepare(progress, intents=wishes.intent is not None)
        if wishes.needed:
            return [
                UnitAnswer(
                    Unit("place", each.sentence.place, None, each.sentence, each.paragraph), each.suggestions
                )
                for each in session.review(manuscript, wishes.count, only=wishes.only)
            ]
        total = len(session.units(manuscript, wishes.units))
        for each in session.advise(
            manuscript,
            wishes.count,
            threshold=wishes.threshold,
            units=wishes.units,
            only=wishes.only,
            intent=wishes.intent,
        ):
            found.append(each)
            progress(f"{len(found)} of {total} answered", len(found) / total)
    return found


def _export(export: str, manuscript: Manuscript, found: Sequence[UnitAnswer], only: Only | None) -> None:
    """Prints the suggested papers under their keys in the draft, each once; those that its bibliography has
    only if no others were asked for."""
    defined = set() if only == "mine" else {reference.key for reference in manuscript.references}
    papers = {each.key: each.paper for one in found for each in one.suggestions if each.key not in defined}
    options.write_export(export, list(papers.items()))


# Writing --------------------------------------------------------------------------------------------------


def _first(
    session: Session,
    manuscript: Manuscript,
    found: Sequence[UnitAnswer],
    at_least: float | None,
    wishes: _Wishes,
) -> Choices:
    """The first suggestions that are probable enough."""
    from citewhy.answers.edits import AT_LEAST
    from citewhy.answers.own_entries import KIND

    # Entries of the draft alone, and papers that a key names for certain, have none in any pipeline.
    ranked = (each for one in found for each in one.suggestions if each.reasons[0].kind not in (KIND, "key"))
    if at_least is not None and any(each.probability is None for each in ranked):
        raise QueryError(
            f"the pipeline {session.pipeline} gives no probabilities",
            hint="omit --at-least, or use the pipeline full",
        )
    floor = AT_LEAST if at_least is None else at_least
    return session.first_choices(manuscript, found, floor, outside=wishes.outside)


def _ask(session: Session, manuscript: Manuscript, wishes: _Wishes) -> Choices:
    """Shows each open citation with its papers, and asks which one to write."""
    from citewhy.answers.edits import Stop
    from citewhy.doors.present import as_text

    with progress_bar(wishes.quiet) as progress:
        session.prepare(progress, intents=wishes.intent is not None)
    if not session.units(manuscript):
        click.echo(as_text.nothing_open(manuscript))
    looks = look(wishes.verbose)
    asked: list[UnitAnswer] = []

    def ask(answer: UnitAnswer, key: str) -> Suggestion | None:
        if not asked or asked[-1] is not answer:
            asked.append(answer)
            echo_styled(as_text.unit_answer(answer, len(asked), looks))
        offered = as_text.shown_suggestions(answer.suggestions, looks)
        count = len(offered)
        what = f" for the key {key}" if key else ""
        choice = click.Choice([*map(str, range(1, count + 1)), "n", "s"])
        prompt = f"Which paper{what}? 1{f' to {count}' if count > 1 else ''}, n for none, s to stop"
        reply = click.prompt(prompt, default="n", type=choice, show_choices=False, err=True)
        if reply == "s":
            raise Stop
        return None if reply == "n" else offered[int(reply) - 1]

    found = session.advise(
        manuscript, _OFFERED, threshold=wishes.threshold, only=wishes.only, intent=wishes.intent
    )
    return session.asked_choices(manuscript, found, ask, outside=wishes.outside)


def _write(session: Session, manuscript: Manuscript, choices: Choices, wishes: _Wishes) -> None:
    """Lists the citations that stay open, shows the edit, and writes it after confirmation.

    With `as_json` the diff goes to standard error, so that standard output holds one JSON document. A
    terminal shows long lines around their changes.
    """
    from citewhy.doors.present import as_text
    from citewhy.doors.present.diff_text import excerpted

    quiet = wishes.as_json
    if not wishes.quiet:
        for line in as_text.left_open((each.place, each.why) for each in choices.left_open):
            click.echo(line, err=True)
    if not choices.chosen:
        click.echo("Nothing to write.", err=quiet)
        return
    edit = session.edit(manuscript, choices.chosen, outside=wishes.outside)
    on_terminal = not quiet and sys.stdout is not None and sys.stdout.isatty()
    click.echo(excerpted(edit.diff(), look().width) if on_terminal else edit.diff(), nl=False, err=quiet)
    if not wishes.yes and not click.confirm("Apply this edit?", default=False, err=True):
        click.echo("Nothing was changed.", err=True)
        return
    edit.apply()
    if not wishes.quiet:
        from citewhy.text.counted import counted

        files = counted(len(edit.files), "file")
        click.echo(f"Changed {files}; to undo: citewhy suggest {manuscript.path} --undo", err=True)


def _undo(draft: Path) -> None:
    from citewhy.session.session import Session

    for file in Session.undo(draft):
        click.echo(f"restored {file}")

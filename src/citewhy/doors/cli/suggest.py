"""`citewhy suggest`: suggests papers for the open citations of a draft, or for one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from citewhy.answers.options import DraftOptions, TextOptions, restrictions
from citewhy.base.errors import QueryError
from citewhy.doors.cli import in_turn, options
from citewhy.doors.cli.configuration import configured
from citewhy.doors.cli.presenter import Presenter
from citewhy.session.session import Session

EPILOG = """\b
Examples:
  citewhy suggest draft.tex
  citewhy suggest ch1.tex ch2.tex
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
  citewhy suggest - < paragraph.txt

Open citations are \\cite{}, \\cite{?}, \\cite{TODO}, \\citeneeded, \\todo{cite Och}, [CITE], (ref?), [?],
(cite Och), [Och 2003?], [@], and keys that no bibliography defines. --unit selects the parts of the draft to
suggest papers for: open citations (place), citations with papers, to complete them (set), paragraphs of one
or two sentences that cite nothing yet (paragraph), the paper as a whole (draft). A comment cite-paragraph (in
LaTeX % cite-paragraph, in Markdown <!-- cite-paragraph -->) above, in or below a paragraph asks for its
papers.
Drafts are LaTeX (including all files that they input), Markdown, Typst, Org, or plain text. A folder stands
for the book in it (bookdown, Quarto, mdBook) or for the drafts in it; a chapter knows its book. Several
drafts are answered one after the other, with a summary at the end; - is a text from standard input. --write
inserts the first suggestion for each open citation if it is probable enough (--at-least), and lists the
citations that stay open, with the reasons. It shows the edit and asks for confirmation before it changes
any file.
Undefined keys are kept: if a key names exactly one paper in the library, an entry is added under this key.
--choose asks for each open citation which papers to write; ? lists the answers. --bibtex, --ris and --csl
print the suggested papers that the bibliography does not have yet.
"""


@click.command("suggest", cls=options.ForAuthors, epilog=EPILOG)
@click.argument("drafts", nargs=-1, type=click.Path(path_type=Path), metavar="[DRAFT…]")
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
@options.libraries
@options.index
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
    "sentences without a citation that probably need one, as of `citewhy review` (needed). May be repeated.",
)
@options.intent
@options.verbose
@click.option("--write", is_flag=True, help="Show the edit that inserts the first suggestions, and apply it.")
@click.option(
    "--choose",
    is_flag=True,
    help="Ask for each open citation which papers to write, then as --write.",
)
@click.option("--again", is_flag=True, help="With --choose: also ask about places that you skipped before.")
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
    help="With --write, --choose and --undo: also change files outside of the draft's folder.",
)
@options.follow_outside
@click.option("--yes", is_flag=True, help="With --write and --choose: do not ask for confirmation.")
@click.option("--undo", is_flag=True, help="Undo the last --write or --choose.")
@click.option("--quiet", is_flag=True, help="Print the answers only: no progress bar, no remarks.")
@configured
def command(
    drafts: tuple[Path, ...],
    text: str | None,
    paragraph: bool,
    beside: tuple[str, ...],
    units: tuple[Any, ...],
    count: int,
    threshold: float | None,
    only: tuple[str, ...],
    intent: Any,
    write: bool,
    choose: bool,
    again: bool,
    at_least: float | None,
    outside: bool,
    export: Any,
    follow_outside: bool,
    undo: bool,
    as_json: bool,
    verbose: bool,
    yes: bool,
    quiet: bool,
    **session_fields: Any,
) -> None:
    """Suggest papers for the open citations of DRAFT, or for one sentence.

    Until you add papers, a DRAFT is answered from its own bibliography; a sentence, or a DRAFT without one,
    from a built-in starter library of well-known papers (--library starter).
    """
    if bool(drafts) == (text is not None):
        raise QueryError("give either a DRAFT or --text")
    allowed, needed = restrictions(only)
    for_text = TextOptions(count, threshold, intent, paragraph, beside)
    for_draft = DraftOptions(
        *(count, units, allowed, needed, intent, threshold, None),
        *(write, choose, at_least, outside, export),
    )
    if not drafts and (for_draft.changes or undo or only):
        raise QueryError("--write, --choose, --undo and --only are for a draft", hint="give a DRAFT")
    if not drafts and units != ("place",):
        raise QueryError("--unit needs a DRAFT", hint="omit --unit")
    if choose and as_json:
        raise QueryError("--choose asks a person", hint="omit --json, --write and --at-least")
    if again and not choose:
        raise QueryError("--again is for --choose", hint="omit it, or add --choose")
    for_draft.check()
    for_text.check()
    if drafts and beside:
        raise QueryError("--beside is for one citation in --text", hint="for a DRAFT: --unit set")
    if drafts and paragraph:
        raise QueryError("--paragraph is for --text", hint="for a DRAFT: --unit paragraph")
    if undo:
        in_turn.undo(drafts, outside=outside)
        return
    presenter = Presenter(as_json, verbose, quiet, yes, again)
    with Session(**session_fields) as session:
        if drafts == (in_turn.INPUT,):
            in_turn.answer_input(presenter, session, for_draft, for_text)
            return
        if not drafts:
            presenter.answer_text(session, text or "", for_text, export)
            return
        turns = in_turn.DraftsInTurn(presenter, session, for_draft)
        turns.answer(drafts, follow_outside=follow_outside)
    if turns.failed:
        raise click.exceptions.Exit(2)

"""`citewhy demo`: the example draft, answered from the starter library, and what to try next."""

from __future__ import annotations

import click

from citewhy.answers.answer import is_likely
from citewhy.base.assets import example_draft
from citewhy.doors.cli.progress import progress_bar
from citewhy.doors.cli.terminal import echo_styled, look
from citewhy.doors.present.draft_text import in_short, summary, unit_answer
from citewhy.session.session import Session
from citewhy.session.starter import STARTER

NEXT = """\
Next, on your own files:

  citewhy suggest thesis.tex   papers for its open citations, such as [CITE] and
                               \\cite{?}, from its own bibliography
  citewhy review thesis.tex    sentences that probably need a citation
  citewhy add references.bib   your library, which answers every draft

citewhy help COMMAND lists what a command can do; docs/first-hour.md goes on."""


EPILOG = """\b
Examples:
  citewhy demo
  citewhy demo -v
"""


@click.command("demo", epilog=EPILOG)
@click.option("-v", "--verbose", is_flag=True, help="Show whole sentences, and all reasons.")
def command(verbose: bool) -> None:
    """Answer an example draft from the built-in starter library, and name three commands to try next.

    Of its open citations, those with a likely paper are shown.
    """
    draft = example_draft("latex")
    files = {
        path.relative_to(draft.parent).as_posix(): path.read_bytes()
        for path in sorted(draft.parent.rglob("*"))
        if path.is_file()
    }
    with progress_bar() as progress, Session(STARTER) as session:
        opened = session.open_draft(files, root=draft.name)
        opened.prepare(progress)
        answers = list(opened.advise())
    looks, show = look(verbose), unit_answer if verbose else in_short
    click.echo(f"{summary(answers)}\nThose with a likely paper:\n")
    for number, answer in enumerate(answers, 1):
        if is_likely(answer):
            echo_styled(show(answer, number, looks))
    click.echo(NEXT)

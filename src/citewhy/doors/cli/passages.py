"""`citewhy passages`: finds the sentences of a paper that a citing sentence refers to."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.base.config import DEFAULT_PASSAGES
from citewhy.doors.cli import options
from citewhy.doors.cli.configuration import configured
from citewhy.doors.present import as_json as json_form
from citewhy.doors.present import as_text
from citewhy.session.session import Session

EPILOG = """\b
Examples:
  citewhy passages P02-1040 --text "BLEU counts n-grams." --library mine
  citewhy passages arXiv:1706.03762 --text "Attention alone translates."
  citewhy passages papineni2002bleu --text "BLEU counts n-grams."

PAPER is an id, a DOI, or whatever else names a single paper for `citewhy find`.

Passages come from the full text if the library has it, otherwise from the abstract. Only sentences that share
a word with the text are shown. Citations in the text, such as (Och, 2003), are ignored.
"""


@click.command("passages", epilog=EPILOG)
@click.argument("paper", metavar="PAPER")
@click.option("--text", required=True, help="The citing sentence, or the claim.")
@options.libraries
@options.count("Number of passages.", DEFAULT_PASSAGES)
@options.linker
@options.as_json
@configured
def command(
    paper: str, text: str, library: tuple[Path, ...], count: int, linker: Path | None, as_json: bool
) -> None:
    """Show the sentences of PAPER that a citing sentence refers to.

    If a passage itself cites another paper in the library for the same claim,
    that paper is named: it may be the primary source.
    """
    with Session(library, linker=linker) as session:
        passages = session.passages(paper, text, count)
        folder = str(session.folder)
    if as_json:
        click.echo(json_form.dumps(json_form.passages_document(passages, folder)))
    else:
        click.echo(as_text.passages(passages))

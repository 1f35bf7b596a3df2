"""`citewhy find`: finds papers in a library by what people know of them."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.cli import options
from citewhy.cli.terminal import echo_styled, look

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy find minimum error rate training
  citewhy find Papineni 2002
  citewhy find 10.3115/1073083.1073135 --bibtex
  citewhy find https://arxiv.org/abs/1706.03762
  citewhy find devlin-etal-2018-bert --ris
  citewhy find BERT -k 1 --json

An id, a DOI, an arXiv number, or a URL with one of these names its paper. A citation key names the papers
that all of its parts fit: first author, year (or one beside it), coauthors, words of the title, initials. The
name of a system or data set names the paper that introduced it. If several papers fit equally, all of them
come first. Unless one paper is named for certain, papers follow whose titles, abstracts and authors have the
words. If nothing is found, the exit code is 1.
"""


@click.command("find", epilog=EPILOG)
@click.argument("words", nargs=-1, required=True, metavar="TEXT…")
@options.library
@options.count("Number of papers.")
@options.exports
@options.as_json
def command(
    words: tuple[str, ...], library: Path | None, count: int, export: str | None, as_json: bool
) -> None:
    """Find papers by words, author, title, DOI, arXiv number, id, or citation key."""
    from citewhy.present import as_json as json_form
    from citewhy.present import as_text
    from citewhy.session import Session

    text = " ".join(words)
    with Session(library) as session:
        found = session.find(text, count)
        folder = str(session.folder)
    if as_json:
        click.echo(json_form.dumps(json_form.find_document(found, folder)))
    elif not found.papers:
        click.echo(as_text.finding(found), err=True)
    elif export is not None:
        options.write_export(export, [(paper.id, paper) for paper in found.papers])
    else:
        echo_styled(as_text.finding(found, look()))
    if not found.papers:
        raise click.exceptions.Exit(1)

"""`citewhy remove`: removes papers from a library."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.doors.cli import options
from citewhy.doors.present import as_json as json_form
from citewhy.session.session import Session

EPILOG = """\b
Examples:
  citewhy remove smith2020
  citewhy remove own:my-old-paper other-id --library corpus

Suggestions and `citewhy add` show the ids. Removing one of your own drafts also removes its citations and
citing sentences, but not the papers that it cites. If an id is unknown, nothing is removed.
"""


@click.command("remove", epilog=EPILOG)
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@options.library
@options.as_json
def command(ids: tuple[str, ...], library: Path | None, as_json: bool) -> None:
    """Remove papers, or your own drafts, from a library.

    Citations of them by other papers are kept, and are used if they are added again.
    """
    with Session(library) as session:
        folder = str(session.own_folder())
        removed = session.remove(ids)
    if as_json:
        click.echo(json_form.dumps(json_form.remove_document(removed, folder)))
    else:
        for paper in removed:
            click.echo(f"removed {paper.id}: {paper.title}")

"""`citewhy info`: shows what is in a library, and checks that it is intact."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.base.config import default_library
from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar
from citewhy.doors.present import as_json as json_form
from citewhy.doors.present import library_text
from citewhy.session.session import Session

EPILOG = """\b
Examples:
  citewhy info
  citewhy info --library corpus --json

Every row of the library is read and checked. If the library is damaged, a message on standard error says so,
and the exit code is 2.
"""


@click.command("info", epilog=EPILOG)
@options.library
@options.as_json
def command(library: Path | None, as_json: bool) -> None:
    """Show what is in the library, and check that it is intact.

    Until you add papers, this describes the built-in starter library.
    """
    with progress_bar(as_json) as progress, Session(library) as session:
        contents = session.info(progress)
    if as_json:
        click.echo(json_form.dumps(json_form.info_document(contents)))
    else:
        click.echo(library_text.info(contents, str(default_library())))

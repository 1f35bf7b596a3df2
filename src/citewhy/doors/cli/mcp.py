"""`citewhy mcp`: serves an assistant."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import click

from citewhy.base.errors import QueryError
from citewhy.doors.cli import options
from citewhy.doors.cli.configuration import configured

EPILOG = """\b
Examples:
  citewhy mcp
  citewhy mcp --library papers --folder .

Assistants start this command themselves: docs/assistants.md has the lines for
three of them. It gives them papers of your library with reasons and passages,
and says where it has none. Files are read under the folders that the assistant
names as its roots, otherwise under --folder, or the current folder. A draft is
written only by the tool edit, when it is told to apply, and undone as always.
"""


@click.command("mcp", epilog=EPILOG)
@options.libraries
@click.option(
    "--folder",
    "folders",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder whose files may be read, and drafts edited. May be repeated.",
)
@configured
def command(library: tuple[Path, ...], folders: tuple[Path, ...]) -> None:
    """Give an assistant real papers, by the model context protocol."""
    try:
        from citewhy.doors.mcp.server import create
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("mcp"):
            raise
        raise QueryError(
            "the package for the protocol is not installed", hint="install it: pip install 'citewhy[mcp]'"
        ) from error
    from citewhy.session.session import Session

    # The protocol takes the streams themselves, not what shows text on a terminal.
    with Session(library, create=True) as session, contextlib.redirect_stdout(sys.__stdout__):
        create(session, [folder.resolve() for folder in folders] or [Path.cwd()]).run("stdio")

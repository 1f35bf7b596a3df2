"""`citewhy info`: shows what is in a library, and checks that it is intact."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from citewhy.answers.edits import AT_LEAST
from citewhy.base.config import DEFAULT_K, LIBRARY_VARIABLE, default_library
from citewhy.doors.cli import options
from citewhy.doors.cli.configuration import FILE_NAME, KEYS, read_configuration, user_file
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
@options.index
@options.as_json
@click.option(
    "--config", is_flag=True, help="Show instead which settings hold in the current folder, and from where."
)
def command(library: Path | None, engine: str | None, as_json: bool, config: bool) -> None:
    """Show what is in the library, and check that it is intact.

    Until you add papers, this describes the built-in starter library.
    """
    if config:
        _show_settings(as_json)
        return
    with progress_bar(as_json) as progress, Session(library, engine=engine) as session:
        contents = session.info(progress)
    if as_json:
        click.echo(json_form.dumps(json_form.info_document(contents)))
    else:
        click.echo(library_text.info(contents, str(default_library())))


def _show_settings(as_json: bool) -> None:
    """Prints each key of the configuration with its value, and where that is from."""
    values = read_configuration(Path())
    defaults: dict[str, Any] = {
        "libraries": [str(default_library())],
        "k": DEFAULT_K,
        "at-least": AT_LEAST,
        "follow": False,
    }
    settings = {
        key: (values[key].value, str(values[key].file)) if key in values else (defaults[key], "default")
        for key in KEYS
    }
    if os.environ.get(LIBRARY_VARIABLE):
        settings["libraries"] = (defaults["libraries"], LIBRARY_VARIABLE)
    if as_json:
        rows = {key: {"value": value, "from": place} for key, (value, place) in settings.items()}
        click.echo(json_form.dumps(rows))
        return
    for key, (value, place) in settings.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        click.echo(f"{key:10} {shown}  ({place})")
    click.echo(f"\nSet them in {FILE_NAME} beside a draft, or in {user_file()}.")

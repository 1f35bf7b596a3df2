"""`citewhy sync`: the library follows the files that were added to it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from citewhy.base.reports import ToEncode
from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar
from citewhy.doors.present import as_json as json_form
from citewhy.doors.present import library_text
from citewhy.session.session import Session

EPILOG = """\b
Examples:
  citewhy sync
  citewhy sync --dry-run --library corpus
  citewhy sync --encode titles

The library remembers the files and folders that `citewhy add` read. Those that have changed are read again:
new papers are added, others updated, and papers that are in none of the files any more are removed, all in
one commit. Papers that are not encoded yet are encoded. What was added from a pipe stays, and so do your own
drafts. A paper that only has another key keeps the old one as another name. Of a file that is missing,
nothing is removed. To undo a removal, put the entry back, or add a file that has it.

A file that cannot be read is reported, and the others are read; the exit code is then 1.
"""

_STOPPED = "either all changes are in the library or none; to go on, give the same command again"


@click.command("sync", epilog=EPILOG)
@options.library
@options.index
@options.encoder
@options.device
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@options.vectors
@options.as_json
@click.option("--quiet", is_flag=True, help="Print nothing.")
def command(
    library: Path | None,
    engine: str | None,
    encoder: Path | None,
    device: Literal["cpu", "cuda"],
    dry_run: bool,
    vectors: bool | ToEncode,
    as_json: bool,
    quiet: bool,
) -> None:
    """Read again what has changed of the files that were added."""
    try:
        with (
            progress_bar(quiet or as_json) as progress,
            Session(library, engine=engine, encoder=encoder, device=device) as session,
        ):
            report = session.sync(dry_run=dry_run, vectors=vectors, progress=progress)
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(*(stop.args or [_STOPPED])) from stop
    refused = report.added.files_refused if report.added else ()
    if as_json:
        click.echo(json_form.dumps(json_form.sync_document(report)))
    elif not quiet:
        click.echo(library_text.synced(report))
    elif refused:
        click.echo("\n".join(refused), err=True)
    if refused:
        click.get_current_context().exit(1)

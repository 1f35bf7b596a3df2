"""`citewhy serve`: the page beside a draft, and the HTTP API, on this computer alone."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citewhy.doors.cli import options
from citewhy.doors.cli.configuration import configured
from citewhy.session.session import Session

if TYPE_CHECKING:
    from citewhy.doors.web.served import Served

DEFAULT_PORT = 7450

EPILOG = """\b
Examples:
  citewhy serve
  citewhy serve thesis.tex --library corpus
  citewhy serve --port 0 --no-browser

The first line that is printed is the address; the second has the token in it, without which nobody is
answered, not even another user of this computer. The token stays the same from one start to the next.
Drafts are opened from the current folder and those in it, or from the folder of DRAFT. Ctrl-C ends the
server; answers that are under way are finished. Tool builders: docs/api.md.
"""


@click.command("serve", epilog=EPILOG)
@click.argument("draft", required=False, type=click.Path(path_type=Path), metavar="[DRAFT]")
@options.libraries
@options.index
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="Port of 127.0.0.1; 0: any that is free.",
)
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@options.pipeline
@options.encoder
@configured
def command(
    draft: Path | None,
    library: tuple[Path, ...],
    engine: str | None,
    port: int,
    no_browser: bool,
    pipeline: str,
    encoder: Path | None,
) -> None:
    """Show a page beside DRAFT, which follows it, and answer tools over HTTP, on this computer alone."""
    from citewhy.doors.web.serving import serve  # a server is much to load

    folder = Path.cwd()
    with Session(
        library,
        create=True,
        engine=engine,
        pipeline=pipeline,  # type: ignore[arg-type]
        encoder=encoder,
    ) as session:
        if draft is not None:
            session.open_draft(draft).manuscript  # noqa: B018 # says at once what is wrong with it
            root = draft.resolve()
            if not root.is_relative_to(folder):
                folder = root if root.is_dir() else root.parent

        def ready(address: str, token: str, served: Served) -> None:
            fragment = f"#token={token}"
            if draft is not None:
                opened = served.open_path(str(draft.resolve()))
                fragment += f"&draft={opened.id}"
            click.echo(address)
            click.echo(f"{address}{fragment}")
            sys.stdout.flush()
            if not no_browser:
                _open_browser(f"{address}{fragment}")

        serve(session, folder, port, ready)


def _open_browser(address: str) -> None:
    """Opens a browser where there is one with windows. The address has the token in it, and what processes
    are called with is seen by all users: so the browser is given a file that its user alone can read, which
    leads there."""
    if sys.platform not in ("darwin", "win32") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        return
    import webbrowser

    from citewhy.doors.web.access import leading_to

    webbrowser.open(leading_to(address).as_uri())

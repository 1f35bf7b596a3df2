"""`citewhy lsp`: serves an editor."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from citewhy.doors.cli import options

EPILOG = """\b
Examples:
  citewhy lsp
  citewhy lsp --library papers

Editors start this command themselves: docs/editors.md has the lines for VS Code,
Neovim, Emacs, Helix, Zed, Sublime Text and Kate. While you type a key in a
citation, papers are listed in the order in which they fit the sentence, those of
the draft's bibliography and those of your library.

Settings of the editor: libraries, a list of folders; claims, whether sentences
that probably need a citation are hints. Without libraries, citewhy.toml in the
folder of the workspace counts, or your own library.
"""

_TURN = 0.0005
"""Seconds for which one thread runs while others wait."""


@click.command("lsp", epilog=EPILOG)
@options.libraries
@click.option("--stdio", is_flag=True, help="Talk over standard input and output, as always.")
def command(library: tuple[Path, ...], stdio: bool) -> None:
    """Complete citations in an editor, as a server of the language server protocol."""
    from citewhy.doors.lsp.features import create

    # While a draft is read in the background, an answer waits this long, and not ten times as long, for each
    # of its turns.
    sys.setswitchinterval(_TURN)
    # What anything else prints is no message of the protocol: it goes where errors go.
    with os.fdopen(os.dup(1), "wb") as messages:
        os.dup2(2, 1)
        create(library).start_io(stdout=messages)

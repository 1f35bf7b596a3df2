"""Writes what an audit is certain of: a preview, the author's choice, the edit, and its undo."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from citewhy.answers.audit import Audit
from citewhy.answers.audit.mending import Correction, corrections, patches
from citewhy.base.printable import quoted
from citewhy.doors.cli.terminal import look
from citewhy.doors.present.diff_text import excerpted
from citewhy.doors.present.lines import clean, from_here, shortened
from citewhy.session.session import Session
from citewhy.text.counted import counted

_ANSWERS = "y corrects, Enter keeps, s stops"


def write(audit: Audit, *, choose: bool, yes: bool, outside: bool, diff_aside: bool) -> None:
    """Shows the certain corrections of an audit as a diff, and makes them after confirmation; with `choose`,
    only those that the author takes. With `diff_aside` the diff goes to standard error."""
    found = corrections(audit)
    chosen = _chosen(found) if choose else found
    if not chosen:
        click.echo("Nothing to write.", err=diff_aside)
        return
    edits = patches(chosen, outside=outside)
    on_terminal = not diff_aside and sys.stdout is not None and sys.stdout.isatty()
    for edit in edits:
        diff = excerpted(edit.diff(), look().width) if on_terminal else edit.diff()
        click.echo(diff, nl=False, err=diff_aside)
    entries = counted(len({id(one.entry) for one in chosen}), "entry", "entries")
    if not yes and not click.confirm(f"Correct {entries}?", default=False, err=True):
        click.echo("Nothing was changed.", err=True)
        return
    for edit in edits:
        edit.apply()
    listed = dict.fromkeys(one.entry.listed_in for one in chosen)
    undoing = " ".join(quoted(from_here(name)) for name in listed)
    click.echo(f"Corrected {entries}; to undo: citewhy audit {undoing} --undo", err=True)


def _chosen(found: Sequence[Correction]) -> list[Correction]:
    """The corrections that the author takes, one after the other."""
    taken = []
    for number, one in enumerate(found, 1):
        reference = one.entry.reference
        click.echo(f"{clean(reference.key)}: {shortened(reference.paper.title, look().width - 10)}", err=True)
        click.echo(f"    {clean(one.text)}", err=True)
        try:
            reply = click.prompt(
                f"{number} of {len(found)} ({_ANSWERS})", default="", show_default=False, err=True
            )
        except click.Abort:
            click.echo(err=True)
            break
        if reply.strip().lower() in ("s", "q"):
            break
        if reply.strip().lower() in ("y", "yes"):
            taken.append(one)
    return taken


def undo(files: Sequence[Path], *, outside: bool) -> None:
    """Takes back the last edit of each file that was audited, byte for byte, the last file first."""
    for file in reversed(files):
        for restored in Session.undo(file, outside=outside):
            click.echo(f"restored {restored}")

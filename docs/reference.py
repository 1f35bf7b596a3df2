"""Writes the help of every command, recipe and data set as one page: ``make docs``.

    python docs/reference.py build/docs/commands.md

The page is not kept in the repository: it says what the code says. What is worth reading besides stands in
docs/commands.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from click.testing import CliRunner

from citewhy.doors.cli import cli

__all__ = ["calls", "help_of", "page"]


def calls(group: click.Group = cli, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yields every command as the words that call it: first () for `citewhy` itself, then its commands, and
    below a group those of the group."""
    yield before
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from calls(command, (*before, name))
        else:
            yield (*before, name)


def help_of(call: tuple[str, ...]) -> str:
    """The help of a command, as it is printed on a terminal of 80 columns."""
    result = CliRunner().invoke(cli, [*call, "--help"], prog_name="citewhy", terminal_width=80)
    if result.exit_code:
        raise RuntimeError(f"citewhy {' '.join(call)} --help exits with {result.exit_code}: {result.output}")
    return result.output


def page() -> str:
    """All helps, each below its name."""
    sections = (f"## {' '.join(('citewhy', *call))}\n\n```text\n{help_of(call)}```\n" for call in calls())
    return "# Every command\n\n" + "\n".join(sections)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page(), encoding="utf-8")
    print(target)

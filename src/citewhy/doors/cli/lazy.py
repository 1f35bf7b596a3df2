"""A group of commands whose modules are imported only when they are called."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, NamedTuple

import click


class Entry(NamedTuple):
    """A command that is not imported yet."""

    help: str
    """One line, so that the help of the group need not import the module."""
    target: str
    """``module:command``."""


class LazyGroup(click.Group):
    """A group whose commands are imported on use."""

    entries: ClassVar[Mapping[str, Entry]] = {}
    """Name of the command → where it is."""
    meant: ClassVar[Mapping[str, str]] = {}
    """Other words for a command that people type → what to type."""

    def entry(self, name: str) -> Entry | None:
        """Returns where the command `name` is; None if there is none."""
        return self.entries.get(name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = self.entry(cmd_name)
        if entry is None:
            return None
        module, _, name = entry.target.partition(":")
        command = getattr(importlib.import_module(module), name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolves as click does; a misspelt name is answered with the nearest one, as click does for
        options."""
        if not args[0].startswith("-") and self.entry(args[0]) is None:
            if Path(args[0]).exists():
                name = args[0]
                ctx.fail(f"{name} is no command; a draft: citewhy suggest {name}; papers: citewhy add {name}")
            if meant := self.meant.get(args[0]):
                ctx.fail(f"No such command {args[0]!r}. Did you mean {meant!r}?")
            import difflib  # no command that exists needs it

            if near := difflib.get_close_matches(args[0], self.entries, 1):
                ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in self.entries.items()])

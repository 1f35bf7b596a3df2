"""A group of commands whose modules are imported only when they are called."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

import click

__all__ = ["LazyGroup"]


class LazyGroup(click.Group):
    """A group whose commands are imported on use: the command `x` is `command` in the module ``{prefix}x``.

    `helps` holds one line of help per command, so that the help of the group need not import the modules.
    """

    helps: Mapping[str, str] = {}
    prefix = "citewhy.cli."

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.helps)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.helps:
            return None
        command = getattr(importlib.import_module(f"{self.prefix}{cmd_name}"), "command")  # noqa: B009
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click; a misspelt name is answered with the nearest one, as click does for options."""
        if args[0] not in self.helps and not args[0].startswith("-"):
            import difflib  # no command that exists needs it

            if near := difflib.get_close_matches(args[0], self.helps, 1):
                ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.helps.items()))

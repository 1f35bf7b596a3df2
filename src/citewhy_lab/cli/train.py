"""`citewhy train`: a command for each recipe, made of its declaration when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import click

from citewhy.doors.cli.lazy import Entry, LazyGroup
from citewhy.doors.cli.progress import progress_bar
from citewhy_lab.cli.options import given_values, options_of
from citewhy_lab.train.recipe import DOCUMENTS, RECIPES, DeviceName, find_recipe, train

EPILOG = """\b
Examples:
  citewhy train encoder --help

docs/training.md describes the training data of each recipe. All of them need the
extra `lab`: pip install 'citewhy[lab]'
"""


class _Recipes(LazyGroup):
    entries: ClassVar[Mapping[str, Entry]] = {name: Entry(line, "") for name, line in RECIPES.items()}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return command_of(cmd_name) if cmd_name in RECIPES else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """`citewhy train specter-cl …` is `citewhy train documents specter-cl …`."""
        return super().resolve_command(ctx, ["documents", *args] if args[0] in DOCUMENTS else args)


@click.group("train", cls=_Recipes, subcommand_metavar="RECIPE …", epilog=EPILOG)
def command() -> None:
    """Train a model on your own data."""


def command_of(name: str) -> click.Command:
    """Returns the command of the recipe `name`: its options are the fields of its inputs and settings."""
    recipe = find_recipe(name)

    def train_and_print(out: Path, quiet: bool, device: DeviceName = "auto", **values: Any) -> None:
        with progress_bar(quiet) as progress:
            trained = train(name, out, progress, device, **dict(given_values(recipe, values)))
        for line in trained.summary:
            click.echo(line)

    for decorate in reversed(options_of(recipe)):
        train_and_print = decorate(train_and_print)
    return click.command(name, help=recipe.help, epilog=recipe.epilog)(train_and_print)

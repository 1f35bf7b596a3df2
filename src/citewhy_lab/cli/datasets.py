"""`citewhy datasets`: builds data sets from collections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import click

from citewhy.doors.cli.lazy import Entry, LazyGroup

__all__ = ["command"]

DATASETS = {"paragraphs": "Topic sentences of paragraphs on related work, and what the paragraphs cite."}
"""One line of help per data set; the data set `x` is `command` in the module
`datasets_build_x`."""

EPILOG = """\b
Examples:
  citewhy datasets build paragraphs fulltext.jsonl.gz --out paragraphs
"""


class _Datasets(LazyGroup):
    entries: ClassVar[Mapping[str, Entry]] = {
        name: Entry(help_, f"citewhy_lab.cli.datasets_build_{name}:command")
        for name, help_ in DATASETS.items()
    }


@click.group("datasets", epilog=EPILOG)
def command() -> None:
    """Build data for training and evaluation."""


@command.group("build", cls=_Datasets, subcommand_metavar="DATASET …", epilog=EPILOG)
def build() -> None:
    """Build a data set from full texts."""

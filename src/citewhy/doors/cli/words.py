"""The option `--words` of commands that train classifiers: papers whose words they should know."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["option", "texts"]

option = click.option(
    "--words",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Papers whose words the classifier should know, as for `citewhy add`.",
)


def texts(path: Path | None) -> list[str]:
    """Titles and abstracts; none without a file. Raises InputError."""
    from citewhy.papers.formats import read_papers

    papers = [] if path is None else read_papers(path)
    return [f"{each.title}. {each.abstract}" for each in papers]

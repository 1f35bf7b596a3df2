"""`citewhy train`: one recipe a file, each read only when it is called."""

from __future__ import annotations

import click

from citewhy.cli.lazy import LazyGroup

__all__ = ["RECIPES", "command"]

RECIPES = {
    "classifier": "A classifier of sentences, from labelled examples.",
    "drafts": "The last step of the ranker, from finished drafts of many fields.",
    "encoder": "The encoder: which texts a paper is cited for.",
    "linkage": "The linker: which sentences of a paper a citing sentence means.",
    "ranker": "The ranker: the order of the candidates, and how sure it is.",
    "textbib": "A reranker for citing sentences: what texts say, who wrote them, how often they are cited.",
}
"""Help line per recipe; recipe `x` is `command` in the module `train_x`."""

EPILOG = """\b
Examples:
  citewhy train encoder --help

docs/training.md says what each recipe learns from. All of them need the extra
`train`: pip install 'citewhy[train]'
"""


class _Recipes(LazyGroup):
    helps = RECIPES
    prefix = "citewhy.cli.train_"


@click.group("train", cls=_Recipes, subcommand_metavar="RECIPE …", epilog=EPILOG)
def command() -> None:
    """Make a model from data of your own."""

"""`citewhy train`: one module per recipe, imported only when the recipe is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import click

from citewhy.doors.cli.lazy import Entry, LazyGroup
from citewhy_lab.cli.train_documents import NAMES

__all__ = ["RECIPES", "command"]

RECIPES = {
    "classifier": "A sentence classifier, from labelled examples.",
    "discourse": "The discourse tagger: finds topic sentences, and says what each sentence does.",
    "documents": "Paper embeddings: SPECTER, SciNCL, SPECTERCL, SciAspect and its variants.",
    "drafts": "The last step of the ranker, trained on finished drafts of many fields.",
    "encoder": "The encoder: turns texts into vectors.",
    "intent": "The classifier of intents: why a sentence cites a paper.",
    "linkage": "The linker: finds the sentences of a paper that a citing sentence refers to.",
    "mpbert4cr": "MP-BERT4CR, a reranker that reads manuscripts and papers sentence by sentence.",
    "ncn": "NCN, a reranker that ranks papers by how probable their titles are after a citing sentence.",
    "needs": "The classifier that tells which sentences need a citation.",
    "qpcr": "QPCR, an encoder that finds the papers of a paragraph by its topic sentence.",
    "ranker": "The ranker: orders the candidates and estimates how likely they are to be right.",
    "sets": "The set model: which papers belong together in a citation.",
    "textbib": "TEXTBIB, a reranker for citing sentences that uses texts, authors and citation counts.",
}
"""One line of help per recipe; the recipe `x` is `command` in the module `train_x`."""

EPILOG = """\b
Examples:
  citewhy train encoder --help

docs/training.md describes the training data of each recipe. All of them need the
extra `lab`: pip install 'citewhy[lab]'
"""


class _Recipes(LazyGroup):
    entries: ClassVar[Mapping[str, Entry]] = {
        name: Entry(help_, f"citewhy_lab.cli.train_{name}:command") for name, help_ in RECIPES.items()
    }

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """`citewhy train specter-cl …` is `citewhy train documents specter-cl …`."""
        return super().resolve_command(ctx, ["documents", *args] if args[0] in NAMES else args)


@click.group("train", cls=_Recipes, subcommand_metavar="RECIPE …", epilog=EPILOG)
def command() -> None:
    """Train a model on your own data."""

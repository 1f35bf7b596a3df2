"""What every reranker is trained on, as an author of a recipe declares it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from citewhy_lab.train.recipe import Option, until

Regime = Literal["standard", "strict"]
"""Learn from all contexts, or only from those whose cited paper the first stage found."""


@dataclass(frozen=True, slots=True)
class RerankerInputs:
    """What a reranker is trained on from the command line. The first stage is BM25 over a library of the
    papers, which is made beside the model, or completed if it was begun."""

    data: Annotated[Path, Option("Folder with papers and citing sentences.", metavar="DIR")]
    until: Annotated[
        int, until("Train on sentences up to YEAR; those of the next year select the best epoch.")
    ] = 2010
    library: Annotated[
        Path | None,
        Option(
            "Library of the same papers: choose a weight for the default ranking's order in it, too.",
            metavar="DIR",
        ),
    ] = None

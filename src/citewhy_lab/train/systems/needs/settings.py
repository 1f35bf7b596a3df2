"""The recipe of the classifier that tells which sentences need a citation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from citewhy.base.config import DEFAULT_SEED
from citewhy.base.errors import QueryError
from citewhy_lab.evaluate.parameters import Option
from citewhy_lab.train.recipe import Recipe


@dataclass(frozen=True, slots=True)
class NeedsInputs:
    """Names what is learned from. Held-out papers, and drafts of authors who measure, teach nothing."""

    texts: Annotated[
        tuple[Path, ...],
        Option("Full texts with citations as printed.", metavar="TEXTS…", argument=True),
    ] = ()
    drafts: Annotated[Path | None, Option("Also learn from these finished drafts.", metavar="MANIFEST")] = (
        None
    )
    """`train.drafts.read_manifest` reads it."""
    documents: Annotated[
        Path | None, Option("Folder with one subfolder per draft of MANIFEST.", metavar="DIR")
    ] = None

    def check(self) -> None:
        """Raises QueryError for a manifest without documents, and if there is nothing to learn from."""
        if (self.drafts is None) != (self.documents is None):
            raise QueryError("--drafts and --documents belong together", hint="give both, or neither")
        if not self.texts and self.drafts is None:
            hint = "name full texts, or --drafts and --documents"
            raise QueryError("there is nothing to learn from", hint=hint)


@dataclass(frozen=True, slots=True)
class NeedsSettings:
    """The parameters of training; `recipe.settings_of` has those of the classifier."""

    of_paper: int = 120
    """The most sentences of a paper that are learned from."""
    of_draft: int = 400
    """The most sentences of a draft that are learned from."""
    seed: Annotated[int, Option("Random seed for the sampled sentences and the folds.")] = DEFAULT_SEED


RECIPE = Recipe(
    name="needs",
    help="""Train the classifier that tells which sentences need a citation.

    Takes about ten minutes for 400 papers and 80 drafts. Needs the extra `lab`.
    """,
    epilog="""\b
Examples:
  citewhy train needs fulltext.citing.jsonl --out needs
  citewhy train needs a.jsonl --drafts drafts.jsonl --documents d --out n

TEXTS are full texts whose sentences show their citations. MANIFEST lists finished drafts as for `citewhy
train drafts`; those of one author in five are left out, and so is one paper in five: `citewhy evaluate needs
--held-out` measures on these. Sentences that do not read without their citations are left out. Use the folder
with --model of review.
""",
    inputs=NeedsInputs,
    settings=NeedsSettings,
    function="citewhy_lab.train.systems.needs.recipe:train_needs",
    modules=("sklearn", "scipy", "lightgbm"),
)

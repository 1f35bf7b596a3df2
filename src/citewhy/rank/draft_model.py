"""The last step of ranking: reranks the top candidates with features that transfer between fields.

One forest serves all fields. It was trained on queries from finished drafts in many fields
(`systems/ranker/drafts.py`), with evidence left out at random, so that it works for a draft with hundreds of
citations as well as for a single sentence. It is used for places, paragraphs and sets of drafts, and for
single sentences if the library has no citing sentences. For single sentences with a library that has them,
the order of the previous steps is kept, which were fitted for this case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.index.arrays import Floats
from citewhy.rank.calibration import Calibration
from citewhy.rank.draft_features import DRAFT_FEATURES
from citewhy.rank.trees import Forest
from citewhy.retrieve.draft import DraftSignals

__all__ = ["DRAFT", "EVIDENCE", "THRESHOLD", "DraftModel"]

THRESHOLD = 0.03
"""Probability of the best paper below which nothing is suggested. It is lower than that of the previous
steps: a personal library usually contains the answer, and the probabilities, which account for missing
answers, are small."""

DRAFT = "draft"
"""Name of the calibration of this step among those of the ranker."""

EVIDENCE: Mapping[str, tuple[str, ...]] = {
    "own-citation": (
        *(f"draft_{field.name}" for field in fields(DraftSignals)),
        *("draft_words_share", "draft_words_rank", "draft_cosine_gap"),
    ),
    "named": ("first_author_named", "author_named", "author_before", "year_named", "name_introduced"),
    "paragraph": ("paragraph_text", "paragraph_cosine", "preceding_text", "preceding_cosine", "section_text"),
}
"""Maps kinds of reasons to the features that represent them; all other features represent the previous
steps."""


@dataclass(frozen=True, slots=True)
class DraftModel:
    """A forest over `DRAFT_FEATURES`, with its calibration."""

    forest: Forest
    calibration: Calibration

    @classmethod
    def of(cls, columns: Sequence[str], trees: Sequence[Any], calibration: Calibration) -> DraftModel:
        """`trees` are given as for `Forest.of`. Raises ValueError if they were trained on other features."""
        if tuple(columns) != DRAFT_FEATURES:
            raise ValueError("the trees of the last step were grown on other features")
        return cls(Forest.of(trees), calibration)

    def scores(self, table: NDArray[np.float32]) -> Floats:
        """[n] the scores for a table [n, len(DRAFT_FEATURES)]."""
        return self.forest.scores(table)

    def shares(self, table: NDArray[np.float32]) -> dict[str, Floats]:
        """The share [n], in [0, 1], of each kind of `EVIDENCE` in the score, measured by how much the score
        drops without it, and the share of everything else (``rest``). The shares of a paper sum to 1, or are
        all 0."""
        whole = self.scores(table)
        losses = {
            kind: np.maximum(whole - self.scores(_without(table, names)), 0)
            for kind, names in EVIDENCE.items()
        }
        evidence = {name for names in EVIDENCE.values() for name in names}
        others = tuple(name for name in DRAFT_FEATURES if name not in evidence)
        losses["rest"] = np.maximum(whole - self.scores(_without(table, others)), 0)
        total = np.maximum(sum(losses.values()), 1e-9)
        return {kind: (loss / total).astype(np.float32) for kind, loss in losses.items()}


def _without(table: NDArray[np.float32], names: Sequence[str]) -> NDArray[np.float32]:
    """The table without the evidence of the features `names`."""
    changed = table.copy()
    for name in names:
        changed[:, DRAFT_FEATURES.index(name)] = min(
            float(table[:, DRAFT_FEATURES.index(name)].min(initial=0.0)), 0.0
        )
    return changed

"""The last step of ranking: the first candidates again, in the light of the draft and of what travels.

One forest for all fields, grown on questions from finished drafts of many (`systems/ranker/drafts.py`), in
which evidence was left out at random, so that it serves a draft with hundreds of citations as well as a
sentence alone. It answers places, paragraphs and sets of drafts, and every sentence asked of a library
without citing sentences. Sentences asked of a library with citing sentences keep the order of the steps
before, which were fitted for these.
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
"""Probability below which even the best paper is not shown. Lower than that of the steps before: a library
of one's own has the answer more often than not, and probabilities that know of missing answers are
small."""

DRAFT = "draft"
"""Name of its calibration among those of the ranker."""

EVIDENCE: Mapping[str, tuple[str, ...]] = {
    "own-citation": (
        *(f"draft_{field.name}" for field in fields(DraftSignals)),
        *("draft_words_share", "draft_words_rank", "draft_cosine_gap"),
    ),
    "named": ("first_author_named", "author_named", "author_before", "year_named", "name_introduced"),
    "paragraph": ("paragraph_text", "paragraph_cosine", "preceding_text", "preceding_cosine", "section_text"),
}
"""Kind of reason → the features that stand for it; all others stand for the steps before."""


@dataclass(frozen=True, slots=True)
class DraftModel:
    """Trees over `DRAFT_FEATURES`."""

    forest: Forest
    calibration: Calibration

    @classmethod
    def of(cls, columns: Sequence[str], trees: Sequence[Any], calibration: Calibration) -> DraftModel:
        """`trees` as `Forest.of` takes them. Raises ValueError for trees that were grown on other
        features."""
        if tuple(columns) != DRAFT_FEATURES:
            raise ValueError("the trees of the last step were grown on other features")
        return cls(Forest.of(trees), calibration)

    def scores(self, table: NDArray[np.float32]) -> Floats:
        """[n] for a table [n, len(DRAFT_FEATURES)]."""
        return self.forest.scores(table)

    def shares(self, table: NDArray[np.float32]) -> dict[str, Floats]:
        """[n] each, in [0, 1]: what the score owes to each kind of `EVIDENCE`, as its loss where that is not
        known, beside what it owes to everything else (``rest``). They sum to 1, or are all 0."""
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
    """The table as if nothing were known by `names`."""
    changed = table.copy()
    for name in names:
        changed[:, DRAFT_FEATURES.index(name)] = min(
            float(table[:, DRAFT_FEATURES.index(name)].min(initial=0.0)), 0.0
        )
    return changed

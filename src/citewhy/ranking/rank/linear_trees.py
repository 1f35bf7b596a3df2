"""The ranker that `citewhy train ranker` makes: a linear model, and trees for the best candidates.

The linear model orders all candidates. The trees, which see its score among the features, order the first
`FIRST` of them again: a forest for each kind of query and each regime (`rank.linear`), because what is worth
believing differs between them. Scores become probabilities by `rank.calibration`. A last step
orders the first candidates of a sentence once more (`rank.last_step`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.models.trees import Forest
from citewhy.ranking.rank.calibration import Calibration
from citewhy.ranking.rank.features import FEATURES
from citewhy.ranking.rank.last_step import LastStep
from citewhy.ranking.rank.linear import KNOWN, linear_scores
from citewhy.ranking.rank.model import Scored
from citewhy.search.index.arrays import Floats

FIRST = 300
"""Candidates that the trees order again."""

SEEN_BY_TREES = (*FEATURES, "linear", "linear_rank", "has_known")
"""Columns of what the trees see: the features; the linear score less the best one; 1 / (1 + rank / 3) by it;
1 where the draft cites papers that the library has."""


LINEAR_SHARE = np.float32(0.25)
"""This is the weight of the linear score beside that of the trees, which have seen few papers that nobody had
cited."""


@dataclass(frozen=True, slots=True)
class LinearTrees:
    """Linear weights by name of the set (`linear.weights_name`), trees and calibration by
    `forest_name`."""

    weights: Mapping[str, Mapping[str, float]]
    trees: Mapping[str, Sequence[Any]]
    """They are as `Forest.of` takes them. A forest is made of them when it is asked for: a query needs one of
    six."""
    calibrations: Mapping[str, Calibration]
    threshold: float
    """Probability below which a suggestion is not worth showing."""
    name: str = ""
    """For people."""
    encoder: str = ""
    """Fingerprint of the encoder for which probabilities were calibrated; empty if unknown."""
    last_step: LastStep | None = None
    """None for a ranker that was made without it."""
    _grown: dict[str, Forest] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> LinearTrees:
        """Raises KeyError, TypeError or ValueError for a document that is no such model."""
        if tuple(document["columns"]) != SEEN_BY_TREES:
            raise ValueError("the trees were grown on other features")
        calibrations = {name: Calibration(**facts) for name, facts in document["calibration"].items()}
        last = document.get("last_step")
        return cls(
            weights=document["linear"],
            trees=document["trees"],
            calibrations=calibrations,
            threshold=document["threshold"],
            last_step=LastStep.of(**last, calibrations=calibrations) if last else None,
        )

    def forest(self, name: str) -> Forest:
        """Returns the forest by `forest_name`."""
        if name not in self._grown:
            self._grown[name] = Forest.of(self.trees[name])
        return self._grown[name]

    def order(self, table: NDArray[np.float32], ids: NDArray[Any], name: str) -> Scored:
        """Orders as `RankerModel.order`. Candidates behind the first `FIRST` have no probability."""
        linear = linear_scores(table, self.weights[name])
        order = np.lexsort((ids, -linear))
        first = order[:FIRST]
        regime = forest_name(name)
        scores = second_scores(self.forest(regime), tree_table(table[first], linear[first], name))
        again = np.lexsort((ids[first], -scores))
        probabilities = np.zeros(len(order))
        probabilities[: len(first)] = self.calibrations[regime].probabilities(scores[again])
        # The others follow, as far behind as they were; the last of the first is above them all.
        rest = order[FIRST:]
        if len(rest):
            behind = np.nextafter(scores.min(), np.float32(-np.inf)) + (linear[rest] - linear[first].min())
            # Rounding may make equal what was not.
            rest = rest[np.lexsort((ids[rest], -behind))]
            order = np.concatenate([first[again], rest])
            return Scored(order, np.concatenate([scores[again], -np.sort(-behind)]), probabilities)
        return Scored(first[again], scores[again], probabilities)


def tree_table(first: NDArray[np.float32], linear: Floats, name: str) -> NDArray[np.float32]:
    """[n, len(SEEN_BY_TREES)] for candidates in the order of their `linear` scores [n]."""
    ranks = 1 + np.searchsorted(-linear, -linear).astype(np.float32)  # equal scores share the best rank
    columns = [
        linear - linear.max(initial=-np.inf),
        1 / (1 + ranks / 3),
        np.full(len(first), KNOWN in name),
    ]
    return np.column_stack([first, *columns]).astype(np.float32)


def second_scores(forest: Forest, seen: NDArray[np.float32]) -> Floats:
    """[n] scores of the first candidates, from what the trees see of them [n, len(SEEN_BY_TREES)]."""
    return forest.scores(seen) + LINEAR_SHARE * seen[:, SEEN_BY_TREES.index("linear")]


def forest_name(name: str) -> str:
    """Returns the name of the forest that serves a set of linear weights: with and without known papers it is
    one."""
    return name.replace(KNOWN, "")

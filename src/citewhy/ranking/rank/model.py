"""The protocol of rankers, the models that order candidates by their features."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from citewhy.base.assets import ranker_folder
from citewhy.models import open_model
from citewhy.ranking.rank.last_step import LastStep
from citewhy.search.index.arrays import Floats


@dataclass(frozen=True, slots=True)
class Scored:
    """The order of the candidates of one query."""

    order: NDArray[np.int64]
    """[n] positions of the candidates in the feature table, best first."""
    scores: Floats
    """[n] descending."""
    probabilities: NDArray[np.float64]
    """[n] in [0, 1]; 0 for candidates ranked too low to be scored by the trees."""


class RankerModel(Protocol):
    """Orders candidates. Implementations are safe for use by several threads, and deterministic: the same
    candidates always get the same order and bitwise identical scores, regardless of their rows."""

    @property
    def name(self) -> str:
        """The name shown to users."""
        ...

    @property
    def threshold(self) -> float:
        """Probability in [0, 1] of the best paper below which nothing is suggested."""
        ...

    @property
    def weights(self) -> Mapping[str, Mapping[str, float]]:
        """The weights of `features.FEATURES` by name of the kind of query (`linear.weights_name`); a missing
        feature has weight 0. Reasons are derived from them."""
        ...

    @property
    def last_step(self) -> LastStep | None:
        """The last step of ranking, for all queries but whole papers; None if the ranker has none."""
        ...

    def order(self, table: NDArray[np.float32], ids: NDArray[Any], name: str) -> Scored:
        """Orders the n candidates of a query by their features `table` [n, len(FEATURES)]; `name` is the name
        of the kind of query. Scores are finite; ties are broken by `ids` [n], the smallest first."""
        ...


@functools.lru_cache(maxsize=1)
def default_model() -> RankerModel:
    """The ranker of the package."""
    return cast("RankerModel", open_model(ranker_folder(), "ranker"))

"""What a ranker is: the contract of the models that order candidates by their features."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from citewhy.assets import ranker_folder
from citewhy.index.arrays import Floats
from citewhy.models import open_model
from citewhy.rank.draft_model import DraftModel

__all__ = ["RankerModel", "Scored", "default_model"]


@dataclass(frozen=True, slots=True)
class Scored:
    """The order of the candidates of one query."""

    order: NDArray[np.int64]
    """[n] places of the candidates, best first."""
    scores: Floats
    """[n] descending."""
    probabilities: NDArray[np.float64]
    """[n] in [0, 1]; 0 for a candidate too far behind to be judged."""


class RankerModel(Protocol):
    """Implementations are safe for use by several threads. The same candidates always come in the same order,
    with the same scores to the last bit, whatever their rows."""

    @property
    def name(self) -> str:
        """For people."""
        ...

    @property
    def threshold(self) -> float:
        """Probability in [0, 1] below which a suggestion is not worth showing."""
        ...

    @property
    def weights(self) -> Mapping[str, Mapping[str, float]]:
        """By the name of the kind of query (`linear.weights_name`), what each of `features.FEATURES` is
        worth, 0 for those that are not named. Reasons are made of these."""
        ...

    @property
    def draft(self) -> DraftModel | None:
        """The last step, for queries from a draft and for libraries without citing sentences; None: there is
        none."""
        ...

    def order(self, table: NDArray[np.float32], ids: NDArray[Any], name: str) -> Scored:
        """The n candidates of a query, whose features are in `table` [n, len(FEATURES)]; `name` is that of
        the kind of query. Scores are finite; `ids` [n] settle ties, the smallest first."""
        ...


@functools.lru_cache(maxsize=1)
def default_model() -> RankerModel:
    """The ranker that comes with the package."""
    return cast("RankerModel", open_model(ranker_folder(), "ranker"))

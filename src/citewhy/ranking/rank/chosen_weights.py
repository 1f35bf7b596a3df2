"""The weights that training chose for the orders that a reranker is fused with, in its model folder."""

from __future__ import annotations

import math

from citewhy.base.errors import DamagedError
from citewhy.models import ModelFolder
from citewhy.ranking.rank.reranker import ChosenWeight


def chosen_weights(folder: ModelFolder) -> tuple[ChosenWeight, ...]:
    """Returns the weights that validation chose for first stages. Raises DamagedError for what is no
    weight."""
    try:
        chosen = tuple(ChosenWeight(**fields) for fields in folder.facts.get("weights", ()))
        valid = all(
            0 <= weight_of.weight < math.inf and isinstance(weight_of.pipeline, str) for weight_of in chosen
        )
    except TypeError:
        valid = False
    if not valid:
        raise DamagedError(
            f"the weights of first stages are {folder.facts['weights']!r}, expected for each a pipeline and a"
            " weight of 0 or more",
            path=folder.path,
        )
    return chosen

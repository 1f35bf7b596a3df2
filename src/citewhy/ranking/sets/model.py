"""Set models: the protocol, the one made of trees, its folder, and the one that ships.

model.json        columns, trees, thresholds
manifest.json     facts: what the model was made of, and its cross-fitted figures
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import orjson
from numpy.typing import NDArray

from citewhy.base.artifact import folder_aside
from citewhy.base.assets import sets_folder
from citewhy.base.errors import DamagedError
from citewhy.models import ModelFolder, open_model, write_model
from citewhy.models.trees import Forest
from citewhy.ranking.sets.features import SET_FEATURES

_MODEL = "model.json"

EMPTY, STARTED = "empty", "started"
"""Names of the thresholds: for a bracket without papers, and for one that has some."""


class SetModel(Protocol):
    """Says which papers belong together in one citation. Implementations are safe for use by several threads,
    and deterministic."""

    @property
    def name(self) -> str:
        """The name shown to users."""
        ...

    def threshold(self, members: int) -> float:
        """Returns, in [0, 1], the probability that a paper must have to be added to a set, for a bracket that
        has `members` papers already."""
        ...

    def probabilities(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """[n] in [0, 1]: the probability that a paper belongs to the citation, beside its members and the
        papers chosen so far; from the features [n, len(SET_FEATURES)]. Equal rows have equal
        probabilities."""
        ...


@dataclass(frozen=True, slots=True)
class SetTrees:
    """Gradient-boosted trees with a logistic link."""

    name: str
    forest: Forest
    thresholds: Mapping[str, float]
    """They stand under `EMPTY` and `STARTED`."""

    @classmethod
    def of(cls, document: Mapping[str, Any], name: str = "") -> SetTrees:
        """Raises KeyError, TypeError or ValueError for a document that is no such model."""
        if tuple(document["columns"]) != SET_FEATURES:
            raise ValueError("the trees were grown on other features")
        forest = Forest.of(document["trees"])
        forest.check(len(SET_FEATURES))
        thresholds = {name: float(document["thresholds"][name]) for name in (EMPTY, STARTED)}
        if not all(math.isfinite(threshold) and 0 <= threshold <= 1 for threshold in thresholds.values()):
            raise ValueError(f"the thresholds are {thresholds}")
        return cls(name, forest, thresholds)

    def threshold(self, members: int) -> float:
        """Returns what `SetModel.threshold` asks for."""
        return self.thresholds[STARTED if members else EMPTY]

    def probabilities(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """Returns what `SetModel.probabilities` asks for."""
        return self.forest.probabilities(table)


def read_set_trees(folder: ModelFolder) -> SetTrees:
    """Raises DamagedError for a document that is no set model, or one of other features."""
    try:
        return SetTrees.of(folder.json(_MODEL), folder.name)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, IndexError) as error:
        raise DamagedError(
            f"this is no set model ({type(error).__name__}: {error})",
            path=folder.path / _MODEL,
            hint="make it with: citewhy train sets",
        ) from error


def write_set_trees(
    out: Path,
    name: str,
    trees: Sequence[Sequence[Sequence[float]]],
    thresholds: Mapping[str, float],
    facts: Mapping[str, Any],
) -> None:
    """Writes the model folder `out`; `trees` as `Forest.of` takes them. Raises StorageError."""
    content = {"columns": list(SET_FEATURES), "trees": trees, "thresholds": dict(thresholds)}
    with folder_aside(out) as aside:
        (aside / _MODEL).write_bytes(orjson.dumps(content) + b"\n")
        write_model(aside, "set", "trees", name, facts)


@functools.lru_cache(maxsize=1)
def default_set_model() -> SetModel:
    """The set model of the package."""
    return cast("SetModel", open_model(sets_folder(), "set"))

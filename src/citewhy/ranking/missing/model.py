"""Models that say how probable a work is as a reference of a paper that does not cite it yet: the protocol,
the one made of trees, its folder, and the one that ships.

model.json        columns, trees, threshold
manifest.json     facts: what the model was made of
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import orjson
from numpy.typing import NDArray

from citewhy.base.artifact import folder_aside
from citewhy.base.assets import missing_folder
from citewhy.base.errors import DamagedError
from citewhy.models import ModelFolder, open_model, write_model
from citewhy.models.trees import Forest
from citewhy.ranking.missing.evidence import EVIDENCE

_MODEL = "model.json"


class MissingModel(Protocol):
    """Says how probable works are as references of a paper. Implementations are safe for use by several
    threads, and deterministic."""

    @property
    def name(self) -> str:
        """The name shown to users."""
        ...

    @property
    def threshold(self) -> float:
        """The probability in [0, 1] below which no work is proposed."""
        ...

    def probabilities(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """[n] in [0, 1]: the probability that the paper cites each work, from the evidence
        [n, len(EVIDENCE)]. Equal rows have equal probabilities."""
        ...


@dataclass(frozen=True, slots=True)
class MissingTrees:
    """Gradient-boosted trees with a logistic link."""

    name: str
    forest: Forest
    threshold: float

    @classmethod
    def of(cls, document: Mapping[str, Any], name: str = "") -> MissingTrees:
        """Raises KeyError, TypeError or ValueError for a document that is no such model."""
        if tuple(document["columns"]) != EVIDENCE:
            raise ValueError("the trees were grown on other evidence")
        forest = Forest.of(document["trees"])
        forest.check(len(EVIDENCE))
        threshold = float(document["threshold"])
        if not 0 <= threshold <= 1:
            raise ValueError(f"the threshold is {threshold}")
        return cls(name, forest, threshold)

    def probabilities(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """Returns what `MissingModel.probabilities` asks for."""
        return self.forest.probabilities(table)


def read_missing_trees(folder: ModelFolder) -> MissingTrees:
    """Raises DamagedError for a document that is no such model, or one of other evidence."""
    try:
        return MissingTrees.of(folder.json(_MODEL), folder.name)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, IndexError) as error:
        raise DamagedError(
            f"this is no model of missing works ({type(error).__name__}: {error})",
            path=folder.path / _MODEL,
            hint="make it with: python benchmarks/missing.py train",
        ) from error


def write_missing_trees(
    out: Path,
    name: str,
    trees: Sequence[Sequence[Sequence[float]]],
    threshold: float,
    facts: Mapping[str, Any],
) -> None:
    """Writes the model folder `out`; `trees` as `Forest.of` takes them. Raises StorageError."""
    content = {"columns": list(EVIDENCE), "trees": trees, "threshold": threshold}
    with folder_aside(out) as aside:
        (aside / _MODEL).write_bytes(orjson.dumps(content) + b"\n")
        write_model(aside, "missing", "trees", name, facts)


@functools.lru_cache(maxsize=1)
def default_missing_model() -> MissingModel:
    """The model of the package."""
    return cast("MissingModel", open_model(missing_folder(), "missing"))

"""Rankers on disk: the reader ``linear-trees`` of the kind ``ranker``.

model.json        columns, linear, trees, calibration, threshold
manifest.json     facts: what the ranker was made of, and its cross-fitted figures
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import orjson

from citewhy.base.artifact import folder_aside
from citewhy.base.errors import DamagedError
from citewhy.models import ModelFolder, open_model, write_model
from citewhy.models.manifest import read_model
from citewhy.models.numbers import bounded
from citewhy.ranking.rank.calibration import Calibration
from citewhy.ranking.rank.features import FEATURES
from citewhy.ranking.rank.last_step import REGIMES
from citewhy.ranking.rank.last_step_features import LAST_STEP_FEATURES
from citewhy.ranking.rank.linear import KNOWN, NO_CONTEXTS, OLD_EVIDENCE
from citewhy.ranking.rank.linear_trees import SEEN_BY_TREES, LinearTrees, forest_name

_MODEL = "model.json"

SETS = tuple(
    f"{kind}{known}{evidence}"
    for kind in ("local", "global")
    for known in ("", KNOWN)
    for evidence in ("", OLD_EVIDENCE, NO_CONTEXTS)
)
"""Names of all sets of linear weights."""


def read_ranker(folder: ModelFolder) -> LinearTrees:
    """Raises DamagedError for a document that is no ranker, or one of other features."""
    try:
        model = LinearTrees.of(folder.json(_MODEL))
        encoder = str(folder.facts.get("encoder", ""))
        model = replace(model, name=folder.name, encoder=encoder)
        _check(model)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise DamagedError(
            f"this is no ranker ({type(error).__name__}: {error})",
            path=folder.path / _MODEL,
            hint="make it with: citewhy train ranker",
        ) from error
    return model


def read_document(path: Path) -> dict[str, Any]:
    """Reads what `write_ranker` was given, from a ranker's folder, with its ``name``. Raises as
    `open_model`."""
    open_model(path, "ranker")
    folder = read_model(path, "ranker")
    content: dict[str, Any] = folder.json(_MODEL)
    return content | {"making": dict(folder.facts), "name": folder.name}


def write_ranker(out: Path, name: str, document: Mapping[str, Any]) -> None:
    """Writes the model folder `out`: `document` is what `LinearTrees.of` reads, with ``making``, which
    becomes the facts of the manifest. Raises StorageError."""
    content = {key: value for key, value in document.items() if key not in ("making", "name")}
    with folder_aside(out) as aside:
        (aside / _MODEL).write_bytes(orjson.dumps(content) + b"\n")
        write_model(aside, "ranker", "linear-trees", name, document["making"])


def _check(model: LinearTrees) -> None:
    """Raises KeyError, TypeError or ValueError where a query of some kind could not be ranked."""
    for name in SETS:
        for feature, weight in model.weights[name].items():
            if feature not in FEATURES or not bounded(weight):
                raise ValueError(f"{name}: the weight of {feature} is {weight}")
    for name in map(forest_name, SETS):
        model.forest(name).check(len(SEEN_BY_TREES))
        _check_calibration(name, model.calibrations[name])
    if model.last_step is not None:
        for forest in model.last_step.forests.values():
            forest.check(len(LAST_STEP_FEATURES))
        for name, calibration in model.last_step.calibrations.items():
            _check_calibration(name, calibration)
        for name in REGIMES:
            paragraphs = model.last_step.paragraphs[name]
            if not all(map(bounded, astuple(paragraphs))) or min(paragraphs.slope, paragraphs.decline) < 0:
                raise ValueError(f"{name}: the calibration of paragraphs is {paragraphs}")
    if not 0 <= model.threshold <= 1:
        raise ValueError(f"the threshold is {model.threshold}")


def _check_calibration(name: str, calibration: Calibration) -> None:
    numbers = (calibration.slope, calibration.none, calibration.power, calibration.lift)
    if not all(map(bounded, numbers)) or calibration.power <= 0:
        raise ValueError(f"{name}: the calibration is {calibration}")

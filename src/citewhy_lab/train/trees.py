"""Growing trees that order lists (LambdaRank: Burges 2010), by LightGBM, in the form that
`models.trees.Forest` reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import MissingExtraError

LAMBDARANK: Mapping[str, Any] = {
    "objective": "lambdarank",
    "lambdarank_truncation_level": 20,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbosity": -1,
}
"""LightGBM's parameters that all recipes share."""


@dataclass(frozen=True, slots=True)
class RankedList:
    """n candidates for one question."""

    table: NDArray[np.float32]
    """[n, columns] the features."""
    right: NDArray[np.bool_]
    """[n]."""
    weight: float = 1.0
    """The weight of the list."""
    start: NDArray[np.float32] | None = None
    """[n] the scores to which the trees add; None: 0."""


def grow(
    lists: Sequence[RankedList], columns: Sequence[str], parameters: Mapping[str, Any], rounds: int
) -> Any:
    """LightGBM's booster with `rounds` trees. `columns` are the names of the features; either all of the
    `lists` have a `start`, or none. Raises MissingExtraError."""
    starts = [ranked_list.start for ranked_list in lists if ranked_list.start is not None]
    data = lightgbm().Dataset(
        np.concatenate([ranked_list.table for ranked_list in lists]),
        np.concatenate([ranked_list.right for ranked_list in lists]).astype(int),
        weight=np.concatenate([np.full(len(ranked_list.right), ranked_list.weight) for ranked_list in lists]),
        init_score=np.concatenate(starts) if starts else None,
        group=[len(ranked_list.right) for ranked_list in lists],
        feature_name=list(columns),
        free_raw_data=False,
    )
    return lightgbm().train(dict(parameters), data, num_boost_round=rounds)


def trees(booster: Any, scale: float = 1.0) -> list[list[list[float]]]:
    """Returns the trees of `booster` as `models.trees.Forest.of` takes them, leaf values multiplied by
    `scale`."""
    return [nodes(tree["tree_structure"], scale) for tree in booster.dump_model()["tree_info"]]


def lightgbm() -> Any:
    """Returns the module. Raises MissingExtraError if it is not installed."""
    try:
        import lightgbm as module
    except ImportError as error:
        raise MissingExtraError("growing trees", "lab") from error
    return module


def nodes(root: dict[str, Any], scale: float = 1.0) -> list[list[float]]:
    """``[feature, threshold, left, right, value]`` for each node of LightGBM's dump, the root first; leaf
    values are multiplied by `scale`."""
    rows: list[list[float]] = []

    def add(node: dict[str, Any]) -> int:
        position = len(rows)
        rows.append([-1, 0.0, position, position, float(f"{scale * node.get('leaf_value', 0.0):.6g}")])
        if "split_feature" in node:
            # Features have 32 bits: those at most the threshold are those at most the next such number below.
            threshold = np.float32(node["threshold"])
            if float(threshold) > node["threshold"]:
                threshold = np.nextafter(threshold, np.float32(-np.inf))
            children = add(node["left_child"]), add(node["right_child"])
            rows[position] = [node["split_feature"], float(f"{threshold:.9g}"), *children, 0.0]
        return position

    add(root)
    return rows

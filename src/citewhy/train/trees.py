"""LightGBM's trees in the form that `rank.trees.Forest` reads."""

from __future__ import annotations

from typing import Any

import numpy as np

from citewhy.errors import MissingExtraError

__all__ = ["lightgbm", "nodes"]


def lightgbm() -> Any:
    """The module. Raises MissingExtraError if it is not installed."""
    try:
        import lightgbm as module
    except ImportError as error:
        raise MissingExtraError("growing trees", "train") from error
    return module


def nodes(root: dict[str, Any], scale: float = 1.0) -> list[list[float]]:
    """``[feature, threshold, left, right, value]`` for each node of LightGBM's dump, the root first; leaf
    values are multiplied by `scale`."""
    found: list[list[float]] = []

    def add(node: dict[str, Any]) -> int:
        place = len(found)
        found.append([-1, 0.0, place, place, float(f"{scale * node.get('leaf_value', 0.0):.6g}")])
        if "split_feature" in node:
            # Features have 32 bits: those at most the threshold are those at most the next such number below.
            threshold = np.float32(node["threshold"])
            if float(threshold) > node["threshold"]:
                threshold = np.nextafter(threshold, np.float32(-np.inf))
            children = add(node["left_child"]), add(node["right_child"])
            found[place] = [node["split_feature"], float(f"{threshold:.9g}"), *children, 0.0]
        return place

    add(root)
    return found

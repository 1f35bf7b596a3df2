"""Makes small rankers for tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citewhy.ranking.rank.features import FEATURES
from citewhy.ranking.rank.linear import KNOWN, NO_CONTEXTS, OF_CONTEXTS, OLD_EVIDENCE
from citewhy.ranking.rank.linear_trees import SEEN_BY_TREES, LinearTrees, forest_name

__all__ = ["SETS", "document", "small_model"]

SETS = [
    f"{kind}{known}{evidence}"
    for kind in ("local", "global")
    for known in ("", KNOWN)
    for evidence in ("", OLD_EVIDENCE, NO_CONTEXTS)
]
"""Names of the sets of linear weights."""

PLAIN = {
    "text": 1.0,
    "feedback": 0.5,
    "nearest_context": 1.0,
    "contexts": 0.5,
    "citations": 0.1,
    "cocited": 1.0,
    "coupled": 0.2,
    "linked": 0.5,
    "shared_author": 0.3,
    "cited_before": 0.2,
    "cosine": 1.0,
    "cosine_rank": 0.5,
}


def document(weights: Mapping[str, float] | None = None, **other: Any) -> dict[str, Any]:
    """The document that `rank.folder.write_ranker` writes. All sets have the same `weights`, for the features
    that they may use; each forest is a single tree whose scores increase with the linear ones."""
    weighing = PLAIN if weights is None else weights
    assert set(weighing) <= set(FEATURES)
    column = SEEN_BY_TREES.index("linear")
    steps = [-2.0, -1.0, -0.5, -0.2]
    tree: list[list[float]] = []
    for place, step in enumerate(steps):
        tree += [
            [column, step, 2 * place + 1, 2 * place + 2, 0.0],
            [-1, 0.0, 0, 0, float(place)],
        ]
    tree.append([-1, 0.0, 0, 0, float(len(steps))])
    return {
        "columns": list(SEEN_BY_TREES),
        "linear": {
            name: {
                feature: weight
                for feature, weight in weighing.items()
                if not (name.endswith(NO_CONTEXTS) and feature in OF_CONTEXTS)
            }
            for name in SETS
        },
        "trees": {forest_name(name): [tree] for name in SETS},
        "calibration": {forest_name(name): {"slope": 1.0, "none": 1.0} for name in SETS},
        "threshold": 0.0,
        **other,
    }


def small_model(weights: Mapping[str, float] | None = None, **other: Any) -> LinearTrees:
    return LinearTrees.of(document(weights, **other))

"""Hard negatives: papers that the current model ranks high for a query, and that its paper does not cite."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citewhy.search.encode.encoder import Vectors
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.systems.encoder.data import Pair

__all__ = ["NONE", "candidates", "mine"]

Places = NDArray[np.int32]

NONE = -1
"""Pads the rows of queries with fewer negatives."""

UNCITED = 0.08
"""Share of the papers with neither abstract nor citation that are candidates: titles alone are many."""

LOOKED_AT = 60
"""Nearest papers of a query among which negatives are looked for."""

SKIPPED = 3
"""The nearest of those that are left are skipped: they are often relevant, and merely not cited."""

KEPT = 37

_BLOCK = 512


def candidates(collection: Collection, until: int, seed: int) -> list[str]:
    """Canonical ids of papers that may be negatives: of `until` or before, none of them held out."""
    rng = random.Random(seed)
    cited = {paper_id for references in collection.references.values() for paper_id in references}
    return [
        paper_id
        for paper_id, paper in collection.papers.items()
        if paper.year is not None and paper.year <= until and paper_id not in collection.held_out
        if paper.abstract or paper_id in cited or rng.random() < UNCITED
    ]


def mine(
    pairs: Sequence[Pair], queries: Vectors, ids: Sequence[str], years: Sequence[int], papers: Vectors
) -> Places:
    """Places [len(pairs), KEPT] in `ids`, the nearest first, padded with `NONE`.

    queries [len(pairs), d], papers [len(ids), d]; ids are canonical, years those of their papers. A paper
    that is newer than the citing one is left out, and so is every reference of the citing paper.
    """
    found = np.full((len(pairs), KEPT), NONE, dtype=np.int32)
    published = np.asarray(years)
    depth = min(LOOKED_AT, len(ids))
    for start in range(0, len(pairs), _BLOCK):
        block = pairs[start : start + _BLOCK]
        scores = queries[start : start + _BLOCK] @ papers.T
        latest = np.array([9999 if pair.year is None else pair.year for pair in block])
        scores[published[None, :] > latest[:, None]] = -np.inf
        for row, pair in enumerate(block):
            nearest = np.argpartition(-scores[row], depth - 1)[:depth]
            nearest = nearest[np.lexsort((nearest, -scores[row][nearest]))]
            wrong = [
                place for place in nearest if scores[row][place] > -np.inf and ids[place] not in pair.related
            ]
            kept = wrong[SKIPPED : SKIPPED + KEPT]
            found[start + row, : len(kept)] = kept
    return found

"""How well cross-fitted scores order the candidates of questions, by world."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index.arrays import Floats

__all__ = ["Judged", "quality"]


class Judged(Protocol):
    """A question with its n candidates."""

    @property
    def right(self) -> NDArray[np.bool_]:
        """[n]."""
        ...

    @property
    def missed(self) -> int:
        """Right papers of the library that are not among the n."""
        ...


def quality(found: Iterable[tuple[str, Judged, Floats]]) -> dict[str, dict[str, float]]:
    """Number of judgements, R@10 and reciprocal rank by world, from the world, the question and the scores
    [n] of each. A world without judgements is left out."""
    ranks: dict[str, list[float]] = defaultdict(list)
    for world, question, scores in found:
        order = np.argsort(-scores, kind="stable")
        ranks[world] += (np.flatnonzero(question.right[order]) + 1.0).tolist() + [np.inf] * question.missed
    return {
        world: {
            "judgements": len(of_world),
            "R@10": round(float(np.mean(np.array(of_world) <= 10)), 4),
            "RR": round(float(np.mean(1 / np.array(of_world))), 4),
        }
        for world, of_world in sorted(ranks.items())
        if of_world
    }

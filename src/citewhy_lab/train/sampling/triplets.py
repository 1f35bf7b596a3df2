"""The batch of each step: pairs of a context and a paper that it cites, each with its negatives.

It is a function of the seed and the number of the step, so that training can be resumed at any step.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewhy_lab.train.sampling.citation_graph import Rows
from citewhy_lab.train.sampling.negatives import Asked, Negatives

__all__ = ["Batch", "Pairs", "Triplets"]


@dataclass(frozen=True, slots=True)
class Batch:
    """`pairs` pairs, each of which makes `negatives` triplets."""

    contexts: NDArray[np.int64]
    """[pairs] places in the contexts."""
    papers: Rows
    """[pairs, 1 + negatives] the cited paper, then its negatives."""


class Pairs:
    """Pairs of a context and a paper that it cites, `size` a step; they are shuffled anew whenever all of
    them have been used."""

    def __init__(self, asked: Sequence[Asked], size: int, seed: int) -> None:
        self._size = size
        self._seed = seed
        self._pairs = [(place, row) for place, each in enumerate(asked) for row in each.taught]

    def __len__(self) -> int:
        """Number of pairs."""
        return len(self._pairs)

    def __getitem__(self, step: int) -> list[tuple[int, int]]:
        """Places in the contexts and rows of papers, for a step from 0."""
        return [self._pair(step * self._size + place) for place in range(self._size)]

    def _pair(self, position: int) -> tuple[int, int]:
        """The pair at a position of the sequence, which is endless."""
        time, place = divmod(position, len(self._pairs))
        return self._pairs[int(self._order(time)[place])]

    @functools.lru_cache(maxsize=2)  # noqa: B019
    def _order(self, time: int) -> NDArray[np.int64]:
        return np.random.default_rng([self._seed, 1, time]).permutation(len(self._pairs))


class Triplets:
    """`Pairs`, each with its negatives."""

    def __init__(self, asked: Sequence[Asked], negatives: Negatives, pairs: int, seed: int) -> None:
        self._asked = asked
        self._negatives = negatives
        self._seed = seed
        self._pairs = Pairs(asked, pairs, seed)
        self.size = pairs * negatives.mix.count
        """Triplets of a batch."""

    def __len__(self) -> int:
        """Number of pairs."""
        return len(self._pairs)

    def __getitem__(self, step: int) -> Batch:
        """The batch of a step, from 0."""
        rng = np.random.default_rng([self._seed, 0, step])
        pairs = self._pairs[step]
        rows = [np.append(right, self._negatives.draw(self._asked[place], rng)) for place, right in pairs]
        return Batch(np.array([place for place, _ in pairs]), np.stack(rows))

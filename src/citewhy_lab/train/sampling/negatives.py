"""Negatives for a context: easy ones, and hard ones by four strategies (Medić and Šnajder 2022); and the
batch of each step, pairs of a context and a paper that it cites, each with its negatives.

A strategy splits the papers that the context does not cite into a hard set A_h and the rest. Hard negatives
are drawn from A_h, easy ones from the papers that are in no hard set of the mix. Never drawn are papers that
the context cites, papers newer than the citing paper, and the citing paper itself. Each paper is drawn once,
as long as there are enough. A batch is a function of the seed and the number of the step, so that training
can be resumed at any step.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import InputError
from citewhy_lab.train.sampling.citation_graph import CitationGraph, Rows
from citewhy_lab.train.sampling.mixes import Mix, Strategy

MOST_CITED = 500
"""Size of the hard set of ``most-cited``."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A context, as far as its negatives depend on it."""

    citing_id: str
    year: int
    right: Sequence[int]
    """Rows of all papers that it cites."""
    taught: Sequence[int]
    """Rows of the cited papers that are trained on, as pairs with the context."""
    prefiltered: Rows
    """Rows of the first stage's candidates."""


class Negatives:
    """Draws from the papers of `graph`, never those in the rows `never`."""

    def __init__(self, graph: CitationGraph, mix: Mix, never: Sequence[int] = ()) -> None:
        self._graph = graph
        self.mix = mix
        self._open = np.ones(len(graph.papers), dtype=np.bool_)
        self._open[list(never)] = False

    def draw(self, asked: Asked, rng: np.random.Generator) -> Rows:
        """[mix.count] rows, the hard ones first, in the order of the mix.

        If a hard set is too small, easy negatives take the place of the missing ones; if there are not enough
        papers, some are drawn several times. Raises InputError if no paper may be drawn.
        """
        open_ = self._allowed(asked)
        if not open_.any():
            raise InputError(
                f"no paper can be a negative for a context of {asked.citing_id}",
                hint="give more papers, or earlier ones",
            )
        hard_sets = {name: self._hard(name, asked, len(open_)) for name in self.mix.hard}
        drawn: list[Rows] = []
        for name, count in self.mix.hard.items():
            drawn.append(_take(open_ & hard_sets[name], count, rng))
            open_[drawn[-1]] = False
        missing = self.mix.count - sum(map(len, drawn))
        outside = open_ & ~np.logical_or.reduce([*hard_sets.values(), np.zeros_like(open_)])
        for left in (outside, open_):
            drawn.append(_take(left, missing, rng))
            missing -= len(drawn[-1])
            open_[drawn[-1]] = False
        return np.resize(np.concatenate(drawn), self.mix.count)

    def hard_count(self, strategy: Strategy, asked: Asked) -> int:
        """Tells how many different hard negatives of the strategy there are for a context."""
        open_ = self._allowed(asked)
        return int((open_ & self._hard(strategy, asked, len(open_))).sum())

    def _allowed(self, asked: Asked) -> NDArray[np.bool_]:
        open_ = self._open[: self._graph.not_newer(asked.year)].copy()
        citing = self._graph.row(asked.citing_id)
        for row in (*asked.right, *([] if citing is None else [citing])):
            if row < len(open_):
                open_[row] = False
        return open_

    def _hard(self, strategy: Strategy, asked: Asked, size: int) -> NDArray[np.bool_]:
        """[size] which papers are in A_h, as of the context's year."""
        if strategy == "random":
            return np.ones(size, dtype=np.bool_)
        if strategy == "cited":
            return self._graph.times_cited(asked.year)[:size] > 0
        if strategy == "most-cited":
            return self._most_cited(asked.year)[:size]
        rows = self._graph.neighbours(asked.citing_id) if strategy == "neighbours" else asked.prefiltered
        inside = np.zeros(size, dtype=np.bool_)
        inside[rows[rows < size]] = True
        return inside

    @functools.lru_cache(maxsize=128)  # noqa: B019 # one a year
    def _most_cited(self, year: int) -> NDArray[np.bool_]:
        times = self._graph.times_cited(year)
        first = np.argsort(-times, kind="stable")[:MOST_CITED]
        inside = np.zeros(len(times), dtype=np.bool_)
        inside[first[times[first] > 0]] = True
        return inside


def _take(open_: NDArray[np.bool_], count: int, rng: np.random.Generator) -> Rows:
    """At most `count` of the rows that may be drawn, each once."""
    rows = np.flatnonzero(open_)
    return rows if len(rows) < count and count else rng.choice(rows, min(count, len(rows)), replace=False)


# Batches ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Batch:
    """`pairs` pairs, each of which makes `negatives` triplets."""

    contexts: NDArray[np.int64]
    """[pairs] numbers of the contexts."""
    papers: Rows
    """[pairs, 1 + negatives] the cited paper, then its negatives."""


class Pairs:
    """Pairs of a context and a paper that it cites, `size` a step; they are shuffled anew whenever all of
    them have been used."""

    def __init__(self, asked: Sequence[Asked], size: int, seed: int) -> None:
        self._size = size
        self._seed = seed
        self._pairs = [(number, row) for number, example in enumerate(asked) for row in example.taught]

    def __len__(self) -> int:
        """Returns the number of pairs."""
        return len(self._pairs)

    def __getitem__(self, step: int) -> list[tuple[int, int]]:
        """Returns numbers of contexts and rows of papers, for a step from 0."""
        return [self._pair(step * self._size + position) for position in range(self._size)]

    def _pair(self, position: int) -> tuple[int, int]:
        """Returns the pair at a position of the sequence, which is endless."""
        time, within = divmod(position, len(self._pairs))
        return self._pairs[int(self._order(time)[within])]

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
        """Number of triplets of a batch."""

    def __len__(self) -> int:
        """Returns the number of pairs."""
        return len(self._pairs)

    def __getitem__(self, step: int) -> Batch:
        """Returns the batch of a step, from 0."""
        rng = np.random.default_rng([self._seed, 0, step])
        pairs = self._pairs[step]
        rows = [np.append(right, self._negatives.draw(self._asked[number], rng)) for number, right in pairs]
        return Batch(np.array([number for number, _ in pairs]), np.stack(rows))

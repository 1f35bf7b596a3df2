"""Noise distributions over papers, from the history of citations before a year: co-citations of a paper, and
citations of any paper, to a power (Zhang and Ma 2021, equations 1 and 2; after Mikolov et al. 2013).

    positives of a target t    p(c) = frequency(t, c)^¾ / Σ frequency(t, c')^¾    over papers cited with t
    negatives                  p(i) = count(i)^¾ / Σ count(j)^¾                   over papers not cited here

Drawing from any of them takes constant time, by alias tables (Walker 1977; Vose 1991).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

POWER = 0.75

_TRIES = 64
"""Draws for each negative that is still missing, before it is chosen among those left."""


class AliasTable:
    """Draws numbers from 0 to n − 1 with probabilities proportional to `weights`."""

    def __init__(self, weights: NDArray[np.float64]) -> None:
        """`weights` [n], n ≥ 1, finite and at least 0, not all 0. Raises ValueError for others."""
        weights = np.asarray(weights, dtype=np.float64)
        total = weights.sum()
        if weights.ndim != 1 or not len(weights) or (weights < 0).any() or not 0 < total < np.inf:
            raise ValueError("the weights must be finite, at least 0, and not all 0")
        n = len(weights)
        scaled = weights / total * n
        self._kept = np.ones(n)
        self._alias = np.arange(n)
        small = np.flatnonzero(scaled < 1).tolist()
        large = np.flatnonzero(scaled >= 1).tolist()
        while small and large:
            low, high = small.pop(), large.pop()
            self._kept[low], self._alias[low] = scaled[low], high
            scaled[high] -= 1 - scaled[low]
            (small if scaled[high] < 1 else large).append(high)
        # What is left over differs from 1 by rounding alone; but what has no weight is never drawn.
        for rest in small:
            if weights[rest] == 0:
                self._kept[rest], self._alias[rest] = 0.0, int(weights.argmax())

    def __len__(self) -> int:
        return len(self._kept)

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """[count] independent draws."""
        column = rng.integers(len(self._kept), size=count)
        kept = rng.random(count) < self._kept[column]
        return np.where(kept, column, self._alias[column])

    def probabilities(self) -> NDArray[np.float64]:
        """[n] the exact distribution of `draw`."""
        shares = self._kept.copy()
        np.add.at(shares, self._alias, 1 - self._kept)
        return shares / len(shares)


@dataclass(frozen=True, slots=True)
class CitedTogether:
    """Papers that one citing text, a sentence or a paper, cites."""

    cited: tuple[int, ...]
    """Numbers of papers, each once."""
    year: int
    """The year of the citing text; 0 if unknown."""


class CoCitations:
    """The distributions as of any year. Tables are built once for each year and target."""

    def __init__(self, history: Iterable[CitedTogether], power: float = POWER) -> None:
        """`power` ≥ 0; with 0 all papers with a frequency are equally likely. Texts of unknown year count for
        no year."""
        self._history = sorted(
            (sentence for sentence in history if sentence.year), key=lambda sentence: sentence.year
        )
        self._power = power
        self._negatives: dict[int, tuple[NDArray[np.int64], AliasTable] | None] = {}
        self._positives: dict[tuple[int, int], tuple[NDArray[np.int64], AliasTable] | None] = {}
        self._of: dict[int, list[CitedTogether]] = {}
        for sentence in self._history:
            for paper in sentence.cited:
                self._of.setdefault(paper, []).append(sentence)

    def frequencies(self, target: int, before: int) -> dict[int, int]:
        """Returns the number of texts of years before `before` that cite the target and another paper, by
        paper."""
        times: Counter[int] = Counter()
        for sentence in self._of.get(target, ()):
            if sentence.year < before:
                times.update(sentence.cited)
        del times[target]
        return dict(sorted(times.items()))

    def counts(self, before: int) -> dict[int, int]:
        """Returns the number of texts of years before `before` that cite each paper."""
        times = Counter(
            paper for sentence in self._history if sentence.year < before for paper in sentence.cited
        )
        return dict(sorted(times.items()))

    def positives(
        self, target: int, before: int, count: int, rng: np.random.Generator, barred: Collection[int] = ()
    ) -> list[int]:
        """At most `count` distinct papers from the distribution of equation 1, without those in `barred`;
        fewer if fewer were cited together with the target."""
        return self._drawn(self._positive_table(target, before), count, rng, barred)

    def negatives(
        self, cited: Collection[int], before: int, count: int, rng: np.random.Generator
    ) -> list[int]:
        """At most `count` distinct papers from the distribution of equation 2, without the `cited` ones;
        fewer if the history has fewer."""
        if before not in self._negatives:
            self._negatives[before] = self._table(self.counts(before))
        return self._drawn(self._negatives[before], count, rng, cited)

    def _positive_table(self, target: int, before: int) -> tuple[NDArray[np.int64], AliasTable] | None:
        key = (target, before)
        if key not in self._positives:
            self._positives[key] = self._table(self.frequencies(target, before))
        return self._positives[key]

    def _table(self, times: dict[int, int]) -> tuple[NDArray[np.int64], AliasTable] | None:
        if not times:
            return None
        weights = np.array(list(times.values()), dtype=np.float64) ** self._power
        return np.array(list(times), dtype=np.int64), AliasTable(weights)

    @staticmethod
    def _drawn(
        distribution: tuple[NDArray[np.int64], AliasTable] | None,
        count: int,
        rng: np.random.Generator,
        barred: Collection[int],
    ) -> list[int]:
        """Draws without replacement: papers that were drawn before, or are barred, are drawn again."""
        if distribution is None:
            return []
        papers, table = distribution
        left = set(papers.tolist()) - set(barred)
        chosen: dict[int, None] = {}
        for _ in range(_TRIES):
            missing = min(count, len(left)) - len(chosen)
            if missing <= 0:
                break
            for paper in papers[table.draw(missing, rng)].tolist():
                if paper in left:
                    chosen[paper] = None
        # Nearly all of the probability belongs to papers that are barred.
        rest = [paper for paper in papers.tolist() if paper in left and paper not in chosen]
        missing = min(count, len(left)) - len(chosen)
        if missing > 0:
            weights = table.probabilities()[np.isin(papers, rest)]
            drawn = rng.choice(rest, size=missing, replace=False, p=weights / weights.sum())
            chosen |= dict.fromkeys(drawn.tolist())
        return list(chosen)

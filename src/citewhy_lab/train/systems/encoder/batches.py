"""The batch of each step. It is a function of the seed and the number of the step, so that training can be
resumed at any step."""

from __future__ import annotations

import functools
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Paper
from citewhy.search.encode.encoder import TextKind
from citewhy_lab.train.systems.encoder.data import Pair, paper_form
from citewhy_lab.train.systems.encoder.hard_negatives import NONE, Places
from citewhy_lab.train.systems.encoder.settings import Settings, Source

__all__ = ["TOGETHER", "Batch", "Batches"]

TOGETHER = 24
"""Pairs of one library that follow each other, where it has as many."""


@dataclass(frozen=True, slots=True)
class Batch:
    """`papers` are the positives, in the order of `queries`, then hard negatives."""

    source: Source
    queries: list[str]
    reads_like: TextKind
    papers: list[str]
    forbidden: NDArray[np.bool_]
    """[queries, papers]: papers that are another positive of the query, or may be one."""


class Batches:
    """Batches of one source each, drawn by the settings' weights. The pairs of a source are shuffled anew
    whenever all of them have been used. Contexts have hard negatives once `set_negatives` was called.
    """

    def __init__(
        self, pairs: Mapping[Source, Sequence[Pair]], settings: Settings, processes: int = 1
    ) -> None:
        """One a step for each of `processes` that train together."""
        self._pairs = pairs
        self._size = settings.batch
        self._seed = settings.seed
        sources = [source for source in settings.weights if pairs.get(source)]
        weights = [settings.weights[source] for source in sources]
        self._plan = random.Random(f"plan {settings.seed}").choices(
            sources, weights, k=settings.steps * processes
        )
        self._ids: Sequence[str] = ()
        self._papers: Sequence[Paper] = ()
        self._places: Places | None = None

    def set_negatives(self, ids: Sequence[str], papers: Sequence[Paper], places: Places) -> None:
        """Hard negatives of the contexts from now on: places in `ids` and `papers`, a row a pair."""
        self._ids, self._papers, self._places = ids, papers, places

    def __getitem__(self, step: int) -> Batch:
        """The batch with this number, from 0."""
        source = self._plan[step]
        rng = random.Random(f"step {self._seed} {step}")
        first = self._plan[:step].count(source) * self._size
        rows = [self._row(source, first + place) for place in range(self._size)]
        chosen = [self._pairs[source][row] for row in rows]
        forms = [pair.form(rng) for pair in chosen]
        wrong = [found for place, row in enumerate(rows) if (found := self._wrong(source, row, place, rng))]
        return Batch(
            source,
            [form.query for form in forms],
            forms[0].reads_like,
            [form.paper for form in forms] + [paper_form(paper, rng) for _, paper in wrong],
            forbidden(chosen, [paper_id for paper_id, _ in wrong]),
        )

    def _row(self, source: Source, position: int) -> int:
        """The pair at a position of a source's sequence, which is endless."""
        count = len(self._pairs[source])
        return self._order(source, position // count)[position % count]

    @functools.lru_cache(maxsize=16)  # noqa: B019 # one a training
    def _order(self, source: Source, time: int) -> list[int]:
        rng = random.Random(f"order {self._seed} {source} {time}")
        libraries: dict[str, list[int]] = defaultdict(list)
        for place, pair in enumerate(self._pairs[source]):
            libraries[pair.library].append(place)
        runs = []
        for places in libraries.values():
            rng.shuffle(places)
            runs += [places[start : start + TOGETHER] for start in range(0, len(places), TOGETHER)]
        rng.shuffle(runs)
        return [place for run in runs for place in run]

    def _wrong(self, source: Source, row: int, place: int, rng: random.Random) -> tuple[str, Paper] | None:
        """The pair's own negative; for every second context one that was mined."""
        negative = self._pairs[source][row].negative
        if negative is not None:
            return negative.id, negative
        if source != "context" or self._places is None or place % 2:
            return None
        found = [int(each) for each in self._places[row] if each != NONE]
        if not found:
            return None
        chosen = rng.choice(found)
        return self._ids[chosen], self._papers[chosen]


def forbidden(pairs: Sequence[Pair], negatives: Sequence[str]) -> NDArray[np.bool_]:
    """[len(pairs), len(pairs) + len(negatives)]: what must not count as a negative of a query.

    These are further copies of its positive, and every paper that is related to the query.
    """
    ids = [pair.paper_id for pair in pairs] + list(negatives)
    mask = np.array(
        [[one == pair.paper_id or one in pair.related for one in ids] for pair in pairs], dtype=np.bool_
    )
    np.fill_diagonal(mask, False)
    return mask

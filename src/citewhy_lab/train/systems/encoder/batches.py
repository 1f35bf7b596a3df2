"""The batch of each step, and hard negatives: papers that the current model ranks high for a query, and that
its paper does not cite.

A batch is a function of the seed and the number of the step, so that training can be resumed at any step.
"""

from __future__ import annotations

import functools
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Paper
from citewhy.search.encode.encoder import TextKind, Vectors
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.systems.encoder.data import Pair, paper_form
from citewhy_lab.train.systems.encoder.settings import EncoderSettings, Source

TOGETHER = 24
"""Pairs of one library that follow each other, where it has as many."""

Mined = NDArray[np.int32]
"""[pairs, `KEPT`] hard negatives of each pair, as positions in a list of papers, padded with `NONE`."""

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
        self, pairs: Mapping[Source, Sequence[Pair]], settings: EncoderSettings, processes: int = 1
    ) -> None:
        """There is a batch in each step for each of `processes` that train together."""
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
        self._mined: Mined | None = None

    def set_negatives(self, ids: Sequence[str], papers: Sequence[Paper], mined: Mined) -> None:
        """Hard negatives of the contexts from now on: positions in `ids` and `papers`, a row a pair."""
        self._ids, self._papers, self._mined = ids, papers, mined

    def __getitem__(self, step: int) -> Batch:
        """The batch with this number, from 0."""
        source = self._plan[step]
        rng = random.Random(f"step {self._seed} {step}")
        first = self._plan[:step].count(source) * self._size
        rows = [self._row(source, first + position) for position in range(self._size)]
        chosen = [self._pairs[source][row] for row in rows]
        forms = [pair.form(rng) for pair in chosen]
        wrong = [
            negative
            for position, row in enumerate(rows)
            if (negative := self._wrong(source, row, position, rng))
        ]
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
        for position, pair in enumerate(self._pairs[source]):
            libraries[pair.library].append(position)
        runs = []
        for positions in libraries.values():
            rng.shuffle(positions)
            runs += [positions[start : start + TOGETHER] for start in range(0, len(positions), TOGETHER)]
        rng.shuffle(runs)
        return [position for run in runs for position in run]

    def _wrong(self, source: Source, row: int, place: int, rng: random.Random) -> tuple[str, Paper] | None:
        """The pair's own negative; for every second context one that was mined."""
        negative = self._pairs[source][row].negative
        if negative is not None:
            return negative.id, negative
        if source != "context" or self._mined is None or place % 2:
            return None
        mined = [int(each) for each in self._mined[row] if each != NONE]
        if not mined:
            return None
        chosen = rng.choice(mined)
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


# Hard negatives --------------------------------------------------------------------------------------------


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
) -> Mined:
    """Mined [len(pairs), KEPT] in `ids`, the nearest first, padded with `NONE`.

    queries [len(pairs), d], papers [len(ids), d]; ids are canonical, years those of their papers. A paper
    that is newer than the citing one is left out, and so is every reference of the citing paper.
    """
    mined = np.full((len(pairs), KEPT), NONE, dtype=np.int32)
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
                position
                for position in nearest
                if scores[row][position] > -np.inf and ids[position] not in pair.related
            ]
            kept = wrong[SKIPPED : SKIPPED + KEPT]
            mined[start + row, : len(kept)] = kept
    return mined

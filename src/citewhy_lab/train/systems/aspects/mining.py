"""Mining of training instances from a citation graph: sections 5.1 to 5.5 of Bansal (2023), and SciNCL
(Ostendorff et al. 2022).

| strategy | positives | hard negatives | easy negatives: neither the anchor nor |
| --- | --- | --- | --- |
| `by_citations` (5.1, 5.2) | linked; `directed`: cited | L2, not linked | linked, L2 |
| `by_aspect` (5.3) | linked in the aspect | linked in other aspects | linked |
| `by_aspect` with `level=2` (5.5) | linked in the aspect | L2 in other aspects | linked, L2 |
| `hybrid` (5.4) | linked in the aspect | linked in other aspects; `distant`: L2 | – |

| `Neighbourhoods` (SciNCL) | near in an embedding of the graph | further on, behind a margin | not near |

L2 are the references of references. Everything is done with arrays over all anchors at once, in a time that
is linear in citations, times the logarithm of sorting them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import faiss
import numpy as np

from citewhy.base.errors import InputError
from citewhy.search.encode.encoder import Vectors
from citewhy_lab.train.systems.aspects.graph import IntentGraph, Links, Rows
from citewhy_lab.train.systems.aspects.instances import NONE, Instances
from citewhy_lab.train.systems.aspects.settings import ASPECTS, OTHER

Generator = np.random.Generator


def by_citations(
    graph: IntentGraph,
    rng: Generator,
    positives: int = 5,
    hard: int = 2,
    easy: int = 3,
    directed: bool = False,
) -> Instances:
    """Returns an instance for each paper with a positive candidate.

    Positives are oversampled where there are too few; missing hard negatives become easy ones. `directed`:
    only cited papers are positives, as in SPECTER (Cohan et al. 2020).
    """
    near = graph.references if directed else graph.linked
    anchors = np.flatnonzero(near.counts)
    _check(anchors, "no paper cites another one that is known")
    linked = drawn(near, anchors, positives, rng, oversample=True)
    second = drawn(graph.second, anchors, hard, rng)
    wide = easy_negatives((graph.linked, graph.second), anchors, hard + easy, rng)
    second = _filled(second, wide[:, easy:])
    return Instances(("",) * len(anchors), anchors, linked, second, wide[:, :easy], _nothing(anchors))


def by_aspect(
    graph: IntentGraph,
    rng: Generator,
    positives: int = 5,
    hard: int = 10,
    easy: int = 3,
    level: int = 1,
    other: bool = False,
    in_all: bool = True,
) -> Instances:
    """Returns an instance for each anchor and aspect: at most so many positives and hard negatives, and
    exactly `easy` easy ones (fewer only where the corpus has no more).

    Anchors are the papers that have a positive in each aspect; with ``in_all=False`` all that have one in the
    instance's aspect, and a hard negative where they are asked for. `other`: also an instance for links of
    unknown intent, which have easy negatives only.
    """
    linked = graph.linked
    apart = (linked, graph.second) if level == 2 or not hard else (linked,)
    parts = []
    for aspect in (*ASPECTS, *([OTHER] if other else [])):
        near = linked.of_aspect(aspect)
        far = (graph.second if level == 2 else linked).of_another(aspect)
        anchors = _anchors(graph, near, far if hard and aspect != OTHER else None, in_all)
        parts.append(
            Instances(
                (aspect,) * len(anchors),
                anchors,
                drawn(near, anchors, positives, rng),
                drawn(far, anchors, hard, rng),
                easy_negatives(apart, anchors, easy, rng),
                _nothing(anchors),
            )
        )
    joined = Instances.joined(parts)
    _check(joined.anchors, "no paper has links of all the aspects" if in_all else "no citation has an intent")
    return joined


def hybrid(
    graph: IntentGraph, rng: Generator, local: int = 5, distant: int = 5, in_all: bool = True
) -> Instances:
    """Returns an instance for each anchor and aspect, with a positive, and the negatives of both losses."""
    instances = by_aspect(graph, rng, 1, local, 0, in_all=in_all)
    far = drawn(graph.second, instances.anchors, distant, rng)
    wide = easy_negatives((graph.linked, graph.second), instances.anchors, distant, rng)
    far = _filled(far, wide)
    return Instances(
        instances.aspects, instances.anchors, instances.positives, instances.hard, instances.easy, far
    )


def drawn(links: Links, anchors: Rows, count: int, rng: Generator, oversample: bool = False) -> Rows:
    """[len(anchors), count] neighbours of each, each once, in random order. Where there are fewer, the row is
    padded with NONE; with `oversample` they repeat in turn."""
    known = links.counts[anchors]
    if not count or not known.any():
        return np.full((len(anchors), count), NONE, dtype=np.int64)
    positions = _subsets(known, count, rng)  # padding is last
    if oversample:
        turn = np.arange(count) % np.maximum(np.minimum(known, count), 1)[:, None]
        positions = np.take_along_axis(positions, turn, axis=1)
    there = positions != NONE
    return np.where(
        there, links.neighbours[np.where(there, links.starts[anchors][:, None] + positions, 0)], NONE
    )


def _subsets(sizes: Rows, count: int, rng: Generator) -> Rows:
    """[n, count] for each size s, min(s, count) different numbers below s in random order, then NONE: Floyd's
    algorithm (Bentley and Floyd, 1987), whose time does not depend on the sizes."""
    numbers = np.full((len(sizes), count), NONE, dtype=np.int64)
    for step in range(count):
        # The largest number that may be drawn now, so that the last step has all of them.
        most = np.where(sizes >= count, sizes - count + step, step)
        drawn_now = (rng.random(len(sizes)) * (most + 1)).astype(np.int64)
        again = (numbers[:, :step] == drawn_now[:, None]).any(axis=1)
        numbers[:, step] = np.where(most < sizes, np.where(again, most, drawn_now), NONE)
    order = np.where(numbers == NONE, 2.0, rng.random(numbers.shape)).argsort(axis=1)
    return np.take_along_axis(numbers, order, axis=1)


def easy_negatives(near: Sequence[Links], anchors: Rows, count: int, rng: Generator) -> Rows:
    """[len(anchors), count] papers, each once, that are neither the anchor nor its neighbours in any of
    `near`, of which no two have a link in common.

    Rows are padded with NONE where the corpus has fewer such papers. Papers are drawn at random, and drawn
    again while they are refused: a few rounds, because neighbours are few.
    """
    papers = len(near[0].starts) - 1
    negatives = np.full((len(anchors), count), NONE, dtype=np.int64)
    others = papers - 1 - sum(links.counts[anchors] for links in near)
    possible = np.minimum(others, count)[:, None] > np.arange(count)
    while (missing := (negatives == NONE) & possible).any():
        rows, columns = np.nonzero(missing)
        tried = rng.integers(papers, size=len(rows))
        keys = anchors[rows] * papers + tried
        bad = (tried == anchors[rows]) | (negatives[rows] == tried[:, None]).any(axis=1)
        for links in near:
            bad |= links.have(keys)
        # Of two equal papers for one anchor in the same round, the first is taken.
        _, first = np.unique(rows * papers + tried, return_index=True)
        once = np.zeros(len(rows), dtype=np.bool_)
        once[first] = True
        chosen = ~bad & once
        negatives[rows[chosen], columns[chosen]] = tried[chosen]
    return negatives


def _anchors(graph: IntentGraph, near: Links, far: Links | None, in_all: bool) -> Rows:
    if in_all:
        counts = [graph.linked.of_aspect(aspect).counts > 0 for aspect in ASPECTS]
        return np.flatnonzero(np.logical_and.reduce([*counts, near.counts > 0]))
    return np.flatnonzero((near.counts > 0) & (True if far is None else far.counts > 0))


def _filled(rows: Rows, others: Rows) -> Rows:
    """`rows` with those of `others` in the place of NONE, in order."""
    missing = rows == NONE
    nth = np.maximum(missing.cumsum(axis=1) - 1, 0)
    return np.where(missing, np.take_along_axis(others, nth, axis=1), rows) if rows.size else rows


def _nothing(anchors: Rows) -> Rows:
    return np.empty((len(anchors), 0), dtype=np.int64)


def _check(anchors: Sequence[int] | Rows, problem: str) -> None:
    if not len(anchors):
        raise InputError(
            f"there are no training instances: {problem}",
            hint="give more citations, or citing sentences whose intents a classifier can tell",
        )


# SciNCL ----------------------------------------------------------------------------------------------------

DIMENSIONS = 64


def embed_graph(graph: IntentGraph, seed: int, dimensions: int = DIMENSIONS) -> Vectors:
    """[papers, dimensions] of length 1, or 0 for papers without links.

    The left singular vectors of A + A², times the roots of their values, where A = D^-½ (links + 1) D^-½: a
    spectral form of random walks with windows of two steps (Qiu et al. 2018).
    """
    from scipy import sparse
    from scipy.sparse.linalg import LinearOperator, svds

    links = graph.linked
    count = len(graph)
    own = np.arange(count)
    rows, columns = np.concatenate([links.rows, own]), np.concatenate([links.neighbours, own])
    degree = (links.counts + 1.0) ** -0.5
    near = sparse.csr_array((degree[rows] * degree[columns], (rows, columns)), shape=(count, count))
    twice = LinearOperator(
        (count, count), matvec=lambda x: near @ (x + near @ x), rmatvec=lambda x: near @ (x + near @ x)
    )
    size = min(dimensions, count - 1)
    left, values, _ = svds(twice, k=size, random_state=seed)
    vectors = left * np.sqrt(values)
    vectors[links.counts == 0] = 0
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0).astype(
        np.float32
    )
    return unit


@dataclass(frozen=True, slots=True)
class Neighbourhoods:
    """`vectors` [papers, d] of a citation graph. Ranks count from 1, a paper itself not counted; the ranks of
    SciNCL are of a graph of 52 million papers, and smaller here."""

    vectors: Vectors
    near: tuple[int, int] = (1, 10)
    """First and last rank of positives."""
    far: tuple[int, int] = (40, 60)
    """First and last rank of hard negatives; between `near` and `far` is the margin."""

    def mine(self, rng: np.random.Generator, positives: int, hard: int, easy: int) -> Instances:
        """Returns an instance for each paper with links."""
        anchors = np.flatnonzero(np.linalg.norm(self.vectors, axis=1) > 0)
        nearest = self._nearest(anchors)
        count = len(anchors)
        easy_ones = rng.choice(anchors, size=(count, easy + self.far[1]))
        refused = np.sort(np.concatenate([nearest, anchors[:, None]], axis=1), axis=1)
        apart = np.stack([_kept(row, no, easy) for row, no in zip(easy_ones, refused, strict=True)])
        return Instances(
            ("",) * count,
            anchors,
            _among(nearest, self.near, positives, rng),
            _among(nearest, self.far, hard, rng),
            apart,
            np.empty((count, 0), dtype=np.int64),
        )

    def _nearest(self, anchors: Rows) -> Rows:
        index = faiss.IndexFlatIP(self.vectors.shape[1])
        index.add(self.vectors[anchors])
        _, positions = index.search(self.vectors[anchors], min(self.far[1] + 1, len(anchors)))
        ranked = anchors[positions]
        others = ranked != anchors[:, None]
        others[others.all(axis=1), -1] = False  # equal vectors hid the paper itself: the last one goes
        nearest: Rows = ranked[others].reshape(len(anchors), -1)
        return nearest


def _among(nearest: Rows, ranks: tuple[int, int], count: int, rng: np.random.Generator) -> Rows:
    """[n, count] of these ranks, each once as long as there are enough."""
    first = min(ranks[0] - 1, max(nearest.shape[1] - 1, 0))
    some = nearest[:, first : ranks[1]]
    order = rng.random(some.shape).argsort(axis=1)[:, np.arange(count) % some.shape[1]]
    return np.take_along_axis(some, order, axis=1)


def _kept(tried: Rows, refused: Rows, count: int) -> Rows:
    allowed = tried[~np.isin(tried, refused)]
    if not len(allowed):
        return np.full(count, -1, dtype=np.int64)
    return np.resize(allowed, count)

"""Sampling by distance in an embedding of the citation graph, as in SciNCL (Ostendorff et al. 2022).

A paper's nearest papers are ranked. Positives are the first of them, hard negatives are of ranks further on,
behind a margin; easy negatives are any papers that are not among the nearest.
"""

from __future__ import annotations

from dataclasses import dataclass

import faiss
import numpy as np

from citewhy.search.encode.encoder import Vectors
from citewhy_lab.train.systems.aspects.graph import IntentGraph, Rows
from citewhy_lab.train.systems.aspects.instances import Instances

__all__ = ["Neighbourhoods", "embed_graph"]

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
    found = left * np.sqrt(values)
    found[links.counts == 0] = 0
    length = np.linalg.norm(found, axis=1, keepdims=True)
    unit: Vectors = np.divide(found, length, out=np.zeros_like(found), where=length > 0).astype(np.float32)
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
        """An instance for each paper with links."""
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
        _, found = index.search(self.vectors[anchors], min(self.far[1] + 1, len(anchors)))
        ranked = anchors[found]
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

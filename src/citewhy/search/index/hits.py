"""Defines what a view answers: papers with scores, facts, edges, and the sentences that cite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index.arrays import Floats, Rows

_SAMPLED = 16
"""One in so many scores is looked at to find about where the best begin."""

_SPARE, _MORE = 1.5, 8
"""How many times as many papers as are asked for are expected to reach that, and how many more of the
sample."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Papers with scores, best first, ties by paper id. Each paper occurs once."""

    rows: Rows
    """[n]."""
    scores: Floats
    """[n]."""


@dataclass(frozen=True, slots=True)
class CitingContexts:
    """Citing sentences near a vector, by the papers that they cite."""

    rows: Rows
    """[n] papers, ascending."""
    cosines: Floats
    """[n] cosine of the nearest sentence that cites the paper; above 0."""
    sentences: NDArray[np.int64]
    """[n] number of that sentence in the library."""


@dataclass(frozen=True, slots=True)
class CitingSentences:
    """The sentences that cite each of n papers, grouped by paper."""

    positions: NDArray[np.int64]
    """[m] index of the paper in the argument; ascending."""
    numbers: NDArray[np.int64]
    """[m] number of the sentence in the library; ascending for each paper."""
    writers: Rows
    """[m] row of the paper that contains it; below 0 if the library does not have this paper."""


@dataclass(frozen=True, slots=True)
class PaperFacts:
    """Metadata of n papers; [n] each."""

    years: NDArray[np.int16]
    """0 if unknown."""
    times_cited: Floats
    """Number of papers that cite it."""
    mentions: Floats
    """Number of sentences that cite it."""
    author_citations: Floats
    """ln(1 + citations of the other papers of its most cited author)."""
    venue_citations: Floats
    """Mean of ln(1 + citations) over the other papers of its series of venues, shrunk towards 0 as if five
    more papers had no citations; 0 for an unknown venue."""


@dataclass(frozen=True, slots=True)
class Edges:
    """Citations of n papers in one direction, grouped by paper; each citation once."""

    positions: NDArray[np.int64]
    """[m] index of the paper in the argument."""
    rows: Rows
    """[m] row of the other paper."""


def best_first(scores: Floats, id_ranks: NDArray[Any]) -> NDArray[np.int64]:
    """[n] indices in descending order of `scores` [n], ties by paper id."""
    order = np.argsort(-scores)
    ranked = scores[order]
    if (ranked[1:] == ranked[:-1]).any():
        order = np.lexsort((id_ranks, -scores))
    return order


def _reaching(scores: Floats, count: int, allowed: NDArray[np.bool_] | None) -> NDArray[np.intp]:
    """The indices, ascending, of some of the `allowed` scores that are above 0, the best `count` among them:
    those above a number by which a sample tells that not many others are."""
    floors = [float(np.nextafter(np.float32(0), np.float32(1)))]
    place = _MORE + int(_SPARE * count / _SAMPLED)
    sample = scores[::_SAMPLED]
    if place < len(sample):
        sample = sample if allowed is None else sample * allowed[::_SAMPLED]
        floors.append(max(-float(np.partition(-sample, place)[place]), floors[0]))
    for floor in reversed(floors):
        reaching = np.flatnonzero(scores >= floor)
        if allowed is not None:
            reaching = reaching[allowed[reaching]]
        if len(reaching) >= count:
            break
    return reaching


def best(
    rows: NDArray[Any] | None,
    scores: Floats,
    id_ranks: NDArray[np.int32],
    count: int,
    allowed: NDArray[np.bool_] | None = None,
) -> Hits:
    """The `count` papers of `rows` [n] (None: all) with the largest `scores` [n] above 0, best first, ties by
    paper id, of those that are `allowed` [n] (None: all are). `id_ranks` are those of all papers."""
    kept = _reaching(scores, count, allowed)
    rows, scores = kept if rows is None else rows[kept], scores[kept]
    if count < len(scores):
        # The smallest negated values: numpy finds them twenty times as fast as the largest values.
        floor = -np.partition(-scores, count - 1)[count - 1]
        kept = np.flatnonzero(scores >= max(floor, np.float32(0)))
        rows, scores = rows[kept], scores[kept]
    kept = np.flatnonzero(scores > 0)
    rows, scores = rows[kept].astype(np.int64), scores[kept]
    order = best_first(scores, id_ranks[rows])[:count]
    return Hits(rows[order], scores[order])

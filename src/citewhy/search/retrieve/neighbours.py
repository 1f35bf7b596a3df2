"""Neighbours, in the citation graph, of the papers that a draft already cites.

Sources: co-citation, Small 1973; bibliographic coupling, Kessler 1963; both normalised by the geometric mean
of the two papers' counts (Salton's cosine): so that a paper cited by very many others is not a close
neighbour of all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index import Edges, View
from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.retrieve.sparse import Sparse


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The closeness of papers to the known papers in the citation graph."""

    cocited: Sparse
    """Σ over known papers: cosine of the two sets of papers that cite them."""
    coupled: Sparse
    """Σ over known papers: cosine of the two sets of papers that they cite."""
    linked: Sparse
    """Number of known papers that a paper cites or that cite it."""

    def relative(self, rows: Rows) -> Floats:
        """[n] for each of `rows` the sum of the three measures, each divided by its largest value."""
        scores = np.zeros(len(rows), dtype=np.float32)
        for each in (self.cocited, self.linked, self.coupled):
            largest = np.float32(each.values.max(initial=0.0) or 1.0)
            scores += each.at(rows) / largest
        return scores


def neighbours(view: View, known: Rows) -> Neighbours:
    """The neighbours of the papers that the draft already cites, given as distinct rows `known`."""
    citing, cited = view.citing(known), view.cited(known)
    linked, times = np.unique(np.concatenate([citing.rows, cited.rows]), return_counts=True)
    return Neighbours(
        cocited=_cosines(known, citing, view.cited, view.citing),
        coupled=_cosines(known, cited, view.citing, view.cited),
        linked=Sparse(linked, times.astype(np.float32)),
    )


def _cosines(
    known: Rows, first: Edges, back: Callable[[Rows], Edges], ends: Callable[[Rows], Edges]
) -> Sparse:
    """For each paper, the sum over known papers of the cosine between two sets: the `ends` of the known paper
    (listed in `first`) and those of the other paper, found through `back`."""

    def sizes(rows: Rows) -> NDArray[np.int64]:
        return np.bincount(ends(rows).places, minlength=len(rows))

    second = back(first.rows)
    owners, reached = first.places[second.places], second.rows
    # A paper is not a neighbour of itself, or papers that the draft cites elsewhere would score higher.
    others = reached != known[owners]
    width = int(reached.max(initial=0)) + 1
    pairs, shared = np.unique(owners[others] * width + reached[others], return_counts=True)
    owner, other = np.divmod(pairs, width)
    rows, place = np.unique(other, return_inverse=True)
    cosines = shared / np.sqrt(sizes(known)[owner] * sizes(rows)[place])
    sums = np.bincount(place, weights=cosines, minlength=len(rows))
    return Sparse(rows, sums.astype(np.float32))

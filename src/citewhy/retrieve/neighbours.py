"""The citation graph around what a draft already cites.

Sources: co-citation, Small 1973; bibliographic coupling, Kessler 1963; both normalised by the geometric mean
of the two papers' counts (Salton's cosine): a paper that everybody cites is not everybody's neighbour.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewhy.index.arrays import Floats, Rows
from citewhy.index.engine import Edges, View
from citewhy.retrieve.sparse import Sparse

__all__ = ["Neighbours", "neighbours"]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """How papers stand to the known papers."""

    cocited: Sparse
    """Σ over known papers: cosine of the two sets of papers that cite them."""
    coupled: Sparse
    """Σ over known papers: cosine of the two sets of papers that they cite."""
    linked: Sparse
    """Number of known papers that it cites or that cite it."""

    def relative(self, rows: Rows) -> Floats:
        """[n] the three of `rows`, each as a share of its largest, together."""
        scores = np.zeros(len(rows), dtype=np.float32)
        for each in (self.cocited, self.linked, self.coupled):
            largest = np.float32(each.values.max(initial=0.0) or 1.0)
            scores += each.at(rows) / largest
        return scores


def neighbours(view: View, known: Rows) -> Neighbours:
    """`known` are rows of the papers that the draft cites already, each once."""
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
    """Sums of cosines between two sets: the `ends` of each known paper (which `first` has), and those of any
    other paper, to which `back` leads from there."""

    def sizes(rows: Rows) -> NDArray[np.int64]:
        return np.bincount(ends(rows).places, minlength=len(rows))

    second = back(first.rows)
    owners, reached = first.places[second.places], second.rows
    # Nothing is its own neighbour: a paper that is cited elsewhere in the draft gains nothing by it.
    others = reached != known[owners]
    width = int(reached.max(initial=0)) + 1
    pairs, shared = np.unique(owners[others] * width + reached[others], return_counts=True)
    owner, other = np.divmod(pairs, width)
    rows, place = np.unique(other, return_inverse=True)
    cosines = shared / np.sqrt(sizes(known)[owner] * sizes(rows)[place])
    sums = np.bincount(place, weights=cosines, minlength=len(rows))
    return Sparse(rows, sums.astype(np.float32))

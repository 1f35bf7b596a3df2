"""What the candidates of a query say of each other: features of the last step of ranking.

Papers that a field cites tend to be followed by papers on the same subject, which a library knows even where
it has no citation of them; and of two papers on a subject, the earlier one is rather cited than the later one
that resembles it. And a paper that resembles the best candidates is likely to be on the subject of the query,
also where it shares few words with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index.arrays import Floats

SIMILAR = 0.6
"""Cosine above which two papers count as being on the same subject."""

YEARS = 4
"""Years after a paper in which those that follow it are counted."""

BEST = 30
"""Number of the best candidates that every candidate is compared with."""


def followed(
    cosines: Floats, years: NDArray[np.int64], others: NDArray[np.int64], early: NDArray[np.bool_]
) -> Floats:
    """Returns [n] ln((1 + later) / (1 + earlier)) for n papers of `years` [n] (0: unknown), from their
    `cosines` [n, m] with papers of the years `others` [m]: of those that are `SIMILAR`, how many appeared in
    the `YEARS` after a paper and are `early` [m] enough to be evidence, and how many in any year before it.
    Papers of its own year, and of unknown years, count for neither; 0 for a paper of unknown year."""
    places, similar = np.nonzero(cosines > SIMILAR)
    own, other = years[places], others[similar]
    dated = (own > 0) & (other > 0)
    later = dated & (other > own) & (other <= own + YEARS) & early[similar]
    earlier = dated & (other < own)
    counts = [1 + np.bincount(places[each], minlength=len(years)) for each in (later, earlier)]
    ratio: Floats = np.log(counts[0] / counts[1]).astype(np.float32)
    return ratio


def best_cosines(cosines: Floats, scores: Floats) -> Floats:
    """[n] mean cosine with the `BEST` candidates, weighted by the softmax of their scores: `cosines` [n, m]
    with m candidates in descending order of their `scores` [m]; 0 if there are none. One of the best is
    compared with itself, too, so that its own weight is part of its value."""
    best = scores[:BEST]
    weights = np.exp(best - best.max(initial=-np.inf))
    weights = weights / max(weights.sum(), 1e-9)
    # Not a matrix product, whose rounding of a row depends on its position among the others.
    mean: Floats = np.einsum("nm,m->n", cosines[:, : len(best)], weights).astype(np.float32)
    return mean

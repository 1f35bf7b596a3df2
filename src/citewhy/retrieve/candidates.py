"""Candidates: what the first stages find, screened and bounded; everything after works on these alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewhy.index.arrays import Rows
from citewhy.index.engine import Hits
from citewhy.retrieve.first_stage import FirstStage
from citewhy.retrieve.scoped import ScopedQuery
from citewhy.retrieve.screening import screens
from citewhy.retrieve.sparse import union

__all__ = ["MOST", "CandidateSet", "candidates"]

MOST = 2500
"""Candidates of a query."""


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """The papers that are ranked."""

    rows: Rows
    """[n] ascending; n ≤ `MOST`."""
    found: Mapping[str, Hits]
    """By name of the first stage, what it found; not all of it need be among `rows`."""


def candidates(scoped: ScopedQuery, stages: Sequence[FirstStage], most: int = MOST) -> CandidateSet:
    """What the `stages` find and the scope admits.

    What `screened` stages find is screened, what others find is kept (`FirstStage.treatment`). Of too many,
    those stay that stand highest in some ranking.
    """
    found = {stage.name: _admitted(scoped, stage.candidates(scoped)) for stage in stages}
    screened = [found[stage.name] for stage in stages if stage.treatment == "screened"]
    kept = [found[stage.name] for stage in stages if stage.treatment != "screened"]
    kept += screens(scoped, union(*(hits.rows for hits in screened))).values() if screened else ()
    return CandidateSet(_bounded(scoped, kept, most), found)


def _admitted(scoped: ScopedQuery, hits: Hits) -> Hits:
    admitted = scoped.view.admits(hits.rows)
    return hits if admitted.all() else Hits(hits.rows[admitted], hits.scores[admitted])


def _bounded(scoped: ScopedQuery, rankings: Sequence[Hits], most: int) -> Rows:
    rows = union(*(hits.rows for hits in rankings))
    if len(rows) <= most:
        return rows
    highest: NDArray[np.int64] = np.full(len(rows), len(rows))
    for hits in rankings:
        np.minimum.at(highest, np.searchsorted(rows, hits.rows), np.arange(len(hits.rows)))
    chosen = np.lexsort((scoped.index.id_ranks(rows), highest))[:most]
    return np.sort(rows[chosen])

"""The candidates of a query: the papers that the first stages find, screened and limited in number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index import Hits
from citewhy.search.index.arrays import Rows
from citewhy.search.retrieve.first_stage import FirstStage
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.search.retrieve.screening import screens
from citewhy.search.retrieve.sparse import union

MOST = 2500
"""Maximum number of candidates of a query."""


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """The candidates of a query, for which features are computed."""

    rows: Rows
    """[n] ascending; n ≤ `MOST`."""
    found: Mapping[str, Hits]
    """The results of each first stage, by its name; they may contain papers that are not in `rows`."""


def candidates(scoped: ScopedQuery, stages: Sequence[FirstStage], most: int = MOST) -> CandidateSet:
    """The papers that the `stages` find and the scope of the query admits.

    The papers found by ``screened`` stages are screened; those found by other stages are all kept
    (`FirstStage.treatment`). If there are more than `most`, the papers with the best rank in any of the
    rankings are kept.
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

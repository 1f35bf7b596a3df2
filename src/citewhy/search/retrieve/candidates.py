"""The candidates of a query: the papers that the first stages find, screened and limited in number.

Screening selects, by cheap scores, from all papers that the first stages found by words, citations and
authors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import ModelError
from citewhy.base.trace import stage as measured
from citewhy.base.trace import traced
from citewhy.models.numbers import require_numbers
from citewhy.search.index import Hits
from citewhy.search.index.arrays import Rows
from citewhy.search.retrieve.first_stage import FirstStage
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.search.retrieve.sparse import best, union

MOST = 2500
"""Maximum number of candidates of a query."""

SCREENED = 1000
"""Number of papers that each of the two screens keeps."""

_AUTHORS = np.float32(0.03)
"""Weight of the citations of a paper's authors, which mainly order papers that were never cited."""

_OWN = np.float32(0.3)
"""Weight if an author of the draft wrote the paper, or cited it before."""

_NEIGHBOUR = np.float32(0.5)
"""Weight of closeness to the known papers in the screen by a paper's own words."""


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """The candidates of a query, for which features are computed."""

    rows: Rows
    """[n] ascending; n ≤ `MOST`."""
    hits: Mapping[str, Hits]
    """The results of each first stage, by its name; they may contain papers that are not in `rows`."""


@traced("candidates found")
def candidates(scoped: ScopedQuery, stages: Sequence[FirstStage], most: int = MOST) -> CandidateSet:
    """The papers that the `stages` find and the scope of the query admits.

    The papers found by ``screened`` stages are screened; those found by other stages are all kept
    (`FirstStage.treatment`). If there are more than `most`, the papers with the best rank in any of the
    rankings are kept.
    """
    by_stage = {stage.name: _admitted(scoped, stage) for stage in stages}
    screened = [by_stage[stage.name] for stage in stages if stage.treatment == "screened"]
    kept = [by_stage[stage.name] for stage in stages if stage.treatment != "screened"]
    kept += screens(scoped, union(*(hits.rows for hits in screened))).values() if screened else ()
    return CandidateSet(_bounded(scoped, kept, most), by_stage)


def _admitted(scoped: ScopedQuery, stage: FirstStage) -> Hits:
    """What a first stage finds. Raises ModelError for rows without papers, and scores that are not finite."""
    with measured(f"first stage: {stage.name}"):
        hits = stage.candidates(scoped)
    model = f"the first stage {stage.name}"
    require_numbers(hits.rows, (None,), model, whole=True)
    require_numbers(hits.scores, (len(hits.rows),), model)
    ends = (hits.rows.min(), hits.rows.max()) if len(hits.rows) else ()
    if not all(map(scoped.index.knows, ends)):
        raise ModelError(f"{model} finds papers that are not there", hint="leave it out")
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


def screens(scoped: ScopedQuery, rows: Rows, count: int = SCREENED) -> dict[str, Hits]:
    """The best `count` of `rows` by their own words, and by the citing sentences of others."""
    text, near = scoped.relative("text", rows), scoped.neighbours.relative(rows)
    past = scoped.history
    own_words = text + scoped.relative("text", rows, scoped.feedback_terms)
    own_words += _AUTHORS * scoped.view.facts(rows).author_citations
    own_words += _OWN * (past.written.at(rows) > 0)
    own_words += _NEIGHBOUR * near
    others = text + scoped.relative("contexts", rows) + scoped.relative("nearest_context", rows)
    others += _OWN * (past.cited.at(rows) > 0)
    others += near
    return {
        "own words": best(scoped.index, rows, own_words, count),
        "citing sentences": best(scoped.index, rows, others, count),
    }

"""The protocol of rerankers, which read the top candidates and reorder them.

The pipeline applies the rules of honest ranking (`search/rules.py`): a reranker is given, for each candidate,
the years of those citations that count for the query, and uses no other evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import FullText, Paper, Query, QueryKind, Reason
from citewhy.search.index.arrays import Floats

CitingYears = NDArray[np.int16]
"""[c] for one candidate, the years of the papers that cite it, in any order; all before that of the query."""

Need = Literal["full texts", "known papers"]
"""A reranker can require this in addition to titles, abstracts and years."""


@dataclass(frozen=True, slots=True)
class RerankRequest:
    """A query and the n candidates to rerank."""

    query: Query
    papers: Sequence[Paper]
    """[n] the candidates, in the order before reranking."""
    citing_years: Sequence[CitingYears]
    """[n] for each candidate."""
    full_texts: Sequence[FullText | None] = ()
    """[n] if the reranker needs "full texts", with None for a paper without one; otherwise empty."""
    known_papers: Sequence[Paper] = ()
    """If the reranker needs "known papers": the papers in the library that the draft cites, including the
    members of a set, in order of their ids; otherwise empty."""
    scores: Sequence[float] | Floats = ()
    """[n] those of the order before reranking, descending; empty where that order is not known: reasons are
    of what the reranker itself reads."""

    def only(self, position: int) -> RerankRequest:
        """The request for the candidate at `position` alone."""
        return RerankRequest(
            self.query,
            self.papers[position : position + 1],
            self.citing_years[position : position + 1],
            self.full_texts[position : position + 1],
            self.known_papers,
            self.scores[position : position + 1],
        )


@dataclass(frozen=True, slots=True)
class ChosenWeight:
    """The weight that validation chose for the order of a pipeline (`reranking.interpolated`). A reranker may
    have several, as its attribute `chosen_weights`."""

    pipeline: str
    weight: float
    mrr: float
    """Mean reciprocal rank of the validation queries with it."""
    before: float
    """It is what the pipeline alone achieves."""


class Reranker(Protocol):
    """A trained model that reranks candidates. Implementations are safe for use by many threads."""

    @property
    def name(self) -> str:
        """The name used in results, e.g. ``TEXTBIBENH-WS``."""
        ...

    @property
    def kinds(self) -> frozenset[QueryKind]:
        """The kinds of queries that it reranks; for others, the order is kept."""
        ...

    @property
    def depth(self) -> int:
        """Number of candidates to rerank, 1 or more; the others follow in the order before reranking."""
        ...

    @property
    def needs(self) -> frozenset[Need]:
        """The optional data that a request must contain."""
        ...

    @property
    def first_stage_weight(self) -> float:
        """Weight of the order before reranking, 0 or more (`reranking.interpolated`)."""
        ...

    def scores(self, request: RerankRequest) -> NDArray[np.float32]:
        """[n] the scores of the candidates, finite; higher is better. Raises ModelError if the model cannot
        score them."""
        ...

    def reasons(self, request: RerankRequest, position: int) -> tuple[Reason, ...]:
        """The reasons for the score of the candidate at `position`, the most important first; never empty."""
        ...

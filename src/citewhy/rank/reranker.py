"""What a reranker is: it reads the top candidates and orders them anew.

The rules of honest ranking (`rules.py`) stay with the pipeline: a reranker is told of each candidate in which
years papers cited it, as far as that counts for the query, and looks nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from citewhy.records import FullText, Paper, Query, QueryKind, Reason

__all__ = ["CitingYears", "Need", "RerankRequest", "Reranker"]

CitingYears = NDArray[np.int16]
"""[c] for one candidate, the years of the papers that cite it, in any order; all are before the query's."""

Need = Literal["full texts", "known papers"]
"""What a reranker can ask for beside titles, abstracts and years."""


@dataclass(frozen=True, slots=True)
class RerankRequest:
    """A query and the n candidates that are to be reordered."""

    query: Query
    papers: Sequence[Paper]
    """[n] the candidates, in the order so far."""
    citing_years: Sequence[CitingYears]
    """[n]."""
    full_texts: Sequence[FullText | None] = ()
    """[n] where "full texts" are needed, None for a paper without one; else empty."""
    known_papers: Sequence[Paper] = ()
    """Where "known papers" are needed: those that the draft cites, the members of a set among them, as far as
    the library has them, in order of their ids; else empty."""

    def only(self, place: int) -> RerankRequest:
        """The same about one candidate."""
        return RerankRequest(
            self.query,
            self.papers[place : place + 1],
            self.citing_years[place : place + 1],
            self.full_texts[place : place + 1],
            self.known_papers,
        )


class Reranker(Protocol):
    """A trained model, opened. Threads share it."""

    @property
    def name(self) -> str:
        """What results are called by, e.g. ``TEXTBIBENH-WS``."""
        ...

    @property
    def kinds(self) -> frozenset[QueryKind]:
        """Kinds of queries that it answers; others keep the order that they have."""
        ...

    @property
    def depth(self) -> int:
        """Candidates that are reordered, 1 or more; those behind keep their order after them."""
        ...

    @property
    def needs(self) -> frozenset[Need]:
        """What a request has to hold."""
        ...

    @property
    def first_stage_weight(self) -> float:
        """What the order so far counts beside the scores, 0 or more (`reranking.interpolated`)."""
        ...

    def scores(self, request: RerankRequest) -> NDArray[np.float32]:
        """[n] higher is better."""
        ...

    def reasons(self, request: RerankRequest, place: int) -> tuple[Reason, ...]:
        """What decided the score of the candidate at `place`, in sentences for people; the weightiest first,
        never empty."""
        ...

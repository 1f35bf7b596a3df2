"""What a reranker is: it reads the first candidates of the first stage again, and orders them anew.

The rules of honest ranking (`retrieve/rules.py`) stay with the pipeline: a reranker is told of each
candidate in which years papers cited it, as far as that counts for the query, and looks nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citewhy.records import Paper, Query, QueryKind, Reason

__all__ = ["CitedIn", "Reranker"]

CitedIn = NDArray[np.int16]
"""[c] for one candidate, the years of the papers that cite it, in any order; all are before the
query's year."""


class Reranker(Protocol):
    """A trained folder, opened."""

    @property
    def name(self) -> str:
        """What results are called by, e.g. ``TEXTBIBENH-WS``."""

    @property
    def kinds(self) -> frozenset[QueryKind]:
        """Queries that it reads; others keep the first stage's order."""

    @property
    def depth(self) -> int:
        """Candidates of the first stage that are read; those behind keep their order after them."""

    @property
    def first_stage_weight(self) -> float:
        """What the first stage's order counts beside the scores, 0 or more (`rereading.interpolated`)."""

    def scores(
        self, query: Query, papers: Sequence[Paper], cited_in: Sequence[CitedIn]
    ) -> NDArray[np.float32]:
        """[n] higher is better, for the n candidates `papers`."""

    def reasons(self, query: Query, paper: Paper, cited_in: CitedIn) -> tuple[Reason, ...]:
        """What decided the reranker's score of one candidate, in sentences for people; the weightiest first,
        never empty."""

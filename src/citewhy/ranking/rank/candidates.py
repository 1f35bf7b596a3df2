"""Ranked papers as records."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import overload

from citewhy.base.records import Candidate
from citewhy.ranking.rank.ranked import FeatureRow, Ranked
from citewhy.search.index import Index


class Candidates(Sequence[Candidate]):
    """Ranked papers, best first. Each `Candidate` is created on access, since most of a thousand are never
    used."""

    def __init__(self, ranked: Ranked, index: Index) -> None:
        self._ranked = ranked
        self._index = index

    @functools.cached_property
    def ids(self) -> list[str]:
        """Paper ids, best first."""
        return self._index.ids(self._ranked.rows)

    def __len__(self) -> int:
        return len(self._ranked.rows)

    @overload
    def __getitem__(self, position: int) -> Candidate: ...
    @overload
    def __getitem__(self, position: slice) -> list[Candidate]: ...
    def __getitem__(self, position: int | slice) -> Candidate | list[Candidate]:
        if isinstance(position, slice):
            return [self[number] for number in range(*position.indices(len(self)))]
        paper_id = self.ids[position]  # raises IndexError at the end of an iteration
        ranked = self._ranked
        sure = float(ranked.probabilities[position]) if len(ranked.probabilities) else None
        return Candidate(paper_id, float(ranked.scores[position]), FeatureRow(ranked.table, position), sure)

"""The protocol of first stages, which retrieve candidate papers for a query."""

from __future__ import annotations

from typing import Literal, Protocol

from citewhy.search.index import Hits
from citewhy.search.retrieve.scoped import ScopedQuery

Treatment = Literal["screened", "kept", "fused"]
"""How the papers that a first stage finds are used:

``screened``   screening (`candidates.screens`), which uses the scores of the stage, selects candidates from
               them
``kept``       all of them are candidates, and features of the ranker represent the scores of the stage
``fused``      all of them are candidates, but no feature represents the stage: its ranking is fused with that
               of the ranker, so that papers found by it alone can be suggested. First stages of other
               packages are of this kind
"""


class FirstStage(Protocol):
    """A way to retrieve papers for a query. Implementations are safe for use by many threads."""

    @property
    def name(self) -> str:
        """The name shown to users and in results, such as "citing contexts"; unique within a pipeline."""
        ...

    @property
    def treatment(self) -> Treatment:
        """How the papers that it finds are used."""

    def candidates(self, scoped: ScopedQuery) -> Hits:
        """The best papers with their scores, on any scale. Papers that are no candidates within the scope are
        removed afterwards."""
        ...

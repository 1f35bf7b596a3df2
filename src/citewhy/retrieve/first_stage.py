"""What a first stage is: one way to find papers for a query."""

from __future__ import annotations

from typing import Literal, Protocol

from citewhy.index.engine import Hits
from citewhy.retrieve.scoped import ScopedQuery

__all__ = ["FirstStage", "Treatment"]

Treatment = Literal["screened", "kept", "fused"]
"""What becomes of the papers that a stage finds:

``screened``   the screening (`retrieve.screening`), which knows the stage's scores, picks candidates from
               them
``kept``       they are candidates, and the ranker's features tell how well the stage thinks of them
``fused``      they are candidates, and no feature tells of the stage: its ranking is fused with the ranker's,
               so that what it alone finds can come into the answer. A stage from elsewhere is of this kind
"""


class FirstStage(Protocol):
    """Threads share it."""

    @property
    def name(self) -> str:
        """For people and results, as "citing contexts"; another one for each stage of a pipeline."""
        ...

    @property
    def treatment(self) -> Treatment: ...

    def candidates(self, scoped: ScopedQuery) -> Hits:
        """Its best papers with their scores, in whatever unit; those that are no candidates as of the scope
        are left out afterwards."""
        ...

"""The linker protocol: finding the sentences of a paper to which a citing sentence refers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import FullText


@dataclass(frozen=True, slots=True)
class Link:
    """The target of a citing sentence: indices ``[first, last]`` of the paper's sentences, including
    `best`."""

    first: int
    last: int
    best: int
    score: float
    facet: str
    """Says what the sentence is cited for, one of `facets.FACETS`; empty if the linker does not predict
    it."""


class Linker(Protocol):
    """Implementations are thread-safe and deterministic."""

    def __call__(self, citances: Sequence[str], text: FullText, /) -> NDArray[np.float32]:
        """[citances, sentences of text], finite: higher is a more likely target.

        The row of a citing sentence does not depend on the others. Its markers may be printed ("(Och, 2003)")
        or masked as ``TARGETCIT``, ``OTHERCIT``.
        """
        ...

    def links(self, citance: str, text: FullText, k: int = 1) -> list[Link]:
        """The best `k` spans, best first, without overlaps; fewer if fewer sentences are possible targets."""
        ...

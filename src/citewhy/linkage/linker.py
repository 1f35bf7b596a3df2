"""What a linker is: the contract of the models that find the sentences which a citing sentence means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citewhy.records import FullText

__all__ = ["Link", "Linker"]


@dataclass(frozen=True, slots=True)
class Link:
    """What a citing sentence means: the places ``[first, last]`` in the paper's sentences, `best` among
    them."""

    first: int
    last: int
    best: int
    score: float
    facet: str
    """What the sentence is cited for, one of `facets.FACETS`; empty where the linker does not tell."""


class Linker(Protocol):
    """Implementations are safe for use by several threads, and answer the same whenever they are asked."""

    def __call__(self, citances: Sequence[str], text: FullText, /) -> NDArray[np.float32]:
        """[citances, sentences of text], finite: higher is more likely meant. A citing sentence's row does
        not depend on the others. Markers in it may be printed ("(Och, 2003)") or read ``TARGETCIT``,
        ``OTHERCIT``."""
        ...

    def links(self, citance: str, text: FullText, k: int = 1) -> list[Link]:
        """The best `k` spans, best first, none in another; fewer where fewer sentences could be meant."""
        ...

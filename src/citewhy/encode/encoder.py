"""What an encoder is: texts to vectors whose inner product says how well a paper answers a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Encoder", "TextKind", "Vectors"]

Vectors = NDArray[np.float32]

TextKind = Literal["query", "paper"]


class Encoder(Protocol):
    """What `open_encoder` opens is safe for use by several threads; others need not be."""

    @property
    def name(self) -> str:
        """For people."""
        ...

    @property
    def fingerprint(self) -> str:
        """Hexadecimal digest of everything that decides the vectors: another one, other vectors."""
        ...

    @property
    def dimensions(self) -> int: ...

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """[len(texts), dimensions], of length 1; of length 0 for a text without words.

        A text's vector is the same to the last bit whatever else is encoded with it, in whichever order.
        """
        ...

"""The encoder protocol: texts to vectors whose inner product tells how well a paper answers a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Encoder", "TextKind", "Vectors"]

Vectors = NDArray[np.float32]

TextKind = Literal["query", "paper"]


class Encoder(Protocol):
    """Encoders opened by `open_encoder` are thread-safe; others need not be."""

    @property
    def name(self) -> str:
        """A name for display."""
        ...

    @property
    def fingerprint(self) -> str:
        """Hexadecimal digest of everything that determines the vectors: a different fingerprint means
        different vectors."""
        ...

    @property
    def dimensions(self) -> int: ...

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """[len(texts), dimensions], of length 1; of length 0 for a text without words.

        A text's vector is the same to the last bit regardless of the other texts and their order.
        """
        ...

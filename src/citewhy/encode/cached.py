"""An encoder that encodes no text twice: for few and short texts that are asked for again and again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from citewhy.encode.encoder import Encoder, TextKind, Vectors

__all__ = ["CachedEncoder"]


class CachedEncoder:
    """`encoder`, with all its vectors in memory."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._vectors: dict[tuple[TextKind, str], Vectors] = {}

    @property
    def name(self) -> str:
        return self._encoder.name

    @property
    def fingerprint(self) -> str:
        return self._encoder.fingerprint

    @property
    def dimensions(self) -> int:
        return self._encoder.dimensions

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """As `Encoder.encode`."""
        new = [text for text in dict.fromkeys(texts) if (kind, text) not in self._vectors]
        if new:
            found = self._encoder.encode(new, kind)
            self._vectors |= {(kind, text): vector for text, vector in zip(new, found, strict=True)}
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([self._vectors[kind, text] for text in texts])

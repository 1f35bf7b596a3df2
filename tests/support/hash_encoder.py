"""A fast encoder for tests in which meaning does not matter, which records the encoded texts."""

from __future__ import annotations

import functools
import hashlib
import threading
from collections.abc import Sequence

import numpy as np

from citewhy.search.encode import TextKind, Vectors, default_encoder
from citewhy.text.tokens import stems

__all__ = ["LONG", "Gated", "HashEncoder"]

LONG = 60.0
"""Seconds within which everything ends."""


class HashEncoder:
    """The vector of a text is the sum of random vectors of its words, seeded by their hashes.

    `fail_at`: the number of the call, from 1, that raises KeyboardInterrupt.
    """

    def __init__(self, name: str = "hash", dimensions: int = 32, fail_at: int = 0) -> None:
        self.name = name
        self.dimensions = dimensions
        self.fingerprint = hashlib.blake2b(f"{name} {dimensions}".encode(), digest_size=8).hexdigest()
        self.batches: list[list[str]] = []
        """The texts of papers that were encoded in each call."""
        self._fail_at = fail_at

    @property
    def encoded(self) -> list[str]:
        """The texts of papers that were encoded so far."""
        return [text for batch in self.batches for text in batch]

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        if kind == "paper":
            if len(self.batches) + 1 == self._fail_at:
                raise KeyboardInterrupt
            self.batches.append([*texts])
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for stem in stems(text):
                vector += _word(self.name, stem, self.dimensions)
            vector /= np.linalg.norm(vector) or 1.0
        return vectors


class Gated(HashEncoder):
    """Encodes papers in the background only when its gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.fingerprint = default_encoder().fingerprint  # the ranker gives probabilities for this one only
        self.gate = threading.Event()

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        if kind == "paper" and threading.current_thread().name == "encoding":
            self.gate.wait(LONG)
        return super().encode(texts, kind)


@functools.lru_cache(maxsize=10_000)
def _word(name: str, stem: str, dimensions: int) -> Vectors:
    seed = int.from_bytes(hashlib.blake2b(f"{name} {stem}".encode(), digest_size=8).digest(), "little")
    return np.random.default_rng(seed).normal(size=dimensions).astype(np.float32)

"""An encoder with a cache of vectors, for texts that occur repeatedly."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from citewhy.base.records import Query
from citewhy.search.encode.encoder import Encoder, ReadsQueries, TextKind, Vectors

__all__ = ["CachedEncoder"]


class CachedEncoder:
    """`encoder`, with its latest vectors in memory: at most `most` of them, or all if it is None. Thread-safe
    if `encoder` is."""

    def __init__(self, encoder: Encoder, most: int | None = None) -> None:
        self._encoder = encoder
        self._most = most
        self._vectors: OrderedDict[tuple[TextKind, str], Vectors] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._encoder.name

    @property
    def fingerprint(self) -> str:
        return self._encoder.fingerprint

    @property
    def dimensions(self) -> int:
        return self._encoder.dimensions

    def query_input(self, query: Query) -> tuple[str, TextKind] | None:
        """As that of the encoder, if it has one (`encoder.ReadsQueries`)."""
        return self._encoder.query_input(query) if isinstance(self._encoder, ReadsQueries) else None

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """As `Encoder.encode`."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        with self._lock:
            known = {text: self._vectors[kind, text] for text in set(texts) if (kind, text) in self._vectors}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known |= dict(zip(new, self._encoder.encode(new, kind), strict=True))
        with self._lock:
            for text in dict.fromkeys(texts):
                self._vectors[kind, text] = known[text]
                self._vectors.move_to_end((kind, text))
            while self._most is not None and len(self._vectors) > self._most:
                self._vectors.popitem(last=False)
        return np.stack([known[text] for text in texts])

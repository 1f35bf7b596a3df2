"""The encoder protocol: texts to vectors whose inner product tells how well a paper answers a query."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Query
from citewhy.models.numbers import require_numbers
from citewhy.search.encode.texts import query_text

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


@runtime_checkable
class ReadsQueries(Protocol):
    """An encoder that was trained on queries of another form than that of `texts.query_text`."""

    def query_input(self, query: Query) -> tuple[str, TextKind] | None:
        """The text of a query, and how it is encoded; None for a query in the usual form."""
        ...


def query_input(encoder: Encoder | None, query: Query) -> tuple[str, TextKind]:
    """The text of a query for an encoder, and how it is encoded: a whole paper as a paper, anything else as a
    query, unless the encoder reads it otherwise (`ReadsQueries`)."""
    own = encoder.query_input(query) if isinstance(encoder, ReadsQueries) else None
    return own or (query_text(query), "paper" if query.kind == "global" else "query")


class EncoderAround:
    """Is known as `encoder` is, and gives its vectors; subclasses say how."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    @property
    def name(self) -> str:
        return self._encoder.name

    @property
    def fingerprint(self) -> str:
        return self._encoder.fingerprint

    @property
    def dimensions(self) -> int:
        return self._encoder.dimensions

    def _asked(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """The vectors of the encoder. Raises ModelError if they are not finite, or not its dimensions."""
        vectors = self._encoder.encode(texts, kind)
        require_numbers(vectors, (len(texts), self.dimensions), f"the encoder {self.name}")
        return vectors


class WithoutWords(EncoderAround):
    """An encoder to which every text is one without words."""

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """[len(texts), dimensions] zeros."""
        return np.zeros((len(texts), self.dimensions), dtype=np.float32)


class CachedEncoder(EncoderAround):
    """`encoder`, with its latest vectors in memory: at most `most` of them, or all if it is None. Thread-safe
    if `encoder` is."""

    def __init__(self, encoder: Encoder, most: int | None = None) -> None:
        super().__init__(encoder)
        self._most = most
        self._vectors: OrderedDict[tuple[TextKind, str], Vectors] = OrderedDict()
        self._lock = threading.Lock()

    def query_input(self, query: Query) -> tuple[str, TextKind] | None:
        """Asks the encoder, if it reads queries (`ReadsQueries`)."""
        return self._encoder.query_input(query) if isinstance(self._encoder, ReadsQueries) else None

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """Encodes texts as `Encoder.encode` does."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        with self._lock:
            known = {text: self._vectors[kind, text] for text in set(texts) if (kind, text) in self._vectors}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known |= dict(zip(new, self._asked(new, kind), strict=True))
        with self._lock:
            for text in dict.fromkeys(texts):
                self._vectors[kind, text] = known[text]
                self._vectors.move_to_end((kind, text))
            while self._most is not None and len(self._vectors) > self._most:
                self._vectors.popitem(last=False)
        return np.stack([known[text] for text in texts])

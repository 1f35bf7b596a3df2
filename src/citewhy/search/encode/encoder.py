"""The encoder protocol: texts to vectors whose inner product tells how well a paper answers a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Query
from citewhy.search.encode.texts import query_text

__all__ = ["Encoder", "ReadsQueries", "TextKind", "Vectors", "query_input"]

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

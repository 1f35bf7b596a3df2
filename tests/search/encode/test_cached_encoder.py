"""An encoder that encodes no text twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from citewhy.search.encode import CachedEncoder, TextKind, Vectors


class Counting:
    """Says how long a text is, and whether it is a paper; counts what it was asked."""

    name = "counting"
    fingerprint = "12"
    dimensions = 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        self.asked += texts
        return np.array([[len(text), kind == "paper"] for text in texts], dtype=np.float32)


def test_no_text_is_encoded_twice() -> None:
    """The same vectors, in the order of the texts, whatever was asked; another kind is another text."""
    plain = Counting()
    encoder = CachedEncoder(plain)
    assert encoder.encode(["a", "bbb", "a"], "paper").tolist() == [[1, 1], [3, 1], [1, 1]]
    assert encoder.encode(["cc", "bbb"], "paper").tolist() == [[2, 1], [3, 1]]
    assert encoder.encode(["a"], "query").tolist() == [[1, 0]]
    assert plain.asked == ["a", "bbb", "cc", "a"]
    assert encoder.encode([], "query").shape == (0, 2)
    assert (encoder.name, encoder.fingerprint, encoder.dimensions) == ("counting", "12", 2)

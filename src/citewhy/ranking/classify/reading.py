"""How a network of tokens reads a citing sentence: with those around it, and where its citation is.

    [CLS] end of the sentence before [SEP] sentence [SEP] beginning of the sentence after [SEP]

A sentence that is too long is cut around the citation in question; without one, its beginning is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_BEFORE_TARGET = 0.75
"""Share of a sentence that is cut in the middle that comes before its citation: what is said of a work is
more often before the citation than after it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence of t tokens, with those around it."""

    ids: NDArray[np.int64]
    """[t]"""
    sentence: NDArray[np.float32]
    """[t] weights with a sum of 1: of the sentence's own tokens, among them the first one of all."""
    targets: NDArray[np.float32]
    """[t] weights with a sum of 1: of the citation (`targets`)."""


@dataclass(frozen=True, slots=True)
class Layout:
    tokens: int
    """Maximum number of tokens of a sentence, with those at its beginning and end."""
    target: int
    """The token that stands for the citation in question."""
    other: int
    """The token of other citations."""
    context: int = 0
    """Maximum number of tokens of the sentence before, and of the one after."""

    def __call__(self, text: Sequence[int], before: Sequence[int] = (), after: Sequence[int] = ()) -> Reading:
        """From token ids of a sentence and of those before and after it, each with a token at its beginning
        and end."""
        inner = self._cut(text[1:-1])
        begin, end = [*text[:1]], [*text[-1:]]
        left = self._around(before[1:-1][-self.context :], end) if self.context else []
        right = self._around(after[1:-1][: self.context], end)
        ids = np.array([*begin, *left, *inner, *end, *right], dtype=np.int64)
        if not left and not right:  # most sentences: nothing to tell apart
            whole = np.full(ids.shape, 1 / max(len(ids), 1), dtype=np.float32)
            return Reading(ids, whole, targets(ids[None], self.target, self.other)[0])
        own = np.zeros(ids.shape, dtype=np.float32)
        own[0] = 1
        own[1 + len(left) : len(ids) - len(right)] = 1
        weights = np.zeros(ids.shape, dtype=np.float32)
        weights[own > 0] = targets(ids[own > 0][None], self.target, self.other)[0]
        return Reading(ids, own / own.sum(), weights)

    def _cut(self, inner: Sequence[int]) -> Sequence[int]:
        most = self.tokens - 2
        position = inner.index(self.target) if self.target in inner else 0
        first = (
            max(0, min(position - int(_BEFORE_TARGET * most), len(inner) - most)) if position >= most else 0
        )
        return inner[first : first + most]

    def _around(self, inner: Sequence[int], end: Sequence[int]) -> list[int]:
        """Citations around the sentence are never the one in question."""
        return [self.other if token == self.target else token for token in inner] + [*end] * bool(inner)


def targets(ids: NDArray[np.int64], target: int, other: int) -> NDArray[np.float32]:
    """[n, t] weights, each row with a sum of 1: of the tokens `target`, else of `other`, else of all."""
    rows = np.ones(ids.shape, dtype=np.float32)
    for mark in (other, target):
        marked = ids == mark
        some = marked.any(axis=1)
        rows[some] = marked[some]
    weights: NDArray[np.float32] = rows / rows.sum(axis=1, keepdims=True)
    return weights

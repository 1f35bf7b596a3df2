"""How common words are in papers at large: a paper alone cannot tell its subject's words from everyone's."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from citewhy.records import FullText
from citewhy.text.tokens import stems

__all__ = ["Commonness"]

_LEAST = 20
"""Sentences that a stem must be in to be counted; below, it is as rare as words come."""


@dataclass(frozen=True, slots=True)
class Commonness:
    """Document frequencies of stems among the `size` sentences of a collection."""

    size: int
    counts: Mapping[str, int]

    @classmethod
    def of(cls, texts: Iterable[FullText]) -> Commonness:
        """Counted over every sentence of `texts`; stems in fewer than `_LEAST` are left out."""
        counts: Counter[str] = Counter()
        size = 0
        for text in texts:
            for sentence in text.sentences:
                counts.update(set(stems(sentence.text)))
                size += 1
        kept = {stem: count for stem, count in sorted(counts.items()) if count >= _LEAST}
        return cls(size, kept)

    @classmethod
    def checked(cls, size: int, counts: Mapping[str, int]) -> Commonness:
        """Raises TypeError or ValueError for counts that no collection of `size` sentences has."""
        if not 0 <= max(counts.values(), default=0) <= size or min(counts.values(), default=0) < 0:
            raise ValueError(f"a stem is counted more often than the {size} sentences, or less than never")
        return cls(size, counts)

    def idf(self, stem: str) -> float:
        """ln(1 + (N − n + ½) / (n + ½)), as BM25 has it; a stem that was not counted is as one in two."""
        count = self.counts.get(stem, 2)
        return math.log(1 + (max(self.size, 2) - count + 0.5) / (count + 0.5))

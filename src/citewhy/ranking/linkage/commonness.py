"""Word frequencies in papers in general: a single paper cannot tell the words of its subject from common
words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from citewhy.base.records import FullText
from citewhy.text.tokens import stems

_LEAST = 20
"""Minimum number of sentences of a stem that is counted; others have the lowest frequency."""


@dataclass(frozen=True, slots=True)
class Commonness:
    """Document frequencies of stems in the `size` sentences of a collection."""

    size: int
    counts: Mapping[str, int]

    @classmethod
    def of(cls, texts: Iterable[FullText]) -> Commonness:
        """Counted over all sentences of `texts`; stems in fewer than `_LEAST` are omitted."""
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
        """Raises TypeError or ValueError for counts that are impossible in a collection of `size`
        sentences."""
        if not 0 <= max(counts.values(), default=0) <= size or min(counts.values(), default=0) < 0:
            raise ValueError(f"a stem is counted more often than the {size} sentences, or less than never")
        return cls(size, counts)

    def idf(self, stem: str) -> float:
        """ln(1 + (N − n + ½) / (n + ½)), as in BM25; a stem that was not counted gets n = 2."""
        count = self.counts.get(stem, 2)
        return math.log(1 + (max(self.size, 2) - count + 0.5) / (count + 0.5))

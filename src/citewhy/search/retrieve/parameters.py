"""The parameters k1 and b of BM25 for each field, tuned on the contexts of one year with the evidence of the
years before."""

from __future__ import annotations

from dataclasses import dataclass, field

from citewhy.search.index.fields import BM25


@dataclass(frozen=True, slots=True)
class Parameters:
    """BM25 parameters by field (`index.fields`); `feedback` is for the texts from which feedback terms are
    taken."""

    text: BM25 = field(default_factory=lambda: BM25(k1=2.5, b=0.75))
    title: BM25 = field(default_factory=lambda: BM25(k1=1.2, b=0.75))
    nearest_context: BM25 = field(default_factory=lambda: BM25(k1=1.2, b=0.5))
    contexts: BM25 = field(default_factory=lambda: BM25(k1=2.5, b=0.75))
    feedback: BM25 = field(default_factory=lambda: BM25(k1=1.2, b=0.75))

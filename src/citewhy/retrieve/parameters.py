"""k1 and b of every use of BM25. Chosen on contexts of one year with evidence of the years before."""

from __future__ import annotations

from dataclasses import dataclass, field

from citewhy.index.fields import BM25

__all__ = ["Parameters"]


@dataclass(frozen=True, slots=True)
class Parameters:
    """By field (`index.fields`); `feedback` is that of the texts from which terms are taken."""

    text: BM25 = field(default_factory=lambda: BM25(k1=2.5, b=0.75))
    title: BM25 = field(default_factory=lambda: BM25(k1=1.2, b=0.75))
    nearest_context: BM25 = field(default_factory=lambda: BM25(k1=1.2, b=0.5))
    contexts: BM25 = field(default_factory=lambda: BM25(k1=2.5, b=0.75))
    feedback: BM25 = field(default_factory=lambda: BM25(k1=1.2, b=0.75))

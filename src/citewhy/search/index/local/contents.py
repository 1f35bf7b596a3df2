"""The contents of an opened index: the arrays of a library at one generation, memory-mapped."""

from __future__ import annotations

from dataclasses import dataclass

from citewhy.search.index.local.bm25 import Field
from citewhy.search.index.local.tables import Tables
from citewhy.search.index.local.vectors import DenseIndex, PartVectors

__all__ = ["Contents"]


@dataclass(frozen=True, eq=False)
class Contents:
    """Immutable while it is open."""

    generation: int
    """Of the library."""
    text: Field
    """Title and abstract of papers."""
    title: Field
    contexts: Field
    """Citing sentences."""
    tables: Tables
    encoder: str | None = None
    """Fingerprint of the encoder that made the vectors; None without vectors."""
    paper_vectors: DenseIndex | None = None
    part_vectors: PartVectors | None = None
    sentence_vectors: DenseIndex | None = None

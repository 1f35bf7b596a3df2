"""Dense indexes: a vector for each paper in a library, and for each sentence that cites one, in half
precision, mapped into memory (`vectors.faiss`).

Row r is the paper (or sentence) with number r; a number that is not in use has a vector of zeros. How they
are searched says `nearest`, how they follow the library `vector_folders`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from citewhy.papers.library.store import Library
from citewhy.search.encode.encoder import Encoder, TextKind
from citewhy.search.encode.texts import context_text, paper_text
from citewhy.search.index.local.encoding import Encoded, encoded
from citewhy.search.index.local.nearest import build, load, save
from citewhy.search.index.local.opened import LocalIndex
from citewhy.search.index.local.parts import open_parts
from citewhy.search.index.local.vector_folders import Save, follow
from citewhy.search.index.local.vectors import DenseIndex

__all__ = ["PAPERS", "SENTENCES", "open_dense", "with_vectors"]

_FILE = "vectors.faiss"

_COPIED = 4096
"""Vectors that are copied at once."""


@dataclass(frozen=True, slots=True)
class Collection:
    """A kind of texts of a library that is encoded."""

    name: str
    kind: TextKind
    rows: Callable[[LocalIndex], int]
    texts: Callable[[Library, int], dict[int, str]]
    """Texts by number, of what changed after a generation."""
    removed: Callable[[Library, int], list[int]]
    """Numbers that were removed after a generation."""


PAPERS = Collection(
    name="papers",
    kind="paper",
    rows=lambda index: index.tables.rows,
    texts=lambda library, since: {
        number: paper_text(paper) for number, paper in library.numbered_papers(since=since)
    },
    removed=lambda library, since: library.removed_numbers(since),
)
SENTENCES = Collection(
    name="sentences",
    kind="query",  # encoded as queries, since they are compared with queries
    rows=lambda index: len(index.tables.context_years),
    texts=lambda library, since: {
        number: context_text(context) for number, context in library.numbered_contexts(since=since)
    },
    removed=lambda library, since: library.removed_contexts(since),
)


def open_dense(
    library: Library,
    encoder: Encoder,
    index: LocalIndex,
    progress: Encoded | None = None,
    of: Collection = PAPERS,
) -> DenseIndex:
    """The dense index of the library at the generation of `index`, with its rows.

    New and changed texts are encoded first. Raises StorageError if it needs to be written and cannot be.
    """
    rows = of.rows(index)

    def make(held: DenseIndex | None, since: int) -> Save:
        codes = np.zeros((rows, encoder.dimensions), dtype=np.float16)
        if held is not None:
            for start in range(0, min(held.rows, rows), _COPIED):
                some = np.arange(start, min(start + _COPIED, held.rows, rows))
                codes[some] = held.vectors(some)
            codes[[number for number in of.removed(library, since) if number < rows]] = 0
        for numbers, vectors in encoded(library, of.texts(library, since), encoder, of.kind, progress):
            inside = numbers < rows
            codes[numbers[inside]] = vectors[inside]
        built = build(codes)
        return lambda folder: save(built, folder / _FILE)

    def opened(folder: Path, generation: int) -> DenseIndex:
        return DenseIndex(load(folder / _FILE), generation)

    return follow(of.name, library, encoder, index, rows, opened, make)


def with_vectors(
    index: LocalIndex, library: Library, encoder: Encoder, progress: Encoded | None = None
) -> LocalIndex:
    """The same index with an encoder's vectors of papers, the parts of their abstracts, and citing sentences.
    Raises what `open_dense` raises."""
    papers, sentences = (open_dense(library, encoder, index, progress, of) for of in (PAPERS, SENTENCES))
    return replace(
        index,
        encoder=encoder.fingerprint,
        paper_vectors=papers,
        part_vectors=open_parts(library, encoder, index, progress),
        sentence_vectors=sentences,
    )

"""Follows a library with the vectors of the parts of long abstracts (`encode.texts.part_texts`)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from citewhy.papers.library.store import Library
from citewhy.search.encode.encoder import Encoder
from citewhy.search.encode.texts import part_texts
from citewhy.search.index.local.encoding import Encoded, encoded
from citewhy.search.index.local.opened import LocalIndex
from citewhy.search.index.local.postings import spread
from citewhy.search.index.local.vector_folders import Save, follow
from citewhy.search.index.local.vectors import PartVectors, save_parts

__all__ = ["open_parts"]


def open_parts(
    library: Library, encoder: Encoder, index: LocalIndex, progress: Encoded | None = None
) -> PartVectors:
    """The vectors at the generation of `index`, with its rows.

    New and changed texts are encoded first. Raises StorageError if they need to be written and cannot be.
    """
    rows = index.tables.rows

    def make(held: PartVectors | None, since: int) -> Save:
        changed = {
            number: texts
            for number, paper in library.numbered_papers(since=since)
            if number < rows and ((texts := part_texts(paper)) or since)
        }
        counts = np.zeros(rows, dtype=np.int64)
        if held is not None:
            shared = min(held.rows, rows)
            counts[:shared] = held.counts[:shared]
            counts[[number for number in library.removed_numbers(since) if number < rows]] = 0
        kept = np.flatnonzero(counts)
        kept = kept[~np.isin(kept, list(changed))]
        counts[list(changed)] = [len(texts) for texts in changed.values()]
        starts = np.concatenate([[0], np.cumsum(counts)])
        codes = np.zeros((starts[-1], encoder.dimensions), dtype=np.float16)
        if held is not None:
            codes[spread(starts[kept], starts[kept + 1])[1]] = held.codes(kept)[1]
        fresh = {
            int(starts[number]) + place: text
            for number, texts in changed.items()
            for place, text in enumerate(texts)
        }
        for numbers, vectors in encoded(library, fresh, encoder, "paper", progress):
            codes[numbers] = vectors
        return lambda folder: save_parts(folder, starts, codes)

    def opened(folder: Path, generation: int) -> PartVectors:
        return PartVectors(folder, generation, encoder.dimensions)

    return follow("parts", library, encoder, index, rows, opened, make)

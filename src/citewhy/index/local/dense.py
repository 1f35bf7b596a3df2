"""Dense indexes: a vector for each paper of a library, and for each sentence that cites one, in half
precision, mapped into memory.

    vectors/
      cache.sqlite                  vectors by text and encoder (`vector_cache`)
      papers-<fingerprint>/         of one encoder: vectors.faiss, manifest.json with the library's generation
      sentences-<fingerprint>/      the same

Row r is the paper (or sentence) with number r; a number that is not in use has a vector of zeros. How they
are searched says `nearest`. The library is the truth: what is missing, behind or damaged is made again, from
the cache where a vector is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.artifact import folder_aside, one_writer, read_manifest, write_manifest
from citewhy.encode.encoder import Encoder, TextKind, Vectors
from citewhy.encode.texts import context_text, paper_text
from citewhy.errors import DamagedError
from citewhy.index.local.nearest import build, load, save, search
from citewhy.index.local.snapshot import Index
from citewhy.index.local.vector_cache import VectorCache, vector_key
from citewhy.library.store import Library

__all__ = ["PAPERS", "SENTENCES", "DenseIndex", "Encoded", "open_dense"]

_FILE = "vectors.faiss"
_LAYOUT = 1
_ATTEMPTS = 5

_COPIED = 4096
"""Vectors that are taken over at once."""

_COMMITTED = 256
"""Texts after which vectors are kept: what an interruption costs at most."""

Encoded = Callable[[int, int], None]
"""Called with the number of texts that have a vector now, and of those that need one."""


@dataclass(frozen=True, slots=True)
class Collection:
    """What of a library is encoded."""

    name: str
    kind: TextKind
    rows: Callable[[Index], int]
    texts: Callable[[Library, int], dict[int, str]]
    """Texts by number of what changed after a generation."""
    removed: Callable[[Library, int], list[int]]
    """Numbers that stopped to be in use after a generation."""


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
    kind="query",  # what they are compared with are queries: sentences that are to cite
    rows=lambda index: len(index.tables.context_years),
    texts=lambda library, since: {
        number: context_text(context) for number, context in library.numbered_contexts(since=since)
    },
    removed=lambda library, since: library.removed_contexts(since),
)


class DenseIndex:
    """The vectors of one collection, as it was at one generation."""

    def __init__(self, vectors: Any, generation: int) -> None:
        self._vectors = vectors
        self.generation = generation

    @property
    def rows(self) -> int:
        return int(self._vectors.ntotal)

    def nearest(
        self, query: Vectors, count: int, allowed: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Rows among those that are `allowed` [R], their inner products with `query` [d], largest first.

        Ties stand in no order; which of those at the end are there is left to chance.
        """
        return search(self._vectors, query, count, allowed)

    def scores(self, query: Vectors, rows: NDArray[Any]) -> NDArray[np.float32]:
        """[n] inner products of `query` [d] with the vectors of `rows` [n]."""
        if not len(rows):
            return np.zeros(0, dtype=np.float32)
        # Row by row, so that a paper's score does not depend on the papers beside it.
        products: NDArray[np.float32] = np.einsum("nd,d->n", self.vectors(rows), query)
        return products

    def vectors(self, rows: NDArray[Any]) -> Vectors:
        """[n, d]."""
        found: Vectors = self._vectors.reconstruct_batch(np.asarray(rows, dtype=np.int64))
        return found


def open_dense(
    library: Library,
    encoder: Encoder,
    index: Index,
    tell: Encoded | None = None,
    of: Collection = PAPERS,
) -> DenseIndex:
    """The dense index of the library at the generation of `index`, with its rows.

    What is new or changed since it was last open is encoded first. Raises StorageError where it has to be
    written and cannot be.
    """
    folder = library.folder / "vectors" / f"{of.name}-{encoder.fingerprint}"
    generation, rows = index.generation, of.rows(index)
    for _ in range(_ATTEMPTS):
        held = _load(folder, library)
        if held is not None and held.generation == generation and held.rows == rows:
            return held
        _write(folder, library, encoder, of, generation, rows, held, tell or (lambda _done, _all: None))
    raise DamagedError("the vectors change faster than they can be read", path=folder, hint="try again")


def _load(folder: Path, library: Library) -> DenseIndex | None:
    """None where there is none that is whole, and of what the library is or was."""
    try:
        facts = read_manifest(folder)
        if facts["layout"] != _LAYOUT or facts["mark"] != library.mark_of(facts["generation"]):
            return None
        return DenseIndex(load(folder / _FILE), facts["generation"])
    except (DamagedError, KeyError, RuntimeError):  # RuntimeError is all that faiss raises
        return None


def _write(
    folder: Path,
    library: Library,
    encoder: Encoder,
    of: Collection,
    generation: int,
    rows: int,
    held: DenseIndex | None,
    tell: Encoded,
) -> None:
    since = 0 if held is None or held.generation > generation else held.generation
    codes = np.zeros((rows, encoder.dimensions), dtype=np.float16)
    if held is not None and since:
        for start in range(0, min(held.rows, rows), _COPIED):
            some = np.arange(start, min(start + _COPIED, held.rows, rows))
            codes[some] = held.vectors(some)
        codes[[number for number in of.removed(library, since) if number < rows]] = 0
    with VectorCache(folder.parent / "cache.sqlite", encoder.dimensions) as cache:
        for numbers, vectors in _encoded(of.texts(library, since), encoder, of.kind, cache, tell):
            inside = numbers < rows
            codes[numbers[inside]] = vectors[inside]
    index = build(codes)
    # Processes may all encode meanwhile.
    with one_writer(folder.parent, "vectors cannot be kept"), folder_aside(folder) as aside:
        save(index, aside / _FILE)
        write_manifest(
            aside,
            {
                "layout": _LAYOUT,
                "encoder": encoder.name,
                "generation": generation,
                "mark": library.mark_of(generation),
            },
        )


def _encoded(
    texts: dict[int, str], encoder: Encoder, kind: TextKind, cache: VectorCache, tell: Encoded
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float16]]]:
    """Numbers and vectors of `texts`, in groups."""
    done, everything = 0, len(texts)
    numbers = sorted(texts)
    if texts:
        tell(done, everything)
    for start in range(0, everything, _COMMITTED):
        some = numbers[start : start + _COMMITTED]
        keys = {number: vector_key(texts[number], encoder.fingerprint, kind) for number in some}
        known = cache.get(list(keys.values()))
        missing = {keys[number]: texts[number] for number in some if keys[number] not in known}
        if missing:
            vectors = encoder.encode(list(missing.values()), kind).astype(np.float16)
            fresh = dict(zip(missing, vectors, strict=True))
            cache.put(fresh)
            known |= fresh
        done += len(some)
        tell(done, everything)
        yield np.array(some, dtype=np.int64), np.stack([known[keys[number]] for number in some])

"""Dense indexes: a vector for each paper in a library, and for each sentence that cites one, in half
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
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewhy.artifact import folder_aside, one_writer, read_manifest, write_manifest
from citewhy.encode.encoder import Encoder, TextKind, Vectors
from citewhy.encode.texts import context_text, paper_text
from citewhy.errors import DamagedError, ModelError
from citewhy.index.local.nearest import build, load, save
from citewhy.index.local.opened import LocalIndex
from citewhy.index.local.vector_cache import VectorCache, vector_key
from citewhy.index.local.vectors import DenseIndex
from citewhy.library.store import Library

__all__ = ["PAPERS", "SENTENCES", "Encoded", "open_dense", "with_vectors"]

_FILE = "vectors.faiss"
_LAYOUT = 1
_ATTEMPTS = 5

_COPIED = 4096
"""Vectors that are copied at once."""

_LENGTH_ERROR = 0.01
"""How far the length of a vector may be from 1; in half precision."""

_COMMITTED = 256
"""Number of texts after which vectors are saved; at most these are lost by an interruption."""

Encoded = Callable[[int, int], None]
"""Called with the number of texts that have been encoded, and of those that need to be."""


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
    tell: Encoded | None = None,
    of: Collection = PAPERS,
) -> DenseIndex:
    """The dense index of the library at the generation of `index`, with its rows.

    New and changed texts are encoded first. Raises StorageError if it needs to be written and cannot be.
    """
    folder = library.folder / "vectors" / f"{of.name}-{encoder.fingerprint}"
    generation, rows = index.generation, of.rows(index)
    for _ in range(_ATTEMPTS):
        held = _load(folder, library)
        if held is not None and held.generation == generation and held.rows == rows:
            return held
        _write(folder, library, encoder, of, generation, rows, held, tell or (lambda _done, _all: None))
    raise DamagedError("the vectors change faster than they can be read", path=folder, hint="try again")


def with_vectors(
    index: LocalIndex, library: Library, encoder: Encoder, tell: Encoded | None = None
) -> LocalIndex:
    """The same index with an encoder's vectors of papers and citing sentences. Raises what `open_dense`
    raises."""
    papers, sentences = (open_dense(library, encoder, index, tell, of) for of in (PAPERS, SENTENCES))
    return replace(index, encoder=encoder.fingerprint, paper_vectors=papers, sentence_vectors=sentences)


def _load(folder: Path, library: Library) -> DenseIndex | None:
    """None if there is no intact one of this library."""
    try:
        facts = read_manifest(folder)
        if facts["layout"] != _LAYOUT or facts["mark"] != library.mark_of(facts["generation"]):
            return None
        return DenseIndex(load(folder / _FILE), facts["generation"])
    except (DamagedError, KeyError, RuntimeError):  # faiss raises only RuntimeError
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
    # Other processes may encode at the same time.
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
    """Numbers and vectors of `texts`, in batches."""
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
            vectors = _proved(encoder.encode(list(missing.values()), kind), encoder).astype(np.float16)
            fresh = dict(zip(missing, vectors, strict=True))
            cache.put(fresh)
            known |= fresh
        done += len(some)
        tell(done, everything)
        yield np.array(some, dtype=np.int64), np.stack([known[keys[number]] for number in some])


def _proved(vectors: Vectors, encoder: Encoder) -> Vectors:
    """The vectors, if each has length 1, or 0 for a text without words. Raises ModelError."""
    lengths = np.linalg.norm(vectors.astype(np.float32), axis=1)
    wrong = ~((np.abs(lengths - 1.0) <= _LENGTH_ERROR) | (lengths == 0.0))
    if wrong.any():
        raise ModelError(
            f"the encoder {encoder.name} made a vector of length {lengths[wrong][0]:g}, expected 1",
            hint="use another encoder, or repair this one",
        )
    return vectors

"""Encodes the texts of a library, each once: what is in the cache is taken from there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import ModelError
from citewhy.papers.library.store import Library
from citewhy.search.encode.encoder import Encoder, TextKind, Vectors
from citewhy.search.index.local.vector_cache import VectorCache, vector_key

__all__ = ["Encoded", "encoded"]

_LENGTH_ERROR = 0.01
"""How far the length of a vector may be from 1; in half precision."""

_COMMITTED = 256
"""Number of texts after which vectors are saved; at most these are lost by an interruption."""

Encoded = Callable[[int, int], None]
"""Called with the number of texts that have been encoded, and of those that need to be."""


def encoded(
    library: Library,
    texts: Mapping[int, str],
    encoder: Encoder,
    kind: TextKind,
    progress: Encoded | None = None,
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float16]]]:
    """Ascending numbers and vectors of `texts`, which are of a library, in batches."""
    done, everything = 0, len(texts)
    numbers = sorted(texts)
    if texts and progress:
        progress(done, everything)
    with VectorCache(library.folder / "vectors" / "cache.sqlite", encoder.dimensions) as cache:
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
            if progress:
                progress(done, everything)
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

"""Merges segments of batches of documents into one, on disk, with the memory of a piece of it.

The files are those that one segment of all documents would have (`PostingsBuilder`), to the last byte: terms
are sorted, documents keep their order, and the documents of a term are those of the first batch, then those
of the second, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index.arrays import ArrayWriter, map_array, offsets, save_array

_AT_ONCE = 1 << 21
"""Elements that are read at once, if no single term has more."""

_Spans = Iterator[tuple[int, int]]


class _Batch:
    """The arrays of a batch: the small ones in memory, of the others what is asked for. Nothing stays mapped,
    or all of it would be in memory in the end."""

    def __init__(self, folder: Path, prefix: str) -> None:
        self._folder, self._prefix = folder, prefix

    def all(self, field: str) -> NDArray[Any]:
        return np.array(map_array(self._path(field)))

    def _path(self, field: str) -> Path:
        return self._folder / f"{self._prefix}.{field}.npy"

    def some(self, field: str, start: int, end: int) -> NDArray[Any]:
        """The elements from `start` to before `end`."""
        return np.array(map_array(self._path(field))[start:end])


def merge_postings(folders: Sequence[Path], prefix: str, into: Path) -> None:
    """Merges the `Postings` that were saved as `prefix` in `folders`, at least one, into the folder `into`.

    The numbers of the documents of a folder are higher than those of the folders before it.
    """
    batches = [_Batch(folder, prefix) for folder in folders]
    names = [batch.all("terms") for batch in batches]
    terms = np.unique(np.concatenate(names))
    places = [np.searchsorted(terms, some).astype(np.int32) for some in names]
    del names

    def save(field: str, array: NDArray[Any]) -> None:
        save_array(into / f"{prefix}.{field}.npy", array)

    def writer(field: str, length: int, dtype: Any) -> ArrayWriter:
        return ArrayWriter(into / f"{prefix}.{field}.npy", length, np.dtype(dtype))

    save("terms", terms)
    starts = [batch.all("starts") for batch in batches]
    counts = np.zeros(len(terms), dtype=np.int64)
    for place, own in zip(places, starts, strict=True):
        counts[place] += np.diff(own)
    save("starts", offsets(counts))
    total = int(counts.sum())
    with ExitStack() as stack:
        documents = stack.enter_context(writer("documents", total, np.int32))
        frequencies = stack.enter_context(writer("frequencies", total, np.uint8))
        for first, last in _pieces(offsets(counts)):
            order, spans = _by_term(places, starts, first, last)
            documents.write(_gathered(batches, "documents", spans)[order])
            frequencies.write(_gathered(batches, "frequencies", spans)[order])
    for field in ("numbers", "lengths"):
        save(field, np.concatenate([batch.all(field) for batch in batches]))
    sizes = [np.diff(batch.all("forward_starts")) for batch in batches]
    save("forward_starts", offsets(np.concatenate(sizes)))
    words = [int(batch.all("lengths").sum(dtype=np.int64)) for batch in batches]
    ends = [int(own[-1]) for own in starts]
    _renumbered(batches, "forward_terms", ends, places, writer)
    _renumbered(batches, "sequence", words, places, writer)
    with writer("forward_frequencies", total, np.uint8) as file:
        for batch, end in zip(batches, ends, strict=True):
            for start, stop in _ranges(end):
                file.write(batch.some("forward_frequencies", start, stop))


def _renumbered(
    batches: Sequence[_Batch],
    field: str,
    lengths: Sequence[int],
    places: Sequence[NDArray[np.int32]],
    writer: Callable[[str, int, Any], ArrayWriter],
) -> None:
    """Concatenates indices of terms, which become those of all terms."""
    with writer(field, sum(lengths), np.int32) as file:
        for batch, length, place in zip(batches, lengths, places, strict=True):
            for start, stop in _ranges(length):
                file.write(place[batch.some(field, start, stop)])


def _by_term(
    places: Sequence[NDArray[np.int32]], starts: Sequence[NDArray[np.int64]], first: int, last: int
) -> tuple[NDArray[np.int64], list[tuple[int, int]]]:
    """For the terms from `first` to before `last`: the span of each batch's postings, and the order of all of
    them by term."""
    owners, spans = [], []
    for place, own in zip(places, starts, strict=True):
        begin, end = np.searchsorted(place, [first, last])
        owners.append(np.repeat(place[begin:end], np.diff(own[begin : end + 1])))
        spans.append((int(own[begin]), int(own[end])))
    return np.argsort(np.concatenate(owners), kind="stable"), spans


def _gathered(batches: Sequence[_Batch], field: str, spans: Sequence[tuple[int, int]]) -> NDArray[Any]:
    return np.concatenate(
        [batch.some(field, start, end) for batch, (start, end) in zip(batches, spans, strict=True)]
    )


def _pieces(starts: NDArray[np.int64]) -> _Spans:
    """Ranges of terms with about `_AT_ONCE` postings."""
    cuts = np.searchsorted(starts, np.arange(_AT_ONCE, int(starts[-1]), _AT_ONCE))
    edges = np.unique(np.concatenate([[0], cuts, [len(starts) - 1]])).tolist()
    return pairwise(edges)


def _ranges(length: int) -> _Spans:
    return ((start, min(start + _AT_ONCE, length)) for start in range(0, length, _AT_ONCE))

"""An immutable inverted index: for each term, the documents that contain it.

Term frequencies are stored rather than scores: k1, b and the documents that count are chosen at query time,
so that one index answers as of any year. Documents are numbered by the caller; a number is an index into
every array of scores.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index.arrays import Ints32, map_array, offsets, save_array, spread
from citewhy.search.index.proved import Proofs, ProvedArray

_LONGEST_TERM = 40
"""Bytes of a term that are kept; longer ones in papers are extraction errors."""

_LARGEST_FREQUENCY = 255

_MOST_ABSENT = 4096
"""Numbers of documents that are missing among those of a segment, up to which they are looked up."""

_LARGEST = ("documents", "frequencies", "forward_terms", "forward_frequencies", "sequence")
"""The arrays with an element for each word, or distinct word, of each document."""


@dataclass(frozen=True, eq=False)
class Postings:
    """Term → documents with frequency, and document → terms.

    With T terms, P postings and D documents of N terms:
    """

    terms: NDArray[np.bytes_]
    """[T], sorted."""
    starts: NDArray[np.int64]
    """[T + 1]: term t has the postings ``starts[t]:starts[t + 1]``."""
    documents: Ints32
    """[P] document numbers, ascending within a term."""
    frequencies: NDArray[np.uint8]
    """[P], at most 255."""
    numbers: Ints32
    """[D] document numbers, ascending."""
    lengths: Ints32
    """[D] number of terms in each document, with repetitions."""
    forward_starts: NDArray[np.int64]
    """[D + 1]: document d (index in `numbers`) has ``forward_terms[forward_starts[d]:…]``."""
    forward_terms: Ints32
    """[P] indices in `terms`."""
    forward_frequencies: NDArray[np.uint8]
    """[P]."""
    sequence: Ints32
    """[N] indices in `terms`, in the order of the text, document by document."""

    def find(self, names: NDArray[np.bytes_]) -> NDArray[np.int64]:
        """Indices of terms, -1 for those that no document contains. `names_of` makes the argument."""
        if not len(self.terms):
            return np.full(len(names), -1, dtype=np.int64)
        positions = np.searchsorted(self.terms, names)
        positions[positions == len(self.terms)] = 0
        return np.where(self.terms[positions] == names, positions, -1)

    def living(self, alive: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """[T] number of the documents of each term that are `alive` (by number; None: all are)."""
        counts: NDArray[np.int64] = np.diff(self.starts).astype(np.int64)
        if alive is not None:  # mostly few are not
            _, terms, _ = self.vectors(np.flatnonzero(~alive[self.numbers]))
            counts -= np.bincount(terms, minlength=len(counts))
        return counts

    def having(
        self, names: NDArray[np.bytes_]
    ) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.float32]]:
        """[n] the number of documents that contain each term, and these documents with their frequencies,
        grouped by term."""
        positions = self.find(names)
        starts, ends = self.starts[positions], self.starts[positions + 1]
        # Index -1 of a missing term gives an empty range: from the end to the beginning.
        spans = [slice(start, end) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        documents = [self.documents[:0], *(self.documents[span] for span in spans)]
        frequencies = [self.frequencies[:0], *(self.frequencies[span] for span in spans)]
        return (
            np.maximum(ends - starts, 0),
            np.concatenate(documents, dtype=np.intp),
            np.concatenate(frequencies, dtype=np.float32),
        )

    def pieces(self, names: NDArray[np.bytes_], size: int) -> Iterator[tuple[int, Ints32, NDArray[np.uint8]]]:
        """The documents that contain each term with their frequencies, as `having`, in pieces of at most
        `size`, each with the index of its term in `names`."""
        positions = self.find(names)
        bounds = zip(self.starts[positions].tolist(), self.starts[positions + 1].tolist(), strict=True)
        for number, (start, end) in enumerate(bounds):
            if start < end:
                documents, frequencies = self.documents[start:end], self.frequencies[start:end]
                for left in range(0, end - start, size):
                    yield number, documents[left : left + size], frequencies[left : left + size]

    def rows(self, numbers: Ints32) -> NDArray[np.int64]:
        """Indices of documents in `numbers` and `lengths`, -1 for those that are not in it."""
        if not len(self.numbers):
            return np.full(len(numbers), -1, dtype=np.int64)
        absent = self._absent
        if absent is not None:
            wanted, first = numbers.astype(np.int64), int(self.numbers[0])
            before = np.searchsorted(absent, wanted)
            there = (wanted >= first) & (wanted <= self.numbers[-1])
            if len(absent):
                there &= absent[np.minimum(before, len(absent) - 1)] != wanted
            return np.where(there, wanted - first - before, -1)
        rows = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        return np.where(self.numbers[rows] == numbers, rows, -1)

    @cached_property
    def _absent(self) -> NDArray[np.int64] | None:
        """The numbers between the first document and the last that none has, ascending; None if they are
        many. Mostly they are few, and tell the row of a document sooner than a search among all numbers."""
        steps = np.diff(self.numbers)
        gaps = np.flatnonzero(steps > 1)
        if int(steps[gaps].sum()) - len(gaps) > _MOST_ABSENT:
            return None
        after = self.numbers[gaps].astype(np.int64) + 1
        return after[:0] if not len(gaps) else spread(after, after + steps[gaps] - 1)[1]

    def vectors(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], Ints32, NDArray[np.uint8]]:
        """The terms of the documents at `rows`, grouped by document: for each the index of its document in
        the argument, its index in `terms`, and its frequency."""
        starts, ends = self.forward_starts[rows], self.forward_starts[rows + 1]
        repeated, positions = spread(starts, ends)
        terms = _between(self.forward_terms, starts, ends, positions)
        return repeated, terms, _between(self.forward_frequencies, starts, ends, positions)

    def sequences(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], Ints32]:
        """[n + 1] and the terms of the documents at `rows` in the order of the text, one document after the
        other: where those of each begin, and the index of each in `terms`."""
        starts, ends = self._sequence_starts[rows], self._sequence_starts[rows + 1]
        begins = offsets(ends - starts)
        places = np.arange(begins[-1])
        places += np.repeat(starts - begins[:-1], ends - starts)
        return begins, _between(self.sequence, starts, ends, places)

    def first(self, rows: NDArray[np.int64], number: int) -> Ints32:
        """[n] the term with a `number`, from 0, of each of the documents at `rows`, all of which have so
        many."""
        return self.sequence[self._sequence_starts[rows] + number]

    @cached_property
    def _sequence_starts(self) -> NDArray[np.int64]:
        """[D + 1]: document d has ``sequence[_sequence_starts[d]:…]``."""
        return offsets(self.lengths)

    def save(self, folder: Path, name: str) -> None:
        """Writes one ``.npy`` file for each array, named ``name.field.npy``."""
        for field in fields(self):
            save_array(folder / f"{name}.{field.name}.npy", getattr(self, field.name))

    @classmethod
    def load(cls, folder: Path, name: str, proofs: Proofs = lambda _file: None) -> Postings:
        """Maps the files into memory; nothing is read before it is needed. What has `proofs` is verified when
        it is read."""
        arrays: dict[str, Any] = {}
        for field in fields(cls):
            file = f"{name}.{field.name}.npy"
            proof = proofs(file) if field.name in _LARGEST else None
            path = folder / file
            arrays[field.name] = map_array(path) if proof is None else ProvedArray(path, proof)
        return cls(**arrays)

    @staticmethod
    def largest(name: str) -> set[str]:
        """The files that `load` can verify when they are read."""
        return {f"{name}.{field}.npy" for field in _LARGEST}


def _between(
    array: Any, starts: NDArray[np.int64], ends: NDArray[np.int64], places: NDArray[np.int64]
) -> Any:
    """The elements of an array, or of a proved one, at `places`, which are between `starts` [n] and `ends`
    [n]."""
    return array.spans(starts, ends, places) if isinstance(array, ProvedArray) else array[places]


def names_of(terms: Iterable[str]) -> NDArray[np.bytes_]:
    """Terms in the format of `Postings.terms`."""
    return np.array([_encode(term) for term in terms], dtype=f"S{_LONGEST_TERM}")


def _encode(term: str) -> bytes:
    cut = term.encode()[:_LONGEST_TERM]
    return cut if term.isascii() else cut.decode(errors="ignore").encode()  # no incomplete character


class PostingsBuilder:
    """Collects documents in ascending order of their numbers, and builds `Postings` of them."""

    def __init__(self, vocabulary: dict[str, int] | None = None) -> None:
        self._vocabulary: dict[str, int] = {} if vocabulary is None else vocabulary
        self._terms = array("i")
        self._numbers = array("i")
        self._sizes = array("i")

    def add(self, number: int, terms: Iterable[str]) -> None:
        """Adds a document. Raises ValueError unless `number` is greater than the one before."""
        if self._numbers and number <= self._numbers[-1]:
            raise ValueError(f"document {number} comes after {self._numbers[-1]}")
        vocabulary = self._vocabulary
        before = len(self._terms)
        self._terms.extend([vocabulary.setdefault(term, len(vocabulary)) for term in terms])
        self._numbers.append(number)
        self._sizes.append(len(self._terms) - before)

    def build(self) -> Postings:
        """Sorts the collected documents; a second or two for the abstracts of a whole library."""
        flat = np.frombuffer(self._terms, dtype=np.int32) if self._terms else np.zeros(0, np.int32)
        numbers = np.array(self._numbers, dtype=np.int32)
        lengths = np.array(self._sizes, dtype=np.int32)
        names, used = self._sorted_terms(flat)
        rows = np.repeat(np.arange(len(numbers), dtype=np.int64), lengths)
        pairs, counts = np.unique(rows * max(len(names), 1) + used, return_counts=True)
        pair_rows, pair_terms = np.divmod(pairs, max(len(names), 1))
        frequencies = np.minimum(counts, _LARGEST_FREQUENCY).astype(np.uint8)
        by_term = np.argsort(pair_terms, kind="stable")
        return Postings(
            terms=names,
            starts=_starts(pair_terms, len(names)),
            documents=numbers[pair_rows[by_term]],
            frequencies=frequencies[by_term],
            numbers=numbers,
            lengths=lengths,
            forward_starts=_starts(pair_rows, len(numbers)),
            forward_terms=pair_terms.astype(np.int32),
            forward_frequencies=frequencies,
            sequence=used.astype(np.int32),
        )

    def _sorted_terms(self, flat: Ints32) -> tuple[NDArray[np.bytes_], NDArray[np.int64]]:
        """The terms in use, sorted, and `flat` renumbered accordingly. Terms that are equal when truncated
        are merged."""
        encoded = names_of(self._vocabulary)
        present = np.zeros(len(encoded), dtype=bool)
        present[flat] = True
        names, position = np.unique(encoded[present], return_inverse=True)
        renumber = np.zeros(len(encoded), dtype=np.int64)
        renumber[present] = position
        return names, renumber[flat]


def _starts(groups: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    starts = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(groups, minlength=n), out=starts[1:])
    return starts

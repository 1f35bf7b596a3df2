"""BM25 (`index.fields`) over several sets of postings with common statistics."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index.arrays import Floats, Ints32
from citewhy.search.index.fields import BM25
from citewhy.search.index.postings import Postings, names_of

_AT_ONCE = 16_384
"""Documents of a term that are scored at once: what is computed of them stays in the processor's cache."""


def norm(bm25: BM25, lengths: NDArray[Any], mean: float) -> Floats:
    """[D] the part of the denominator that depends on the document."""
    norms: Floats = (bm25.k1 * (1 - bm25.b + bm25.b * (lengths / mean))).astype(np.float32)
    return norms


def idf(documents: int, having: int) -> float:
    """Inverse document frequency of a term that `having` of `documents` contain."""
    return float(idfs(documents, np.array([having]))[0])


def idfs(documents: int, having: NDArray[Any]) -> NDArray[np.float64]:
    """Computes `idf` for many terms at once."""
    weights: NDArray[np.float64] = np.log1p((documents - having + 0.5) / (having + 0.5))
    return weights


@dataclass(frozen=True, slots=True)
class Matches:
    """The documents that contain each of n terms: P matches, grouped by term."""

    counts: NDArray[np.int64]
    """[n] number of documents that have each term."""
    documents: NDArray[np.intp]
    """[P] as 64-bit integers, with which NumPy indexes arrays several times as fast."""
    frequencies: Floats
    """[P]."""

    @classmethod
    def joined(cls, parts: Sequence[Matches], terms: int) -> Matches:
        """The matches of the same `terms` in several sets of documents, concatenated."""
        owners = [part.spread(np.arange(terms)) for part in parts]
        order = np.argsort(np.concatenate([np.zeros(0, np.intp), *owners]), kind="stable")
        documents = np.concatenate([np.zeros(0, np.intp), *(part.documents for part in parts)])
        frequencies = np.concatenate([np.zeros(0, np.float32), *(part.frequencies for part in parts)])
        counts = sum((part.counts for part in parts), start=np.zeros(terms, dtype=np.int64))
        return cls(counts, documents[order], frequencies[order])

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """[P] for each match the value of its term among `values` [n]."""
        return np.repeat(values, self.counts)

    def only(self, counted: NDArray[np.bool_] | None) -> Matches:
        """The matches with documents that are `counted`; None: all of them."""
        if counted is None:
            return self
        keep = counted[self.documents]
        terms = self.spread(np.arange(len(self.counts)))[keep]
        counts = np.bincount(terms, minlength=len(self.counts))
        return Matches(counts, self.documents[keep], self.frequencies[keep])

    def scores(self, weights: Iterable[float], documents: int, norms: Floats, bm25: BM25) -> Floats:
        """[len(norms)] scores for terms with the `weights`, among the given number of `documents`."""
        weighed = np.fromiter(weights, dtype=np.float64, count=len(self.counts))
        gains = (weighed * idfs(documents, self.counts) * (bm25.k1 + 1)).astype(np.float32)
        shares = norms.take(self.documents)
        shares += self.frequencies
        np.divide(self.frequencies, shares, out=shares)
        shares *= self.spread(gains)
        return self.sums(shares, len(norms))

    def sums(self, gains: Floats, rows: int) -> Floats:
        """[rows] the sum of each document's `gains` [P], added term by term."""
        sums = np.zeros(rows, dtype=np.float32)
        np.add.at(sums, self.documents, gains)
        return sums


class Field:
    """A field of all documents, in several segments; each document is valid in only one of them.

    `rows` is the size of every array of scores: the largest document number plus one. `alive[i]` marks the
    documents of segment i that no later segment replaced; None if all are valid.
    """

    def __init__(
        self, segments: Sequence[Postings], alive: Sequence[NDArray[np.bool_] | None], rows: int
    ) -> None:
        self._parts = list(zip(segments, alive, strict=True))
        self.rows = rows
        self.lengths = np.zeros(rows, dtype=np.float32)
        self.size = 0
        for postings, mask in self._parts:
            keep = slice(None) if mask is None else mask[postings.numbers]
            self.lengths[postings.numbers[keep]] = postings.lengths[keep]
            self.size += len(postings.numbers[keep])
        # The sum is exact in 64 bits, so it does not depend on the order of the documents.
        self.mean_length = max(float(self.lengths.sum(dtype=np.float64)) / max(self.size, 1), 1e-9)
        self._norms: dict[BM25, Floats] = {}

    def extended(self, postings: Postings, removed: Ints32, rows: int) -> Field:
        """A field with another segment, whose documents replace those of the same numbers, and without the
        `removed` documents. This one stays as it is."""
        gone = np.concatenate([removed, postings.numbers])
        masks: list[NDArray[np.bool_] | None] = []
        for segment, mask in self._parts:
            dead = np.isin(segment.numbers, gone)
            if dead.any():
                living = (
                    np.ones(int(segment.numbers[-1]) + 1, dtype=np.bool_) if mask is None else mask.copy()
                )
                living[segment.numbers[dead]] = False
                mask = living
            masks.append(mask)
        segments = [segment for segment, _ in self._parts]
        if not len(postings.numbers):
            return Field(segments, masks, rows)
        return Field([*segments, postings], [*masks, None], rows)

    def matches(self, terms: Sequence[str]) -> Matches:
        """The documents that contain each term, in the order of `terms`."""
        names = names_of(terms)
        parts = []
        for postings, mask in self._parts:
            parts.append(Matches(*postings.having(names)).only(mask))
        return parts[0] if len(parts) == 1 else Matches.joined(parts, len(terms))

    def document_frequencies(self, terms: Sequence[str]) -> list[int]:
        """Number of documents that contain each term."""
        counts: list[int] = self._having(names_of(terms)).tolist()
        return counts

    @functools.cached_property
    def vocabulary(self) -> tuple[list[str], NDArray[np.int64]]:
        """Returns the terms of all documents, sorted, and the number of documents that contain each."""
        names = np.unique(np.concatenate([names_of([]), *(postings.terms for postings, _ in self._parts)]))
        having = self._having(names)
        return [name.decode() for name in names[having > 0].tolist()], having[having > 0]

    def beginning_with(self, terms: Sequence[str], *, alone: bool = False) -> NDArray[np.int64]:
        """The documents whose first terms are these (at least one), in this order, or if `alone`, whose only
        terms; ascending."""
        names = names_of(terms)
        begun = [np.zeros(0, dtype=np.int32)]
        for postings, mask in self._parts:
            _, having, _ = postings.having(names[:1])
            places = postings.rows(having.astype(np.int32))
            lengths = postings.lengths[places]
            places = places[lengths == len(terms) if alone else lengths >= len(terms)]
            for number, position in enumerate(postings.find(names).tolist()):
                places = places[postings.first(places, number) == position]
            documents = postings.numbers[places]
            begun.append(documents if mask is None else documents[mask[documents]])
        return np.sort(np.concatenate(begun)).astype(np.int64)

    def scores(self, query: Mapping[str, float], bm25: BM25, matches: Matches | None = None) -> Floats:
        """[rows] scores of all documents for weighted terms; 0 for those without a common term. `matches` are
        those of the query's terms, if already known."""
        norms = self._norm(bm25)
        if matches is not None:
            return matches.scores(query.values(), self.size, norms, bm25)
        names = names_of(query)
        gains, sums = self._weighed(query, names, bm25), np.zeros(self.rows, dtype=np.float32)
        for postings, mask in self._parts:
            for number, numbers, times in postings.pieces(names, _AT_ONCE):
                documents, frequencies = numbers.astype(np.intp), times.astype(np.float32)
                if mask is not None:
                    keep = mask[documents]
                    documents, frequencies = documents[keep], frequencies[keep]
                shares = norms.take(documents)
                shares += frequencies
                np.divide(frequencies, shares, out=shares)
                shares *= gains[number]
                np.add.at(sums, documents, shares)
        return sums

    def _weighed(self, query: Mapping[str, float], names: NDArray[np.bytes_], bm25: BM25) -> Floats:
        """[n] what each term of the query adds to the score of a document that has it at most."""
        weights = np.fromiter(query.values(), dtype=np.float64, count=len(query))
        gains: Floats = (weights * idfs(self.size, self._having(names)) * (bm25.k1 + 1)).astype(np.float32)
        return gains

    def scores_of(self, documents: Ints32, query: Mapping[str, float], bm25: BM25) -> Floats:
        """[n] `scores` of `documents` [n] alone, from the terms that they have: the same to the last bit,
        since each document's gains are added in the order of the query's terms."""
        names = names_of(query)
        if len(np.unique(names)) < len(names):  # two that are equal when truncated
            return self.scores(query, bm25)[documents]
        gains, norms = self._weighed(query, names, bm25), self._norm(bm25)[documents]
        sums = np.zeros(len(documents), dtype=np.float32)
        for postings, here, rows in self.living(documents):
            owners, terms, frequencies = postings.vectors(rows)
            owner, numbers, found = _common(postings, names, owners, terms)
            owner = np.flatnonzero(here)[owner]
            times = frequencies[found].astype(np.float32)
            np.add.at(sums, owner, times / (norms[owner] + times) * gains[numbers])
        return sums

    def beyond(self, other: Field) -> Ints32:
        """The documents, ascending, in segments that `other` does not have, of which this one was
        `extended`."""
        added = [postings.numbers for postings, _ in self._parts[len(other._parts) :]]
        return np.unique(np.concatenate([np.zeros(0, dtype=np.int32), *added])).astype(np.int32)

    def cover(self, terms: Sequence[str], matches: Matches | None = None) -> Floats:
        """[rows] coverage of each document by `terms` (distinct): their share of the sum of idf over its
        distinct terms. `matches` as in `scores`."""
        matched = self.matches(terms) if matches is None else matches
        shares = matched.sums(matched.spread(idfs(self.size, matched.counts).astype(np.float32)), self.rows)
        shares /= self._rarity
        return shares

    def cover_of(self, documents: Ints32, terms: Sequence[str]) -> Floats:
        """[n] `cover` of `documents` [n] alone, from the terms that they have: the same to the last bit, as
        in `scores_of`."""
        names = names_of(terms)
        if len(np.unique(names)) < len(names):
            return self.cover(terms)[documents]
        worth = idfs(self.size, self._having(names)).astype(np.float32)
        covered, rarity = np.zeros((2, len(documents)), dtype=np.float32)
        for (postings, here, rows), rarities in zip(self.living(documents), self._rarities, strict=True):
            there = np.flatnonzero(here)
            owners, theirs, _ = postings.vectors(rows)
            np.add.at(rarity, there[owners], rarities[theirs])
            owner, numbers, _ = _common(postings, names, owners, theirs)
            np.add.at(covered, there[owner], worth[numbers])
        covered /= np.maximum(rarity, 1e-9, out=rarity)
        return covered

    def telling_terms(
        self, documents: Ints32, shares: NDArray[Any], bm25: BM25, count: int
    ) -> dict[str, float]:
        """Terms that distinguish `documents` from the rest: see `View.telling_terms`."""
        parts = [self._gains(part, documents, shares, bm25) for part in range(len(self._parts))]
        terms = [postings.terms[used] for (postings, _), (used, _) in zip(self._parts, parts, strict=True)]
        if len(parts) == 1:
            (used, weights), (names,) = parts[0], terms
            having = self._counts[0][used]
        else:
            names, position = np.unique(np.concatenate([names_of([]), *terms]), return_inverse=True)
            gains = np.concatenate([np.zeros(0), *(gains for _, gains in parts)])
            weights = np.bincount(position, weights=gains, minlength=len(names)).astype(np.float64)
            having = self._having(names)
        best = np.argsort(-weights * idfs(self.size, having), kind="stable")[:count]
        return {names[position].decode(): float(weights[position]) for position in best.tolist()}

    def living(self, documents: Ints32) -> Iterator[tuple[Postings, NDArray[np.bool_], NDArray[np.int64]]]:
        """Returns for each segment which of `documents` are valid in it, and their indices there."""
        for part in range(len(self._parts)):
            yield self._living(part, documents)

    def _living(self, part: int, documents: Ints32) -> tuple[Postings, NDArray[np.bool_], NDArray[np.int64]]:
        postings, mask = self._parts[part]
        rows = postings.rows(documents)
        here = rows >= 0
        if mask is not None:
            inside = documents < len(mask)
            here &= inside & mask[np.where(inside, documents, 0)]
        return postings, here, rows[here]

    def _gains(
        self, part: int, documents: Ints32, shares: NDArray[Any], bm25: BM25
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Indices of the terms of those of `documents` that are valid in a segment, and the sum of each."""
        postings, here, rows = self._living(part, documents)
        owners, positions, frequencies = postings.vectors(rows)
        times = frequencies.astype(np.float32)
        gains = shares[here][owners] * times / (times + self._norm(bm25)[documents[here]][owners])
        used, inverse = np.unique(positions, return_inverse=True)
        # 32-bit numbers are summed in 64 bits: exactly, regardless of order and segments.
        return used, np.bincount(inverse, weights=gains, minlength=len(used)).astype(np.float64)

    @functools.cached_property
    def _counts(self) -> list[NDArray[np.int64]]:
        """Returns for each segment the number of valid documents that contain each of its terms."""
        return [postings.living(mask) for postings, mask in self._parts]

    def _having(self, names: NDArray[np.bytes_]) -> NDArray[np.int64]:
        """[n] number of documents that contain each term."""
        counts = np.zeros(len(names), dtype=np.int64)
        for (postings, _), living in zip(self._parts, self._counts, strict=True):
            positions = postings.find(names)
            here = positions >= 0
            counts[here] += living[positions[here]]
        return counts

    @functools.cached_property
    def _rarity(self) -> Floats:
        """[rows] sum of idf over the distinct terms of each document; slightly above 0 for one without
        terms."""
        rarity = np.zeros(self.rows, dtype=np.float32)
        for (postings, mask), of_terms in zip(self._parts, self._rarities, strict=True):
            rarities = np.repeat(of_terms, np.diff(postings.starts))
            documents = np.asarray(postings.documents).astype(np.intp)
            keep = slice(None) if mask is None else mask[documents]
            np.add.at(rarity, documents[keep], rarities[keep])
        return np.maximum(rarity, 1e-9, out=rarity)

    @functools.cached_property
    def _rarities(self) -> list[Floats]:
        """For each segment, the idf of its terms."""
        return [
            idfs(self.size, self._having(postings.terms)).astype(np.float32) for postings, _ in self._parts
        ]

    def _norm(self, bm25: BM25) -> Floats:
        """[rows] the part of the denominator that depends on the document."""
        if bm25 not in self._norms:
            self._norms[bm25] = norm(bm25, self.lengths, self.mean_length)
        return self._norms[bm25]


def _common(
    postings: Postings, names: NDArray[np.bytes_], owners: NDArray[np.int64], terms: Ints32
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.intp]]:
    """Which of the `terms` of documents (`Postings.vectors`) are among `names` (distinct), in the order of
    these: the `owners` of each, its index in `names`, and its place among `terms`."""
    asked = np.full(len(postings.terms) + 1, -1, dtype=np.int32)  # the last is for unknown terms
    asked[postings.find(names)] = np.arange(len(names))
    asked[-1] = -1
    numbers = asked[terms]
    found = np.flatnonzero(numbers >= 0)
    found = found[np.argsort(numbers[found], kind="stable")]
    return owners[found], numbers[found], found

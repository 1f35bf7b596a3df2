"""The citations and citing sentences that count as of a scope, and statistics of papers derived from them.

What depends only on the year is cached: nearly all queries of a run share it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index.arrays import Floats, Rows, spread
from citewhy.search.index.bm25 import norm
from citewhy.search.index.fields import BM25
from citewhy.search.index.tables import Tables
from citewhy.search.rules import Scope

MOST_YEARS = 64
"""Number of years whose evidence, and candidates, are cached; benchmarks have few."""

_DOUBT = 5.0
"""Number of papers without citations by which a venue's mean is shrunk."""


_Value = TypeVar("_Value")


class Kept(Generic[_Value]):
    """At most `most` values by key; the oldest one is dropped first. Values are shared between threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[Hashable, _Value] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        """The value, which is made if it is missing. Threads that ask at the same time may each make one; all
        get the first."""
        with self._lock:
            if key in self._values:
                return self._values[key]
        value = make()
        with self._lock:
            if key not in self._values and len(self._values) >= self._most:
                del self._values[next(iter(self._values))]
            return self._values.setdefault(key, value)


class Evidence:
    """Holds what counts as evidence, with R rows of papers, C of citing sentences, E citations, P (sentence,
    cited paper) pairs, and D papers with citing sentences that count. Thread-safe."""

    def __init__(self, tables: Tables, citations: NDArray[np.bool_], pairs: NDArray[np.bool_]) -> None:
        """`citations` [E] and `pairs` [P]: which of them count."""
        self.tables = tables
        self.citations = citations
        rows = np.flatnonzero(pairs)
        self.papers, self.pair_positions = np.unique(tables.pair_cited[rows], return_inverse=True)
        """[D] rows of papers, ascending; for each pair that counts, the index of its paper among them."""
        self.pair_sentences = tables.pair_context[rows]
        """For each pair that counts, the row of its sentence; ascending, as pairs are stored."""
        per_sentence = np.bincount(self.pair_sentences, minlength=len(tables.context_years))
        self._starts = np.concatenate([[0], np.cumsum(per_sentence)]).astype(np.int64)
        self.sentences = per_sentence > 0
        """[C] which sentences count."""
        self.counted = None if pairs.all() else self.sentences
        """The same for a search; None if all sentences count."""
        self.sentence_count = int(np.count_nonzero(per_sentence))
        self.paper_count = int(np.count_nonzero(tables.alive))
        """The number of all papers, cited or not."""
        self._norms: dict[tuple[str, BM25], Floats] = {}

    @cached_property
    def until(self) -> int:
        """Year of the newest paper whose sentences or citations count; 0 if there is none."""
        tables = self.tables
        cited = tables.years[tables.citing[self.citations]].max(initial=0)
        mentioned = tables.context_years[self.pair_sentences].max(initial=0)
        return int(max(cited, mentioned))

    @cached_property
    def times_cited(self) -> Floats:
        """[R] number of papers that cite each."""
        tables = self.tables
        return np.bincount(tables.cited[self.citations], minlength=tables.rows).astype(np.float32)

    @cached_property
    def mentions(self) -> Floats:
        """[D] number of sentences that cite each paper."""
        return np.bincount(self.pair_positions, minlength=len(self.papers)).astype(np.float32)

    @cached_property
    def author_citations(self) -> Floats:
        """[R] `PaperFacts.author_citations`."""
        tables = self.tables
        per_paper = np.diff(tables.author_starts)
        own = np.repeat(self.times_cited, per_paper)
        totals = np.bincount(tables.authors, weights=own)
        others = totals[tables.authors] - own
        most = np.zeros(tables.rows, dtype=np.float32)
        named = np.flatnonzero(per_paper)
        if len(named):
            most[named] = np.maximum.reduceat(others, tables.author_starts[:-1][named])
        return np.log1p(most)

    @cached_property
    def venue_citations(self) -> Floats:
        """[R] `PaperFacts.venue_citations`."""
        tables = self.tables
        gain = np.log1p(self.times_cited)
        counted = tables.alive.astype(np.float32)
        sums = np.bincount(tables.venues, weights=gain)
        sizes = np.bincount(tables.venues, weights=counted)
        mean = (sums[tables.venues] - gain) / (sizes[tables.venues] - counted + _DOUBT)
        return np.where(tables.venues > 0, np.maximum(mean, 0), 0).astype(np.float32)

    def sentence_norm(self, lengths: Floats, bm25: BM25) -> Floats:
        """[C] BM25's norm of each sentence, with the mean length of those that count. `lengths` [C] are those
        of the index's citing sentences."""
        key = ("sentence", bm25)
        if key not in self._norms:
            mean = float(lengths[self.sentences].mean(dtype=np.float64)) if self.sentence_count else 1.0
            self._norms[key] = norm(bm25, lengths, max(mean, 1e-9))
        return self._norms[key]

    def joined_norm(self, lengths: Floats, bm25: BM25) -> Floats:
        """[D] the same for all sentences that cite a paper, as one text."""
        key = ("joined", bm25)
        if key not in self._norms:
            joined = np.bincount(
                self.pair_positions, weights=lengths[self.pair_sentences], minlength=len(self.papers)
            )
            self._norms[key] = norm(bm25, joined, max(float(joined.mean()), 1e-9) if len(joined) else 1.0)
        return self._norms[key]

    def cited_in(self, sentences: NDArray[np.integer[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Indices in `papers` of what `sentences` (all of which count) cite, and for each of them the index
        of its sentence in the argument."""
        repeated, positions = spread(self._starts[sentences], self._starts[sentences + 1])
        return self.pair_positions[positions], repeated

    def sentences_citing(self, rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The sentences that cite each of `rows`: the index of the paper in the argument, and the row of the
        sentence."""
        positions = np.searchsorted(self.papers, rows)
        cited = np.flatnonzero(positions < len(self.papers))
        cited = cited[self.papers[positions[cited]] == rows[cited]]
        order, starts = self._by_paper
        owners, entries = spread(starts[positions[cited]], starts[positions[cited] + 1])
        return cited[owners], self.pair_sentences[order[entries]].astype(np.int64)

    @cached_property
    def _by_paper(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pairs that count, grouped by paper, and the start of each paper's group [D + 1]."""
        per_paper = np.bincount(self.pair_positions, minlength=len(self.papers))
        starts = np.concatenate([[0], np.cumsum(per_paper)]).astype(np.int64)
        return np.argsort(self.pair_positions, kind="stable"), starts


def candidates(tables: Tables, scope: Scope) -> NDArray[np.bool_]:
    """Returns which papers are candidates for all queries of a year and a pool: [R], rule 1 without what a
    query itself excludes."""
    allowed: NDArray[np.bool_] = tables.alive & scope.admitted_by_year(tables.years, tables.abstracts)
    return allowed


class EvidenceByScope:
    """Evidence as of scopes. Thread-safe."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._kept: Kept[Evidence] = Kept(MOST_YEARS)

    def of(self, scope: Scope) -> Evidence:
        writers = {self._writer(scope), *scope.copies} - {-1}
        without = [
            row for row in sorted(writers) if row < self._tables.rows and self._wrote_before(row, scope)
        ]
        if without:
            return self._gather(scope, without)
        key = (scope.year or 0, scope.lag, scope.contexts, scope.hidden)
        return self._kept.get(key, lambda: self._gather(scope, []))

    def _writer(self, scope: Scope) -> int:
        """The writer as `Tables.context_citing` numbers it."""
        return scope.citing if scope.citing >= 0 else self._tables.stranger(scope.citing_id)

    def _wrote_before(self, citing: int, scope: Scope) -> bool:
        """Whether anything written by the paper would count as evidence for its own query."""
        tables = self._tables
        if citing < 0:
            return True
        made = tables.made_by(citing)
        if made.start == made.stop and not (tables.context_citing == citing).any():
            return False
        # What it wrote is never older than itself; if it has no year, its sentences may have one.
        year = tables.years[citing : citing + 1]
        return not year.all() or bool(scope.early(year).all())

    def _gather(self, scope: Scope, without: list[int]) -> Evidence:
        """Rules 2, 3, 5 and 6. `without`: the papers whose own sentences and citations do not count."""
        tables = self._tables
        hidden = np.zeros(tables.rows, dtype=np.bool_)
        hidden[[row for row in scope.hidden if row < tables.rows]] = True
        citations = ~hidden[tables.cited] & ~np.isin(tables.citing, without)
        if not scope.contexts:
            pairs = np.zeros(len(tables.pair_cited), dtype=np.bool_)
        else:
            pairs = ~hidden[tables.pair_cited] & tables.alive[tables.pair_cited]
        wrote = tables.context_citing[tables.pair_context]
        if without:
            pairs &= ~np.isin(wrote, without)
        citations &= scope.early(tables.years[tables.citing])
        # A sentence is never older than the paper that contains it.
        written = np.where(wrote >= 0, tables.years[np.maximum(wrote, 0)], 0)
        pairs &= scope.early(np.maximum(tables.context_years[tables.pair_context], written))
        return Evidence(tables, citations, pairs)

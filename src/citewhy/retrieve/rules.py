"""What a query may see: which papers are candidates, and which citations count as evidence.

Every rule of honest ranking is here and nowhere else. For a query of year Y by paper p:

- a candidate is not newer than Y, is not p, is not excluded, and (on request) has an abstract;
- evidence (citing sentences, citations, counts) comes from papers published *before* Y: what appears in the
  same year could not be read while writing; where Y is unknown, everything counts;
- what p itself wrote about others never counts;
- hidden papers (an experiment's, see `evaluate --unseen`) are candidates that nobody has cited.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from citewhy.index.local.bm25 import BM25, Floats
from citewhy.index.local.postings import spread
from citewhy.index.local.tables import Tables

__all__ = ["Evidence", "Pool", "Rules"]

Pool = Literal["all", "abstract"]

_Kept = TypeVar("_Kept")

_MOST_YEARS = 64
"""Years whose evidence is kept; a benchmark asks for a few."""

_DOUBT = 5.0
"""Papers' worth of doubt in a venue's mean."""


@dataclass(slots=True)
class Evidence:
    """Citations and citing sentences that count for one query, and what they say about every paper."""

    tables: Tables
    citations: NDArray[np.bool_]
    """[E] which citations count."""
    pairs: NDArray[np.bool_]
    """[P] which (citing sentence, cited paper) pairs count."""
    times_cited: Floats = field(init=False)
    """[R] number of papers that cite it."""
    author_fame: Floats = field(init=False)
    """[R] ln(1 + citations of the other papers of its most cited author)."""
    venue_fame: Floats = field(init=False)
    """[R] mean of ln(1 + citations) over the other papers of its series of venues, shrunk towards none."""
    pair_rows: NDArray[np.int64] = field(init=False)
    """Places of the pairs that count."""
    cited_rows: NDArray[np.int32] = field(init=False)
    """[D] papers with citing sentences, ascending."""
    pair_sentences: NDArray[np.int32] = field(init=False)
    """For each pair that counts, the row of its sentence."""
    pair_places: NDArray[np.int64] = field(init=False)
    """For each pair that counts, the place of its paper in `cited_rows`."""
    sentence_starts: NDArray[np.int64] = field(init=False)
    """[C + 1] where the pairs of each sentence begin in `pair_rows`."""
    speaking: NDArray[np.bool_] = field(init=False)
    """[C] which sentences count."""
    counted: NDArray[np.bool_] | None = field(init=False)
    """The same for a search; None: all that there are."""
    sentence_count: int = field(init=False)
    """Number of citing sentences that count."""
    paper_count: int = field(init=False)
    """Number of papers, cited or not."""
    newest: int = field(init=False)
    """Year of the newest paper whose sentences or citations count; 0 where none does."""
    _norms: dict[tuple[str, BM25], Floats] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        tables = self.tables
        self.times_cited = np.bincount(tables.cited[self.citations], minlength=tables.rows).astype(np.float32)
        self.author_fame = self._author_fame()
        self.venue_fame = self._venue_fame()
        self.pair_rows = np.flatnonzero(self.pairs)
        self.cited_rows, self.pair_places = np.unique(tables.pair_cited[self.pair_rows], return_inverse=True)
        self.pair_sentences = tables.pair_context[self.pair_rows]
        # Pairs are stored in order of their sentences.
        contexts = len(tables.context_years)
        per_sentence = np.bincount(self.pair_sentences, minlength=contexts)
        self.sentence_starts = np.concatenate([[0], np.cumsum(per_sentence)]).astype(np.int64)
        self.speaking = per_sentence > 0
        self.counted = None if self.pairs.all() else self.speaking
        self.sentence_count = int(np.count_nonzero(per_sentence))
        self.paper_count = int(np.count_nonzero(tables.alive))
        cited = tables.years[tables.citing[self.citations]].max(initial=0)
        said = tables.context_years[self.pair_sentences].max(initial=0)
        self.newest = int(max(cited, said))

    def sentence_norm(self, lengths: Floats, dials: BM25) -> Floats:
        """[C] BM25's norm of each sentence, where only those that count make up the mean.

        `lengths` [C] are those of the index's citing sentences, always.
        """
        key = ("sentence", dials)
        if key not in self._norms:
            mean = float(lengths[self.speaking].mean(dtype=np.float64)) if self.speaking.any() else 1.0
            self._norms[key] = dials.norm(lengths, max(mean, 1e-9))
        return self._norms[key]

    def joint_norm(self, lengths: Floats, dials: BM25) -> Floats:
        """[D] the same of all sentences that cite a paper, as one text."""
        key = ("joint", dials)
        if key not in self._norms:
            joint = np.bincount(
                self.pair_places, weights=lengths[self.pair_sentences], minlength=len(self.cited_rows)
            )
            self._norms[key] = dials.norm(joint, max(float(joint.mean()), 1e-9) if len(joint) else 1.0)
        return self._norms[key]

    def cited_in(self, sentences: NDArray[np.integer[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Places in `cited_rows` of the papers that `sentences` (all of which count) cite, and for each of
        them the place of its sentence in the argument."""
        repeated, places = spread(self.sentence_starts[sentences], self.sentence_starts[sentences + 1])
        return self.pair_places[places], repeated

    def _author_fame(self) -> Floats:
        tables = self.tables
        per_paper = np.diff(tables.author_starts)
        own = np.repeat(self.times_cited, per_paper)
        totals = np.bincount(tables.authors, weights=own)
        others = totals[tables.authors] - own
        fame = np.zeros(tables.rows, dtype=np.float32)
        named = np.flatnonzero(per_paper)
        if len(named):
            fame[named] = np.maximum.reduceat(others, tables.author_starts[:-1][named])
        return np.log1p(fame)

    def _venue_fame(self) -> Floats:
        tables = self.tables
        gain = np.log1p(self.times_cited)
        counted = tables.alive.astype(np.float32)
        sums = np.bincount(tables.venues, weights=gain)
        sizes = np.bincount(tables.venues, weights=counted)
        mean = (sums[tables.venues] - gain) / (sizes[tables.venues] - counted + _DOUBT)
        return np.where(tables.venues > 0, np.maximum(mean, 0), 0).astype(np.float32)


class Rules:
    """The rules for one index. Keeps what depends on the year alone; not to be shared between threads."""

    def __init__(
        self, tables: Tables, pool: Pool = "all", hidden: Collection[int] = (), lag: int = 0
    ) -> None:
        """`lag` ≥ 0: years before a query's of which nothing is known either (an experiment's)."""
        self._tables = tables
        self._lag = lag
        self._pool = pool
        self._hidden = np.zeros(tables.rows, dtype=np.bool_)
        self._hidden[list(hidden)] = True
        self._candidates: dict[int, NDArray[np.bool_]] = {}
        self._evidence: dict[int, Evidence] = {}

    def candidates(self, year: int | None, without: Collection[int]) -> NDArray[np.bool_]:
        """[R] which papers may be suggested; `without` are rows that may not."""
        key = year or 0
        if key not in self._candidates:
            tables = self._tables
            allowed = tables.alive & ((tables.years <= key) if key else True)
            if self._pool == "abstract":
                allowed &= tables.abstracts
            _keep(self._candidates, key, allowed)
        allowed = self._candidates[key].copy()
        allowed[list(without)] = False
        return allowed

    def evidence(self, year: int | None, citing: int) -> Evidence:
        """What counts as of `year` for a query by the paper in row `citing`; one that the library does not
        have is its `Tables.stranger`."""
        key = year or 0
        if citing != -1 and self._wrote_before(citing, key):
            return self._gather(key, citing)
        if key not in self._evidence:
            _keep(self._evidence, key, self._gather(key, -1))
        return self._evidence[key]

    def _wrote_before(self, citing: int, year: int) -> bool:
        """Would anything that the paper wrote count as evidence for its own query?"""
        tables = self._tables
        if citing < 0:
            return True
        made = tables.made_by(citing)
        if made.start == made.stop and not (tables.context_citing == citing).any():
            return False
        # What it wrote is never older than itself; where it has no year, its sentences may have one.
        return year == 0 or bool(tables.years[citing] < year)

    def _gather(self, year: int, without: int) -> Evidence:
        tables = self._tables
        citations = ~self._hidden[tables.cited] & (tables.citing != without)
        pairs = ~self._hidden[tables.pair_cited] & tables.alive[tables.pair_cited]
        wrote = tables.context_citing[tables.pair_context]
        if without != -1:
            pairs &= wrote != without
        if year:
            year -= self._lag
            published = tables.years[tables.citing]
            citations &= (published > 0) & (published < year)
            # A sentence is not older than the paper that it stands in, whatever its own year says.
            written = np.where(wrote >= 0, tables.years[np.maximum(wrote, 0)], 0)
            said = np.maximum(tables.context_years[tables.pair_context], written)
            pairs &= (said > 0) & (said < year)
        return Evidence(tables, citations, pairs)


def _keep(cache: dict[int, _Kept], key: int, value: _Kept) -> None:
    """Adds to a cache of bounded size, forgetting its oldest entry."""
    if len(cache) >= _MOST_YEARS:
        del cache[next(iter(cache))]
    cache[key] = value

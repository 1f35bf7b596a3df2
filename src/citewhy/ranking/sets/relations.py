"""How candidates are related to single papers: those that a bracket has already, or that were chosen for it.

Papers are cited together because other authors did so (co-citation in papers and in sentences: Small 1973;
Gipp and Beel 2009), because the same draft did so elsewhere, and because their entries are neighbours in its
bibliography. All numbers are as of the scope of the query (`rules`): what the citing paper wrote itself, and
what appeared later, does not count.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import DraftCitation
from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.retrieve.scoped import ScopedQuery

RELATIONS = (
    "sentences",  # ln(1 + number of sentences that cite both)
    "sentences_cosine",  # that number, divided by the geometric mean of the numbers of each
    "papers",  # ln(1 + number of papers that cite both)
    "papers_cosine",  # that number, divided by the geometric mean of the numbers of each
    "linked",  # 1 if one of the two cites the other
    "cosine",  # of their vectors
    "draft_together",  # ln(1 + number of other citations of the draft that have both)
    "draft_beside",  # ln(1 + number of citations of the paper in the draft beside one of the other)
    "bibliography",  # 1 / d for entries of the draft's bibliography that are d entries apart
    "year",  # 1 / (1 + difference of their years); 0 if one is unknown
)
"""Names of the columns of `Relations.to`."""

_BESIDE = 2
"""Number of citations before and after a citation, in its paragraph, that count as beside it."""


class Relations:
    """The relations of n candidates. For use by a single thread, like the view of the query."""

    def __init__(self, scoped: ScopedQuery, rows: Rows) -> None:
        """`rows` [n] are distinct papers, in any order."""
        self._scoped = scoped
        self.rows = rows
        view = scoped.view
        sentences = view.sentences_citing(rows)
        self._sentences = sentences.positions, sentences.numbers
        citing, cited = view.citing(rows), view.cited(rows)
        self._citing = citing.positions, citing.rows
        self._cited = cited.positions, cited.rows
        self._years = view.facts(rows).years.astype(np.int64)
        draft = scoped.query.draft
        rows_of = scoped.cited_in_draft
        self._beside = _Draft(() if draft is None else draft.citations, rows_of)
        listed = () if draft is None else draft.bibliography
        self._listed = {
            rows_of[paper_id]: position for position, paper_id in enumerate(listed) if paper_id in rows_of
        }
        self._positions = np.array([self._listed.get(row, -1) for row in rows.tolist()], dtype=np.int64)

    def to(self, other: int) -> NDArray[np.float32]:
        """[n, len(RELATIONS)] the relations of all candidates to the paper in row `other`; those of the paper
        to itself have no meaning."""
        view, n, this = self._scoped.view, len(self.rows), np.array([other])
        sentences = self._shared(*self._sentences, view.sentences_citing(this).numbers)
        papers = self._shared(*self._citing, view.citing(this).rows)
        linked = np.zeros(n, dtype=np.float32)
        for positions, rows in (self._citing, self._cited):
            linked[positions[rows == other]] = 1
        columns = [
            *sentences,
            *papers,
            linked,
            view.paper_cosines(self.rows, this)[:, 0] if n else np.zeros(0, dtype=np.float32),
            *self._beside.counts(other, self.rows),
            self._nearness(other),
            self._same_time(int(view.facts(this).years[0])),
        ]
        return np.stack(columns, axis=1).astype(np.float32)

    def _shared(
        self, positions: NDArray[np.int64], ends: NDArray[np.int64], others: NDArray[np.int64]
    ) -> tuple[Floats, Floats]:
        """[n] ln(1 + number of what both have), and the cosine of the two sets."""
        n, others = len(self.rows), np.unique(others)
        own = np.bincount(positions, minlength=n)
        both = np.bincount(positions[np.isin(ends, others)], minlength=n) if len(others) else np.zeros(n)
        cosines = both / np.sqrt(np.maximum(own, 1) * max(len(others), 1))
        return np.log1p(both).astype(np.float32), cosines.astype(np.float32)

    def _nearness(self, other: int) -> Floats:
        position = self._listed.get(other)
        if position is None:
            return np.zeros(len(self.rows), dtype=np.float32)
        apart = np.abs(self._positions - position)
        near: Floats = np.where((self._positions >= 0) & (apart > 0), 1 / np.maximum(apart, 1), 0).astype(
            np.float32
        )
        return near

    def _same_time(self, year: int) -> Floats:
        known = (self._years > 0) & (year > 0)
        near: Floats = np.where(known, 1 / (1 + np.abs(self._years - year)), 0).astype(np.float32)
        return near


class _Draft:
    """The citations of a draft, by the rows of the papers that they cite."""

    def __init__(self, citations: Sequence[DraftCitation], rows_of: Mapping[str, int]) -> None:
        self._cited = [
            {rows_of[paper_id] for paper_id in one.paper_ids if paper_id in rows_of} for one in citations
        ]
        self._paragraphs = [(one.paragraph, one.order) for one in citations]
        self._of: dict[int, list[int]] = defaultdict(list)
        for number, rows in enumerate(self._cited):
            for row in rows:
                self._of[row].append(number)

    def counts(self, other: int, rows: Rows) -> tuple[Floats, Floats]:
        """[n] ln(1 + number of citations with both), and ln(1 + number of citations of each of `rows` beside
        one of `other`)."""
        together: Counter[int] = Counter()
        beside: Counter[int] = Counter()
        for number in self._of.get(other, ()):
            together.update(self._cited[number])
            paragraph, order = self._paragraphs[number]
            for near in range(max(0, number - _BESIDE), min(len(self._cited), number + _BESIDE + 1)):
                same, position = self._paragraphs[near]
                if near != number and same == paragraph and abs(position - order) <= _BESIDE:
                    beside.update(self._cited[near])
        return _logs(together, rows), _logs(beside, rows)


def _logs(counts: Mapping[int, int], rows: Rows) -> Floats:
    return np.log1p(np.array([counts.get(row, 0) for row in rows.tolist()], dtype=np.float32))

"""The citation graph as of any year, for sampling negatives."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Citation, Context, Paper

Rows = NDArray[np.int64]
"""Positions in `CitationGraph.papers`."""


def edges(citations: Iterable[Citation], contexts: Iterable[Context]) -> Iterable[tuple[str, str, int]]:
    """(citing, cited, year or 0) of all known citations; some more than once."""
    yield from ((citation.citing_id, citation.cited_id, 0) for citation in citations)
    yield from (
        (context.citing_id, cited, context.year or 0) for context in contexts for cited in context.cited_ids
    )


class CitationGraph:
    """R papers in the order of their years, those of unknown year first, and the citations between them.

    `canonical` maps any id to that in `papers`. The year of a citation is that of the citing paper; if the
    paper is unknown, the one given with the citation. Citations of unknown papers are left out.
    """

    def __init__(
        self,
        papers: Sequence[Paper],
        citations: Iterable[tuple[str, str, int]],
        canonical: Callable[[str], str],
    ) -> None:
        self.papers = sorted(papers, key=lambda paper: (paper.year or 0, paper.id))
        self.years = np.array([paper.year or 0 for paper in self.papers], dtype=np.int16)
        self._row = {canonical(paper.id): row for row, paper in enumerate(self.papers)}
        self._canonical = canonical
        given: dict[tuple[str, int], int] = {}
        for citing, cited, year in citations:
            row = self.row(cited)
            if row is not None:
                edge = (canonical(citing), row)
                given[edge] = max(given.get(edge, 0), year)
        self._references: dict[str, set[int]] = {}
        for citing, row in given:
            self._references.setdefault(citing, set()).add(row)
        self._cited = np.array([row for _, row in given], dtype=np.int64)
        self._when = np.array([self._year(*edge) for edge in given.items()], dtype=np.int16)

    def row(self, paper_id: str) -> int | None:
        """Returns the row of a paper; None for an unknown one."""
        return self._row.get(self._canonical(paper_id))

    def not_newer(self, year: int) -> int:
        """Rows below this number are papers of `year`, of earlier years, or of an unknown one."""
        return int(np.searchsorted(self.years, year, side="right"))

    @functools.lru_cache(maxsize=256)  # noqa: B019 # one a training
    def times_cited(self, before: int, since: int = 1) -> NDArray[np.int32]:
        """[R] numbers of citations by papers of the years from `since` up to, but not including, `before`."""
        counted = (self._when >= since) & (self._when < before)
        return np.bincount(self._cited[counted], minlength=len(self.papers)).astype(np.int32)

    def cited_in(self, row: int, before: int) -> NDArray[np.int16]:
        """[c] years before `before` of the papers that cite the one in `row`."""
        years = self._by_cited[self._starts[row] : self._starts[row + 1]]
        return years[(years > 0) & (years < before)]

    @functools.lru_cache(maxsize=100_000)  # noqa: B019
    def neighbours(self, citing_id: str) -> Rows:
        """Rows, ascending, of papers at a distance of two or three citations from the citing paper, following
        references; without itself and what it cites."""
        first = self._references.get(self._canonical(citing_id), set())
        second = self._cited_by(first)
        far = (second | self._cited_by(second)) - first
        far.discard(self.row(citing_id) if self.row(citing_id) is not None else -1)
        return np.array(sorted(far), dtype=np.int64)

    def _cited_by(self, rows: Iterable[int]) -> set[int]:
        none: set[int] = set()
        ids = (self._canonical(self.papers[row].id) for row in rows)
        return none.union(*(self._references.get(paper_id, none) for paper_id in ids))

    def _year(self, edge: tuple[str, int], given: int) -> int:
        row = self.row(edge[0])
        return given if row is None else int(self.years[row])

    @functools.cached_property
    def _starts(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(np.bincount(self._cited, minlength=len(self.papers)))])

    @functools.cached_property
    def _by_cited(self) -> NDArray[np.int16]:
        return self._when[np.argsort(self._cited, kind="stable")]

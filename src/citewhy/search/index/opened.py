"""`Index`: a library as it is searched, at one generation."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index.arrays import Rows, union
from citewhy.search.index.evidence import MOST_YEARS, Evidence, EvidenceByScope, Kept, candidates
from citewhy.search.index.segments import NameField, named_key, named_keys
from citewhy.search.index.view import Contents, View
from citewhy.search.rules import Scope

_MANY = 1 / 16
"""Share of the papers from which the rows of all ids are looked up at once, instead of each by bisection."""

_ROWS_KEPT = 8192
"""Number of ids whose rows are cached."""


class Index(Contents):
    """An opened index: the state of a library at one generation. It never changes, and is thread-safe."""

    @cached_property
    def newest_year(self) -> int:
        """The year of the newest paper; 0 if no year is known."""
        return int(self.tables.years.max(initial=0))

    def view(self, scope: Scope) -> View:
        """The answers as of a scope."""
        return View(self, scope, *self._within(scope))

    def papers(self, year: int | None = None) -> Rows:
        """All papers, or those of one `year`, ascending."""
        alive = self.tables.alive
        return np.flatnonzero(alive if year is None else alive & (self.tables.years == year))

    def knows(self, row: int) -> bool:
        """Whether there has been a paper with this number."""
        return 0 <= row < self.tables.rows

    def ids(self, rows: Rows) -> list[str]:
        """[n] paper ids."""
        return self.tables.paper_ids(rows)

    def named(self, by: NameField, names: Sequence[str]) -> Rows:
        """Papers, ascending, to which one of the `names` (folded) belongs."""
        rows = [self.tables.named(named_key(by, name)).astype(np.int64) for name in names]
        return union(*rows)

    def known_names(self, by: NameField, names: Sequence[str]) -> list[str]:
        """Those of many `names` (folded) that belong to a paper."""
        keys = named_keys(by, names)
        hashes = self.tables.name_hashes
        if not len(hashes):
            return []
        known = hashes[np.minimum(np.searchsorted(hashes, keys), len(hashes) - 1)] == keys
        return [names[place] for place in np.flatnonzero(known).tolist()]

    def rows(self, ids: Sequence[str]) -> Rows:
        """[n] rows of papers by their canonical ids; -1 for other ids."""
        if len(ids) < _MANY * self.tables.rows:
            return np.fromiter(map(self._row, ids), dtype=np.int64, count=len(ids))
        known = self._all_rows
        return np.fromiter((known.get(one, -1) for one in ids), dtype=np.int64, count=len(ids))

    def id_ranks(self, rows: Rows) -> NDArray[np.int64]:
        """[n] ranks of the papers' ids in sorted order, by which ties are broken."""
        ranks: NDArray[np.int64] = self.tables.id_ranks[rows].astype(np.int64)
        return ranks

    def _within(self, scope: Scope) -> tuple[NDArray[np.bool_], Evidence]:
        """[R] the candidates of a scope, and what counts as evidence."""
        key = (scope.year or 0, scope.pool)
        allowed = self._candidates.get(key, lambda: candidates(self.tables, scope)).copy()
        allowed[[row for row in scope.excluded if self.knows(row)]] = False
        return allowed, self._evidence.of(scope)

    @cached_property
    def _all_rows(self) -> dict[str, int]:
        """The row of each id."""
        alive = self.papers()
        return dict(zip(self.ids(alive), alive.tolist(), strict=True))

    @cached_property
    def _row(self) -> Callable[[str], int]:
        """The row of an id, or -1; cached, because every place of a draft asks for the same ids."""
        tables, order = self.tables, self._by_id

        @lru_cache(maxsize=_ROWS_KEPT)
        def row(paper_id: str) -> int:
            name = paper_id.encode(errors="surrogatepass")
            at = bisect_left(order, name, key=tables.id_bytes)
            return int(order[at]) if name and at < len(order) and tables.id_bytes(order[at]) == name else -1

        return row

    @cached_property
    def _by_id(self) -> NDArray[np.int64]:
        """[R] rows in the order of their ids."""
        return np.argsort(self.tables.id_ranks)

    @cached_property
    def _evidence(self) -> EvidenceByScope:
        return EvidenceByScope(self.tables)

    @cached_property
    def _candidates(self) -> Kept[NDArray[np.bool_]]:
        return Kept(MOST_YEARS)

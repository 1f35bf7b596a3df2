"""The one pipeline: what is measured is what is served.

    retrieve → rerank → explain

The command line, the evaluation and every other door call `Recommender`, and nothing else ranks papers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from citewhy.encode import Encoder, default_encoder
from citewhy.errors import QueryError
from citewhy.explain import Support, explain
from citewhy.index import Index, open_index
from citewhy.index.local.dense import Encoded
from citewhy.index.local.tables import Tables
from citewhy.library.store import Library
from citewhy.linkage.linker import Linker
from citewhy.rank.model import RankerModel
from citewhy.rank.ranker import PIPELINES, FeatureRow, Pipeline, Ranked, Ranker, Rows
from citewhy.rank.reranker import Reranker
from citewhy.rank.reranking import citing_years, reread
from citewhy.records import Candidate, Paper, Query, Reason, Suggestion
from citewhy.retrieve.dense import Dense
from citewhy.retrieve.rules import Pool, Rules

__all__ = ["PIPELINES", "Candidates", "Choice", "Recommender"]

_DEPTH = 1000
"""Candidates among which papers that are to come first are looked for."""


Choice = Callable[[Sequence[str]], Collection[str]]
"""Chooses some of the candidates, by their ids, best first."""


class Candidates(Sequence[Candidate]):
    """Ranked papers, best first. A candidate is made when it is looked at: of a thousand, most never are."""

    def __init__(self, ranked: Ranked, tables: Tables) -> None:
        self._ranked = ranked
        self._tables = tables

    @functools.cached_property
    def ids(self) -> list[str]:
        """Paper ids, best first."""
        return self._tables.paper_ids(self._ranked.rows)

    def __len__(self) -> int:
        return len(self._ranked.rows)

    @overload
    def __getitem__(self, place: int) -> Candidate: ...
    @overload
    def __getitem__(self, place: slice) -> list[Candidate]: ...
    def __getitem__(self, place: int | slice) -> Candidate | list[Candidate]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        paper_id = self.ids[place]  # raises IndexError, which ends an iteration
        ranked = self._ranked
        sure = float(ranked.probabilities[place]) if len(ranked.probabilities) else None
        return Candidate(paper_id, float(ranked.scores[place]), FeatureRow(ranked.table, place), sure)


class Recommender:
    """Recommends papers of a library.

    `pipeline` is one of `PIPELINES`; `pool` ``abstract`` keeps candidates to papers with an abstract;
    `hidden_ids` are papers that are treated as if nobody had cited them yet (an experiment's). `encoder`,
    `model` and `linker` None: those of the package. A `reranker` reorders the top candidates. `index` None:
    that of the library, brought up to date. Papers that have no vector yet are encoded first, and `tell` is
    told of it. Raises QueryError for a pipeline or pool that does not exist.
    """

    def __init__(
        self,
        library: Library,
        pipeline: Pipeline = "full",
        pool: Pool = "all",
        hidden_ids: Collection[str] = frozenset(),
        *,
        encoder: Encoder | None = None,
        model: RankerModel | None = None,
        reranker: Reranker | None = None,
        linker: Linker | None = None,
        index: Index | None = None,
        tell: Encoded | None = None,
    ) -> None:
        if pipeline not in PIPELINES:
            raise QueryError(f"there is no pipeline {pipeline}", hint=f"choose from: {', '.join(PIPELINES)}")
        if pool not in ("all", "abstract"):
            raise QueryError(f"there is no pool {pool}", hint="choose from: all, abstract")
        self.library = library
        self.pipeline = pipeline
        self._index = open_index(library) if index is None else index
        self._support = Support(library, self._index.tables, linker)
        self._rules = Rules(self._index.tables, pool, self._rows(hidden_ids))
        dense = None
        if pipeline != "bm25":
            dense = Dense.open(library, encoder or default_encoder(), self._index, tell)
        self._ranker = Ranker(self._index, self._rules, pipeline, dense, model)
        self._reranker = reranker

    def rank(self, query: Query, k: int) -> Candidates:
        """At most `k` candidates, best first, ties in order of paper id."""
        return Candidates(self._ranked(query, self._query_rows(query), k), self._index.tables)

    def suggest(
        self, query: Query, k: int, first: Choice | None = None, threshold: float | None = None
    ) -> list[Suggestion]:
        """The best `k` papers with the reasons for each; fewer where nothing speaks for more.

        `first` is given the ids of the top 1,000 candidates, and returns those that come before the others.
        No paper at all where even the best is right with a probability below `threshold` in [0, 1] (None:
        the ranker's own): nothing in the library fits well.
        """
        rows = self._query_rows(query)
        ranked = self._ranked(query, rows, k if first is None else max(k, _DEPTH))
        chosen = first(self._index.tables.paper_ids(ranked.rows)) if first is not None else ()
        named = set(self._rows(chosen))
        if not named.intersection(ranked.rows.tolist()) and self._ranker.unsure(ranked, threshold):
            return []
        ranked = ranked.take(_promoted(ranked, named, k))
        weighing = {} if ranked.signals is None else self._ranker.weighing(query, rows, ranked.signals)
        again = self._reread_reasons(query, rows, ranked)
        found = explain(self.library, self._index, query, ranked, weighing, named, again)
        return self._support.attach(query, found)

    def pool_size(self, query: Query) -> int:
        """Number of papers that this query chooses from."""
        rows = self._query_rows(query)
        return int(np.count_nonzero(self._rules.candidates(query.year, rows.barred(query.kind))))

    def _ranked(self, query: Query, rows: Rows, k: int) -> Ranked:
        if k < 1:
            raise QueryError(f"{k} papers cannot be ranked", hint="ask for at least one")
        reranker = self._reranker
        if reranker is None or query.kind not in reranker.kinds:
            return self._ranker.rank(query, rows, k)
        found = self._ranker.rank(query, rows, max(k, reranker.depth))
        papers = self._papers(found.rows[: reranker.depth])
        again = reread(found, query, reranker, papers, self._rules.evidence(query.year, rows.citing))
        return again.take(range(min(k, len(again.rows))))

    def _reread_reasons(self, query: Query, rows: Rows, ranked: Ranked) -> dict[int, tuple[Reason, ...]]:
        """By row, why the reranker puts a paper where it is; nothing without one."""
        reranker = self._reranker
        if reranker is None or query.kind not in reranker.kinds:
            return {}
        evidence = self._rules.evidence(query.year, rows.citing)
        return {
            row: reranker.reasons(query, paper, citing_years(evidence, row))
            for row, paper in zip(ranked.rows.tolist(), self._papers(ranked.rows), strict=True)
        }

    def _papers(self, rows: NDArray[np.int64]) -> list[Paper]:
        """One that another process removed since the index was opened is known by its id alone."""
        ids = self._index.tables.paper_ids(rows)
        found = self.library.papers(ids)
        return [found.get(each) or Paper(each, title="") for each in ids]

    def _query_rows(self, query: Query) -> Rows:
        numbers = self._numbers([query.citing_id, *query.known_ids, *query.excluded_ids])
        return Rows(
            citing=numbers.get(query.citing_id, self._index.tables.stranger(query.citing_id)),
            known=_there(query.known_ids, numbers),
            excluded=_there(query.excluded_ids, numbers),
        )

    def _rows(self, ids: Collection[str]) -> list[int]:
        return sorted(set(self._numbers(ids).values()))

    def _numbers(self, ids: Collection[str]) -> dict[str, int]:
        """The row of each id that the index knows: another process may have added papers since it was
        opened."""
        numbers = self.library.numbers([each for each in ids if each])
        return {each: number for each, number in numbers.items() if number < self._index.tables.rows}


def _promoted(ranked: Ranked, first: Collection[int], k: int) -> list[int]:
    """Places of the `k` to show: those whose rows are `first`, then the others."""
    rows = ranked.rows.tolist()
    return sorted(range(len(rows)), key=lambda place: rows[place] not in first)[:k]


def _there(ids: Sequence[str], numbers: dict[str, int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(numbers[each] for each in ids if each in numbers))

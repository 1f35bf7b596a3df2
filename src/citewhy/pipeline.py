"""The one pipeline: what is measured is what is served.

    first stages → candidates → ranking → reranking → reasons and passages

The command line, the evaluation and every other door call `Recommender`, and nothing else ranks papers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from citewhy.encode import CachedEncoder, Encoder, default_encoder
from citewhy.errors import QueryError
from citewhy.explain import Support, explain
from citewhy.index import Encoded, open_index
from citewhy.index.arrays import Rows
from citewhy.index.engine import Index
from citewhy.library.store import Library
from citewhy.linkage.linker import Linker
from citewhy.rank.model import RankerModel
from citewhy.rank.ranked import FeatureRow, Ranked
from citewhy.rank.ranker import PIPELINES, Pipeline, Ranker
from citewhy.rank.reranker import Reranker
from citewhy.rank.reranking import Reranking
from citewhy.records import Candidate, Query, QueryKind, Suggestion
from citewhy.retrieve.first_stage import FirstStage
from citewhy.retrieve.scoped import ScopedQuery
from citewhy.retrieve.stages import FIRST_STAGES
from citewhy.rules import Pool, QueryRows, Rules

__all__ = ["PIPELINES", "Answering", "Candidates", "Choice", "Recommender"]

_REMEMBERED = 4096
"""Texts whose vectors stay in memory, 1.5 kB each."""

_DEPTH = 1000
"""Candidates among which papers that are to come first are looked for."""


Choice = Callable[[Sequence[str]], Collection[str]]
"""Chooses some of the candidates, by their ids, best first."""


class Candidates(Sequence[Candidate]):
    """Ranked papers, best first. A candidate is made when it is looked at: of a thousand, most never are."""

    def __init__(self, ranked: Ranked, index: Index) -> None:
        self._ranked = ranked
        self._index = index

    @functools.cached_property
    def ids(self) -> list[str]:
        """Paper ids, best first."""
        return self._index.ids(self._ranked.rows)

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


@dataclass(frozen=True, slots=True)
class Answering:
    """What answers queries of one kind."""

    pipeline: Pipeline
    first_stages: tuple[str, ...]
    """Names, in the order in which they are asked."""
    reranker: str | None
    """Name; None where no reranker answers this kind."""


class Recommender:
    """Recommends papers of a library, for every kind of query.

    Threads share it. It answers as of its opening: what is added to the library later, it does not know.
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
        first_stages: Sequence[FirstStage] = FIRST_STAGES,
        rerankers: Sequence[Reranker] = (),
        linker: Linker | None = None,
        index: Index | None = None,
        tell: Encoded | None = None,
    ) -> None:
        """`pipeline` is one of `PIPELINES`; `pool` ``abstract`` keeps candidates to papers with an abstract;
        `hidden_ids` are papers that are treated as if nobody had cited them yet (an experiment's).

        `encoder`, `model` and `linker` None: those of the package. `first_stages` are those of the pipeline
        ``full``; one without features (of the treatment ``fused``) has its say in every pipeline. `rerankers`
        reorder the top candidates of the kinds of queries that they answer. `index` None: that of the
        library, brought up to date; papers that have no vector yet are encoded first, and `tell` is told of
        it. An index that is given has the vectors of `encoder`, or the pipeline needs none.

        Raises QueryError for a pipeline or pool that does not exist, for two rerankers of one kind of query,
        two first stages of one name, and for an index with other vectors.
        """
        if pipeline not in PIPELINES:
            raise QueryError(f"there is no pipeline {pipeline}", hint=f"choose from: {', '.join(PIPELINES)}")
        if pool not in ("all", "abstract"):
            raise QueryError(f"there is no pool {pool}", hint="choose from: all, abstract")
        if len({stage.name for stage in first_stages}) < len(first_stages):
            names = ", ".join(stage.name for stage in first_stages)
            raise QueryError("two first stages have one name", hint=f"names are: {names}")
        self.library = library
        self.pipeline = pipeline
        self._first_stages = tuple(first_stages)
        chosen = None if pipeline == "bm25" else encoder or default_encoder()
        # The sentences of a draft are asked for again for every place of it.
        self._encoder = None if chosen is None else CachedEncoder(chosen, most=_REMEMBERED)
        self._index: Index = open_index(library, self._encoder, tell) if index is None else index
        if self._encoder is not None and self._index.encoder != self._encoder.fingerprint:
            raise QueryError(
                f"the index has no vectors of {self._encoder.name}", hint="open it with this encoder"
            )
        self._rules = Rules(pool, hidden=frozenset(self._rows(hidden_ids).values()))
        self._ranker = Ranker(pipeline, first_stages, model)
        self._reranking = Reranking(library, rerankers)
        self._support = Support(library, self._index, linker)

    def answers(self, kind: QueryKind) -> Answering:
        """What answers queries of this kind. Every kind is answered: where nothing is made for paragraphs or
        sets, they are asked as sentences are."""
        stages = {
            "bm25": ["text"],
            "dense": ["vectors"],
            "hybrid": ["text", "vectors"],
            "full": [stage.name for stage in self._first_stages if stage.treatment != "fused"],
        }[self.pipeline]
        added = [stage.name for stage in self._first_stages if stage.treatment == "fused"]
        reranker = self._reranking.of(kind)
        return Answering(self.pipeline, (*stages, *added), None if reranker is None else reranker.name)

    def rank(self, query: Query, k: int) -> Candidates:
        """At most `k` candidates, best first, ties in order of paper id. Raises QueryError for `k` below
        1."""
        return Candidates(self._ranked(self._scoped(query), k), self._index)

    def suggest(
        self, query: Query, k: int, first: Choice | None = None, threshold: float | None = None
    ) -> list[Suggestion]:
        """The best `k` papers with the reasons for each; fewer where nothing speaks for more.

        `first` is given the ids of the top 1,000 candidates, and returns those that come before the others.
        No paper at all where even the best is right with a probability below `threshold` in [0, 1] (None:
        the ranker's own): nothing in the library fits well. Raises QueryError for `k` below 1.
        """
        scoped = self._scoped(query)
        ranked = self._ranked(scoped, k if first is None else max(k, _DEPTH))
        chosen = first(self._index.ids(ranked.rows)) if first is not None else ()
        named = set(self._rows(chosen).values())
        if not named.intersection(ranked.rows.tolist()) and self._ranker.unsure(ranked, threshold):
            return []
        ranked = ranked.take(_promoted(ranked, named, k))
        found = explain(self.library, scoped, ranked, named, self._reranking.reasons(ranked, scoped))
        return self._support.attach(query, found)

    @property
    def index(self) -> Index:
        """What it answers from."""
        return self._index

    def last_step(self, query: Query) -> tuple[Rows, NDArray[np.float32]]:
        """[n] rows and [n, len(DRAFT_FEATURES)] what the last step of the ranker sees of a query's
        candidates: what it is trained on."""
        return self._ranker.last_step(self._scoped(query))

    def pool_size(self, query: Query) -> int:
        """Number of papers that this query chooses from."""
        return self._index.view(self._rules.scope(query, self._query_rows(query))).pool_size()

    def _ranked(self, scoped: ScopedQuery, k: int) -> Ranked:
        if k < 1:
            raise QueryError(f"{k} papers cannot be ranked", hint="ask for at least one")
        reranker = self._reranking.of(scoped.query.kind)
        if reranker is None:
            return self._ranker.rank(scoped, k)
        ranked = self._reranking.reorder(self._ranker.rank(scoped, max(k, reranker.depth)), scoped)
        return ranked.take(range(min(k, len(ranked.rows))))

    def _scoped(self, query: Query) -> ScopedQuery:
        return ScopedQuery(query, self._query_rows(query), self._index, self._rules, self._encoder)

    def _query_rows(self, query: Query) -> QueryRows:
        asked = (query.known_ids, query.member_ids, query.excluded_ids, query.copy_ids)
        rows = self._rows([query.citing_id, *(each for ids in asked for each in ids)])
        return QueryRows(
            citing=rows.get(query.citing_id, -1),
            known=tuple(rows[each] for each in query.known_ids if each in rows),
            members=tuple(rows[each] for each in query.member_ids if each in rows),
            excluded=tuple(rows[each] for each in query.excluded_ids if each in rows),
            copies=tuple(rows[each] for each in query.copy_ids if each in rows),
        )

    def _rows(self, ids: Collection[str]) -> dict[str, int]:
        """The row of each id that the index knows: another process may have added papers since it was
        opened."""
        numbers = self.library.numbers([each for each in ids if each])
        return {each: number for each, number in numbers.items() if self._index.knows(number)}


def _promoted(ranked: Ranked, first: Collection[int], k: int) -> list[int]:
    """Places of the `k` to show: those whose rows are `first`, then the others."""
    rows = ranked.rows.tolist()
    return sorted(range(len(rows)), key=lambda place: rows[place] not in first)[:k]

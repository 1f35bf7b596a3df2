"""`Recommender`: the one ranking pipeline, used both to answer queries and to evaluate.

    scope → candidates → ranking, reranking → finishing steps (`ranking.finishing`)

The command line, the evaluation and every other interface call `Recommender`; nothing else ranks papers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.base.records import Intent, Paper, Query, QueryKind, Suggestion
from citewhy.base.trace import stage, traced
from citewhy.papers.library.store import Library
from citewhy.ranking.explain import Support
from citewhy.ranking.explain.taken_back import with_notices
from citewhy.ranking.finishing import (
    AnswerInProgress,
    Attach,
    Complete,
    Credit,
    Explain,
    Intents,
    Promote,
    Step,
    Together,
)
from citewhy.ranking.intents.like import alike, reasons
from citewhy.ranking.intents.ranking import IntentRanking
from citewhy.ranking.missing.considering import CONSIDERED, Considered, consider
from citewhy.ranking.model_set import PACKAGE_MODELS, ModelSet
from citewhy.ranking.rank.candidates import Candidates
from citewhy.ranking.rank.ranked import Ranked
from citewhy.ranking.rank.ranker import PIPELINES, Pipeline, Ranker
from citewhy.ranking.rank.reranking import Reranking
from citewhy.ranking.rank.tuning import Tuning
from citewhy.ranking.sets.completing import Sets
from citewhy.search.encode import CachedEncoder, Encoder, default_encoder
from citewhy.search.encode.texts import paper_text
from citewhy.search.index import Encoded, Index, open_index
from citewhy.search.index.view import View
from citewhy.search.retrieve.scoped import ScopedQuery, encode_at_once
from citewhy.search.retrieve.stages import FIRST_STAGES
from citewhy.search.rules import Pool, QueryRows, Rules

_REMEMBERED = 16_384
"""Number of texts whose vectors are cached in memory, 1.5 kB each: more than a thesis has citations."""

_AT_ONCE = 32
"""Number of sentences after which progress is reported."""

_AHEAD = 16
"""Number of queries that are encoded at once: enough for all cores, and soon ready."""

_ROWS_KEPT = 65_536
"""Number of ids whose rows are kept."""

_DEPTH = 1000
"""Number of top candidates among which a `Choice` may choose."""


Choice = Callable[[Sequence[str]], Collection[str]]
"""A function that is given the ids of the candidates, best first, and returns those to put first."""


@dataclass(frozen=True, slots=True)
class Answering:
    """The models that answer queries of one kind."""

    pipeline: Pipeline
    first_stages: tuple[str, ...]
    """Names of the first stages, in the order in which they run."""
    reranker: str | None
    """Name of the reranker; None if none answers this kind."""


class Recommender:
    """Recommends papers from a library, for every kind of query.

    Safe for use by many threads. Answers are based on the state of the library when the recommender was
    created; later additions are not used.
    """

    def __init__(
        self,
        library: Library,
        pipeline: Pipeline = "full",
        pool: Pool = "all",
        hidden_ids: Collection[str] = frozenset(),
        *,
        models: ModelSet = PACKAGE_MODELS,
        index: Index | None = None,
        tuning: Tuning | None = None,
        progress: Encoded | None = None,
    ) -> None:
        """`pipeline` is one of `PIPELINES`; with `pool` ``abstract`` only papers with an abstract are
        candidates; the papers `hidden_ids` are treated as never cited (for experiments).

        First stages with features belong to the pipeline ``full``; those without (with the treatment
        ``fused``) are used in every pipeline. `index` None: the index of the library, updated; papers without
        vectors are encoded first, which `progress` reports. A given index must have the vectors of the
        encoder, unless the pipeline needs none. `tuning` has the weights that were fitted to the author's own
        drafts.

        Raises QueryError for an unknown pipeline or pool, for two rerankers for the same kind of query, for
        two first stages with the same name, and for an index without the vectors of the encoder.
        """
        if pipeline not in PIPELINES:
            raise QueryError(f"there is no pipeline {pipeline}", hint=f"choose from: {', '.join(PIPELINES)}")
        if pool not in ("all", "abstract"):
            raise QueryError(f"there is no pool {pool}", hint="choose from: all, abstract")
        first_stages = (*FIRST_STAGES, *models.first_stages)
        if len({stage.name for stage in first_stages}) < len(first_stages):
            names = ", ".join(stage.name for stage in first_stages)
            raise QueryError("two first stages have the same name", hint=f"names are: {names}")
        self.library = library
        """The library whose papers are recommended."""
        self.pipeline = pipeline
        self._models_calibrated = models.calibrated
        self._first_stages = first_stages
        chosen = None if pipeline == "bm25" else models.encoder or default_encoder()
        # The sentences of a draft are encoded again for every place in it.
        self._encoder = None if chosen is None else _remembering(chosen)
        self.index: Index = open_index(library, self._encoder, progress) if index is None else index
        """The index that is searched."""
        if self._encoder is not None and self.index.encoder != self._encoder.fingerprint:
            raise QueryError(
                f"the index has no vectors of {self._encoder.name}", hint="open it with this encoder"
            )
        self._row_of: dict[str, int] = {}
        self._rules = Rules(pool, hidden=frozenset(self._rows(hidden_ids).values()))
        self.ranker = Ranker(pipeline, first_stages, models.ranker, tuning)
        """The ranker, as it was tuned."""
        self._reranking = Reranking(library, models.rerankers)
        self._support = Support(library, self.index, models.linker)
        self._intents = IntentRanking(library, self.index, models.intents)
        self._sets = Sets(models.sets)
        self.complete = Complete(library, self._sets)
        """The finishing step of `completed`."""
        self._finishing: tuple[Step, ...] = (
            Promote(),
            Explain(library, self._reranking),
            Together(library),
            Intents(self._intents),
            Attach(self._support),
            Credit(library, self._support),
        )

    def answers(self, kind: QueryKind) -> Answering:
        """The models that answer queries of this kind. Every kind is answered: paragraphs and sets are
        treated like sentences unless a model is made for them."""
        stages = {
            "bm25": ["text"],
            "dense": ["vectors"],
            "hybrid": ["text", "vectors"],
            "full": [stage.name for stage in self._first_stages if stage.treatment != "fused"],
        }[self.pipeline]
        added = [stage.name for stage in self._first_stages if stage.treatment == "fused"]
        reranker = self._reranking.of(kind)
        return Answering(self.pipeline, (*stages, *added), None if reranker is None else reranker.name)

    def admitted(self, query: Query, papers: Sequence[Paper]) -> list[Paper]:
        """Returns those of the `papers` of the library that may be suggested for the query, by the rules of
        honest ranking (`search.rules`), whether or not anything in the query leads to them. In the pool
        ``abstract`` a paper without an abstract may: who names a paper means it."""
        numbers = self.library.numbers([paper.id for paper in papers])
        scope = replace(self._rules.scope(query, self._query_rows(query)), pool="all")
        chosen = scope.admitted(
            np.array([numbers[paper.id] for paper in papers], dtype=np.int64),
            np.array([paper.year or 0 for paper in papers], dtype=np.int64),
            np.array([bool(paper.abstract) for paper in papers], dtype=np.bool_),
        )
        return [paper for paper, is_candidate in zip(papers, chosen.tolist(), strict=True) if is_candidate]

    def rank(self, query: Query, k: int) -> Candidates:
        """At most `k` candidates, best first; ties in order of paper id. Raises QueryError for `k` < 1."""
        scoped = self.scoped(query)
        beside_members = len(scoped.members) > 0
        ranked = self._completed(scoped, k).ranked if beside_members else self._ordered(scoped, k)
        return Candidates(ranked.best(k), self.index)

    @traced("question")
    def suggest(
        self, query: Query, k: int, first: Choice | None = None, threshold: float | None = None
    ) -> list[Suggestion]:
        """Returns the best `k` papers with the reasons for each; fewer if there is no evidence for more.

        `first` is given the ids of the top 1,000 candidates, and returns those to put before the others. No
        paper is suggested if the best one has a probability below `threshold` in [0, 1] (None: the threshold
        of the ranker). Raises QueryError for `k` < 1.
        """
        answer = self.completed(query, k)
        ranked = answer.ranked
        if first is not None:
            rows = self._rows(first(self.index.ids(ranked.rows)))
            answer = replace(answer, named=frozenset(rows.values()))
        names_a_candidate = not answer.named.isdisjoint(ranked.rows.tolist())
        if not names_a_candidate and self.ranker.unsure(_surest(ranked, query), threshold):
            return []
        for step in self._finishing:
            with stage(f"finishing: {type(step).__name__}"):
                answer = step(answer)
        return list(answer.suggestions)

    def ahead(self, queries: Iterable[Query]) -> Iterator[Query]:
        """Yields the same queries in their order. While the caller answers some, the texts of the next are
        encoded on the other cores."""
        coming = iter(queries)
        some = list(islice(coming, _AHEAD))
        self._encode(some)
        while some:
            following = list(islice(coming, _AHEAD))
            # A thread for each batch, which ends with it: who stops asking leaves none behind.
            background = ThreadPoolExecutor(1, thread_name_prefix="encoding ahead")
            encoded = background.submit(self._encode, following)
            background.shutdown(wait=False)
            yield from some
            encoded.result()
            some = following

    def remember(self, texts: Sequence[str], progress: Progress) -> None:
        """Encodes sentences that many questions will be compared with, such as a draft's, and reports how
        many are left."""
        if self._encoder is None:
            return
        every = list(dict.fromkeys(text for text in texts if text.strip()))
        for start in range(0, len(every), _AT_ONCE):
            if start:
                progress(f"reading {start:,} of {len(every):,} citing sentences", start / len(every))
            self._encoder.encode(every[start : start + _AT_ONCE], "query")

    def _encode(self, queries: Collection[Query]) -> None:
        if self.pipeline == "full":
            encode_at_once(queries, self._encoder)

    def classify_contexts(self, progress: Progress) -> None:
        """Classifies the citing sentences of the library by their intents, as the first query with an intent
        otherwise does."""
        self._intents.read(
            lambda done, of: progress(f"intents: {done:,} of {of:,} citing sentences", done / max(of, 1))
        )

    def like(
        self, paper: Paper, k: int, intent: Intent | None = None, year: int | None = None
    ) -> list[Suggestion]:
        """The best `k` papers like `paper`, a paper in the library, in the aspect that citations with
        `intent` are about (`intents.like`), as of `year`; without one, what is suggested for the whole paper.
        Raises QueryError for an intent with a pipeline or an index without vectors."""
        query = Query(
            "global", title=paper.title, abstract=paper.abstract, year=year, excluded_ids=(paper.id,)
        )
        if intent is None:
            return self.suggest(query, k, threshold=0.0)
        if self._encoder is None:
            raise QueryError(f"the pipeline {self.pipeline} has no vectors", hint="use another pipeline")
        if self.index.unencoded:
            raise QueryError(
                f"{self.index.unencoded:,} texts of the library are not encoded yet, and similar papers are "
                "found by vectors",
                hint=f"encode them: citewhy sync{' --encode titles' if self.index.as_chosen else ''}",
            )
        scoped = self.scoped(query)
        (row,) = self._rows([paper.id]).values()
        vector = self._encoder.encode([paper_text(paper)], "paper")[0]
        alike_papers = alike(scoped.view, self._intents, row, vector, intent, k)
        why = reasons(alike_papers, scoped.view, self._intents.table, intent, paper)
        papers = self.library.papers(self.index.ids(alike_papers.rows))
        return [
            Suggestion(papers[name], float(score), tuple(because))
            for name, score, because in zip(
                self.index.ids(alike_papers.rows), alike_papers.scores, why, strict=True
            )
            if name in papers
        ]

    def considered(self, query: Query) -> Considered:
        """The works that a whole paper does not cite and might consider, most probable first: those of its
        ranking, by what its known papers and papers like it say of them (`ranking.missing`)."""
        answer = self.begun(query, CONSIDERED)
        return consider(self.library, answer.scoped, answer.ranked)

    def attach(self, query: Query, suggestions: Sequence[Suggestion]) -> list[Suggestion]:
        """The suggestions with the passages of their papers that support the claim of the query, and with
        what was said of these papers, as those of `suggest` have them."""
        return self._support.attach(query, with_notices(self.library, suggestions))

    # The parts of an answer, for training and evaluation ---------------------------------------------------

    def scoped(self, query: Query, view: View | None = None) -> ScopedQuery:
        """Returns the query within its scope, by the rules of this recommender, with what was computed for
        `view`, if that has the same scope."""
        rows = self._query_rows(query)
        return ScopedQuery(query, rows, self.index, self._rules, self._encoder, view=view)

    def begun(self, query: Query, k: int) -> AnswerInProgress:
        """Returns the query with its candidates in the order of the ranker: at least the best `k`, if there
        are as many. Raises QueryError for `k` < 1."""
        return self._begun(self.scoped(query), k)

    def completed(self, query: Query, k: int) -> AnswerInProgress:
        """Returns the same after the first finishing step: the papers that are proposed together, and where
        the citation has papers already, the order beside them."""
        return self._completed(self.scoped(query), k)

    @property
    def has_vectors(self) -> bool:
        """Whether it ranks with the vectors of the papers, or needs none."""
        return self._encoder is None or not self.index.unencoded

    @property
    def calibrated(self) -> bool:
        """Whether its probabilities hold; they are fitted with vectors."""
        return self._models_calibrated and self.has_vectors

    def pool_size(self, query: Query) -> int:
        """The number of papers that are candidates for this query before the first stages."""
        return self.index.view(self._rules.scope(query, self._query_rows(query))).pool_size()

    def _begun(self, scoped: ScopedQuery, k: int) -> AnswerInProgress:
        _check_count(k)
        alone = self._without_members(scoped)
        ranked = self._ordered(alone, max(k, _DEPTH), grouped=alone is scoped)
        return AnswerInProgress(scoped, ranked, k)

    def _completed(self, scoped: ScopedQuery, k: int) -> AnswerInProgress:
        return self.complete(self._begun(scoped, k))

    def _ordered(self, scoped: ScopedQuery, k: int, *, grouped: bool = True) -> Ranked:
        """Returns at most `k` papers, best first, in the order without the members of a citation. `grouped`:
        papers that belong to a citation with the first rise (`sets.completing.grouped`)."""
        _check_count(k)
        reranker, intent = self._reranking.of(scoped.query.kind), scoped.query.intent
        depth = k if intent is None and not grouped else max(k, _DEPTH)
        ranked = self.ranker.rank(scoped, depth if reranker is None else max(depth, reranker.depth))
        ranked = self._sets.grouped(scoped, ranked) if grouped else ranked
        ranked = self._reranking.reorder(ranked, scoped)
        if intent is not None:
            ranked = self._intents.reorder(ranked, scoped.view, intent)
        return ranked.best(k)

    def _without_members(self, scoped: ScopedQuery) -> ScopedQuery:
        """Returns the question as the ranker sees it, on the same view: without the members of its citation,
        which the set model weighs. The ranker was made for the known papers of a whole draft, and a few alone
        mislead it. With them, if a reranker answers sets."""
        query = scoped.query
        if query.kind != "set" or self._reranking.of("set") is not None or self.pipeline != "full":
            return scoped
        known = tuple(paper_id for paper_id in query.known_ids if paper_id not in query.member_ids)
        excluded = (*query.excluded_ids, *query.member_ids)
        alone = replace(query, kind="local", member_ids=(), known_ids=known, excluded_ids=excluded)
        return self.scoped(alone, scoped.view)

    def _query_rows(self, query: Query) -> QueryRows:
        lists = (query.known_ids, query.member_ids, query.excluded_ids, query.copy_ids)
        rows = self._rows([query.citing_id, *(paper_id for ids in lists for paper_id in ids)])
        return QueryRows(
            citing=rows.get(query.citing_id, -1),
            known=tuple(rows[paper_id] for paper_id in query.known_ids if paper_id in rows),
            members=tuple(rows[paper_id] for paper_id in query.member_ids if paper_id in rows),
            excluded=tuple(rows[paper_id] for paper_id in query.excluded_ids if paper_id in rows),
            copies=tuple(rows[paper_id] for paper_id in query.copy_ids if paper_id in rows),
        )

    def _rows(self, ids: Collection[str]) -> dict[str, int]:
        """The row of each id that the index has; another process may have added papers since it was
        opened. Kept, because every place of a draft asks for the same ids."""
        rows = self._row_of
        if missing := {paper_id for paper_id in ids if paper_id and paper_id not in rows}:
            numbers = self.library.numbers(missing)
            known = {paper_id: number for paper_id, number in numbers.items() if self.index.knows(number)}
            if len(rows) + len(known) > _ROWS_KEPT:
                rows = self._row_of = {paper_id: rows[paper_id] for paper_id in ids if paper_id in rows}
            rows.update(known)
        return {paper_id: rows[paper_id] for paper_id in ids if paper_id in rows}


def _remembering(encoder: Encoder) -> CachedEncoder:
    """The encoder with what it encoded last. All recommenders share it, since a library that has changed has
    another recommender, and the sentences of the draft stay the same."""
    if isinstance(encoder, Hashable):
        return _shared(encoder)
    return CachedEncoder(encoder, most=_REMEMBERED)


@functools.lru_cache(maxsize=2)
def _shared(encoder: Encoder) -> CachedEncoder:
    return CachedEncoder(encoder, most=_REMEMBERED)


def forget_encoded() -> None:
    """Forgets the encoders that recommenders share, with what they encoded last."""
    _shared.cache_clear()


def _check_count(k: int) -> None:
    if k < 1:
        raise QueryError(f"{k} papers cannot be ranked", hint="ask for at least one")


def _surest(ranked: Ranked, query: Query) -> Ranked:
    """The ranking; if an intent has changed the order, its most probable paper alone."""
    if query.intent is None or not len(ranked.probabilities):
        return ranked
    return ranked.take([int(ranked.probabilities.argmax())])

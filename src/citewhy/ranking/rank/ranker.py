"""Ranks the papers of a query: by words, by vectors, by both, or by all features and the learned ranker."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import ModelError
from citewhy.base.trace import traced
from citewhy.models.numbers import require_numbers, require_probabilities
from citewhy.ranking.rank.features import FEATURES, features
from citewhy.ranking.rank.fusion import reciprocal_ranks
from citewhy.ranking.rank.last_step import THRESHOLDS, LastStep, regime_of
from citewhy.ranking.rank.last_step_features import BaseOrder, last_step_features
from citewhy.ranking.rank.linear import weights_name
from citewhy.ranking.rank.linear_trees import FIRST
from citewhy.ranking.rank.model import RankerModel, Scored, default_model
from citewhy.ranking.rank.ranked import Ranked
from citewhy.ranking.rank.signals import Signals, signals
from citewhy.ranking.rank.tuning import Tuning
from citewhy.search.index import Hits
from citewhy.search.index.arrays import Rows
from citewhy.search.retrieve.candidates import candidates
from citewhy.search.retrieve.first_stage import FirstStage
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.search.retrieve.sparse import best
from citewhy.search.retrieve.stages import FIRST_STAGES
from citewhy.search.retrieve.terms import query_terms

Pipeline = Literal["bm25", "dense", "hybrid", "full"]

PIPELINES: tuple[Pipeline, ...] = get_args(Pipeline)
"""``bm25``: title and abstract against the words of the query; ``dense``: by vectors; ``hybrid``: the two
fused by their ranks; ``full``: all first stages, in the order of the learned ranker."""

MOST_SEEN = 600
"""Candidates that the last step orders, unless more than these must be seen (`_must_be_seen`)."""

BEST_SEEN = 20
"""Papers that words alone, and vectors alone, put first, which the last step sees wherever they stand."""

FUSED = 1000
"""Papers of each ranking that are fused."""


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """The candidates of a query and what the ranker sees of them."""

    rows: Rows
    """[n] ascending."""
    table: NDArray[np.float32]
    """[n, len(FEATURES)]."""
    signals: Signals
    hits: Mapping[str, Hits]
    """Each stands under the name of its first stage."""


class Ranker:
    """Ranks candidates. Threads share it, if they may share its `stages`.

    `stages` are the first stages of the pipeline ``full``; those without features are fused with every
    pipeline. `model` None: the default one. `tuning` changes its last step.
    """

    def __init__(
        self,
        pipeline: Pipeline = "full",
        stages: Sequence[FirstStage] = FIRST_STAGES,
        model: RankerModel | None = None,
        tuning: Tuning | None = None,
    ) -> None:
        self._pipeline = pipeline
        self._stages = tuple(stages)
        self._added = tuple(stage for stage in stages if stage.treatment == "fused")
        self._given = model
        self._tuning = tuning

    def rank(self, scoped: ScopedQuery, k: int) -> Ranked:
        """The best `k` candidates, fewer where fewer have anything in common with the query."""
        if self._pipeline == "full":
            return self._learned(scoped, k)
        added = candidates(scoped, self._added).hits
        depth = max(k, FUSED) if added else k
        if self._pipeline == "bm25":
            ranked = Ranked.by_score(_by_words(scoped, depth))
        elif self._pipeline == "dense":
            ranked = Ranked.by_score(scoped.view.nearest(scoped.vector, depth))
        else:
            depth = max(depth, FUSED)
            rankings = _by_words(scoped, depth), scoped.view.nearest(scoped.vector, depth)
            ranked = Ranked.by_score(best(scoped.index, *reciprocal_ranks(rankings), depth))
        return _fused(scoped, ranked, added, k)

    def table(self, scoped: ScopedQuery) -> CandidateTable:
        """All candidates, not yet ranked: what the learned ranker is trained on."""
        chosen = candidates(scoped, self._stages)
        known = signals(scoped, chosen.rows)
        return CandidateTable(chosen.rows, features(known), known, chosen.hits)

    def unsure(self, ranked: Ranked, threshold: float | None = None) -> bool:
        """Is even the best candidate right with a probability below the threshold (None: the model's own)?

        Never said of a ranking without probabilities.
        """
        if not len(ranked.probabilities):
            return False
        table = ranked.last_table  # the best paper is one that the last step has seen
        own = self._model.threshold if table is None else THRESHOLDS[regime_of(table[:1])]
        least = own if threshold is None else threshold
        return float(ranked.probabilities[0]) < least

    @property
    def _model(self) -> RankerModel:
        return self._given or default_model()

    @functools.cached_property
    def last_step_model(self) -> LastStep | None:
        """Returns the last step as it was tuned."""
        model = self._model.last_step
        return model if model is None or self._tuning is None else model.tuned(self._tuning)

    def last_step(self, scoped: ScopedQuery) -> tuple[Rows, NDArray[np.float32]]:
        """[n] candidates and [n, len(LAST_STEP_FEATURES)] what the last step sees of them, before it orders
        them."""
        _, first, table = _seen_by_last_step(scoped, self._ordered(scoped)[1])
        return first.rows, table

    def _learned(self, scoped: ScopedQuery, k: int) -> Ranked:
        seen, ranked = self._ordered(scoped)
        model = self.last_step_model
        if model is not None and scoped.query.kind != "global":  # whole papers have no sentence
            ranked = self._last_step(scoped, ranked, model)
        added = {stage.name: seen.hits[stage.name] for stage in self._added}
        return _fused(scoped, ranked, added, k)

    @traced("candidates ordered")
    def _ordered(self, scoped: ScopedQuery) -> tuple[CandidateTable, Ranked]:
        """All candidates in the order of the linear model and the trees."""
        scoped.encode_at_once()
        seen = self.table(scoped)
        view, query = scoped.view, scoped.query
        name = weights_name(
            query.kind, seen.signals.knows, view.has_contexts(), query.year, view.evidence_until()
        )
        scored = _checked(
            self._model.order(seen.table, scoped.index.id_ranks(seen.rows), name), len(seen.rows), self._model
        )
        return seen, Ranked(
            seen.rows[scored.order],
            scored.scores,
            seen.table[scored.order],
            scored.probabilities,
            seen.signals,
            self._model.weights[name],
        )

    @traced("last step of the order")
    def _last_step(self, scoped: ScopedQuery, ranked: Ranked, model: LastStep) -> Ranked:
        """The last step: the first candidates, and all that draft and sentence name, in a new order."""
        positions, _, table = _seen_by_last_step(scoped, ranked)
        scores = model.scores(table)
        probabilities = np.zeros(len(ranked.rows))
        probabilities[positions] = model.probabilities(table, scores, scoped.query.kind)
        competing = np.zeros(len(ranked.rows))
        competing[positions] = model.competing(table, scores, scoped.query.kind)
        tables = np.full((len(ranked.rows), table.shape[1]), np.nan, dtype=np.float32)
        tables[positions] = table
        moved = ranked.scores - ranked.scores.max(initial=-np.inf)  # those that it did not see, behind
        moved += np.nextafter(scores.min(initial=0.0), np.float32(-np.inf))
        moved[positions] = scores
        reordered = replace(
            ranked,
            scores=moved,
            probabilities=probabilities,
            competing=competing,
            last_table=tables,
            last_step=model,
        )
        return reordered.take(np.lexsort((scoped.index.id_ranks(ranked.rows), -moved)).tolist())


def _checked(scored: Scored, count: int, model: RankerModel) -> Scored:
    """`scored`. Raises ModelError for anything but an order of all candidates, and finite numbers."""
    ranker = f"the ranker {model.name}"
    require_numbers(scored.order, (count,), ranker, whole=True)
    require_numbers(scored.scores, (count,), ranker)
    require_probabilities(scored.probabilities, (count,), ranker)
    if not np.array_equal(np.sort(scored.order), np.arange(count)):
        raise ModelError(f"{ranker} does not order all candidates", hint="train it again, or leave it out")
    return scored


def _seen_by_last_step(
    scoped: ScopedQuery, ranked: Ranked
) -> tuple[NDArray[np.int64], Ranked, NDArray[np.float32]]:
    """Places in `ranked` of the candidates that the last step orders, these candidates, and their
    features."""
    seen = _must_be_seen(scoped, ranked)
    seen[:FIRST] = True
    listed = np.flatnonzero(np.isin(ranked.rows, list(scoped.cited_in_draft.values())) & ~seen)
    seen[listed[: max(MOST_SEEN - int(seen.sum()), 0)]] = True
    positions = np.flatnonzero(seen)
    first = ranked.take(positions.tolist())
    base = BaseOrder(first.rows, first.scores, first.probabilities, first.table)
    return positions, first, last_step_features(scoped, base)


def _must_be_seen(scoped: ScopedQuery, ranked: Ranked) -> NDArray[np.bool_]:
    """[n] which candidates the last step sees however many there are: those that the draft cites elsewhere,
    those that the sentence names, and the first by words and by vectors."""
    named = scoped.named
    chosen = np.isin(
        ranked.rows,
        np.concatenate([scoped.cited_elsewhere, named.introduced, named.first_authors]),
    )
    for column in ("text", "cosine") if ranked.table.shape[1] else ():
        values = ranked.table[:, FEATURES.index(column)]
        best_of = np.argsort(-values, kind="stable")[:BEST_SEEN]
        chosen[best_of[values[best_of] > 0]] = True
    return chosen


def _by_words(scoped: ScopedQuery, k: int) -> Hits:
    terms = query_terms(scoped.query, title_weight=1.0)
    return scoped.view.search("text", terms, scoped.parameters.text, k)


def _fused(scoped: ScopedQuery, ranked: Ranked, added: Mapping[str, Hits], k: int) -> Ranked:
    """The best `k` by the ranks of `ranked` and of what first stages without features found.

    Where these found nothing, the order and its probabilities are as they were; else no probability is known.
    """
    with_papers = {name: hits for name, hits in added.items() if len(hits.rows)}
    if not with_papers:
        return ranked.best(k)
    rankings = [Hits(ranked.rows, ranked.scores), *with_papers.values()]
    fused = best(scoped.index, *reciprocal_ranks(rankings), k)
    table, last_table = np.zeros((len(fused.rows), 0), dtype=np.float32), None
    if ranked.table.shape[1]:  # of all candidates, those that were added among them
        by_row = np.argsort(ranked.rows)
        positions = by_row[np.searchsorted(ranked.rows, fused.rows, sorter=by_row)]
        table = ranked.table[positions]
        last_table = None if ranked.last_table is None else ranked.last_table[positions]
    return replace(
        ranked,
        rows=fused.rows,
        scores=fused.scores,
        table=table,
        last_table=last_table,
        probabilities=np.zeros(0),
        competing=None,
        added=with_papers,
    )

"""Ranked papers as suggestions with reasons."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from citewhy.base.records import Paper, Reason, Suggestion
from citewhy.papers.library.store import Library
from citewhy.ranking.explain.reasons import CONTRIBUTIONS, Explainer
from citewhy.ranking.explain.words import words_reason
from citewhy.ranking.rank.last_step import EVIDENCE
from citewhy.ranking.rank.ranked import FeatureRow, Ranked
from citewhy.search.index.arrays import Floats
from citewhy.search.retrieve.scoped import ScopedQuery


def explain(
    library: Library,
    scoped: ScopedQuery,
    ranked: Ranked,
    named: Collection[int] = (),
    reranked: Mapping[int, tuple[Reason, ...]] = MappingProxyType({}),
) -> list[Suggestion]:
    """Suggestions in the order of the ranked papers, without papers that nothing supports.

    `named` are rows that the caller has a reason for. `reranked` are the reasons of a reranker by row; as it
    decides the order, reasons of the ranking before it are shown without weights.
    """
    ids = scoped.index.ids(ranked.rows)
    papers = library.papers(ids)
    idf = scoped.view.idf(scoped.terms)
    signals = ranked.signals
    explainer = None
    if signals is not None:
        cosines = scoped.view.paper_cosines(ranked.rows, scoped.known)
        near = dict(zip(ranked.rows.tolist(), cosines, strict=True))
        explainer = Explainer(library, scoped, signals, idf, near)
    of_draft = _draft_shares(ranked)
    suggestions = []
    for position, (row, score) in enumerate(zip(ranked.rows.tolist(), ranked.scores.tolist(), strict=True)):
        paper = papers.get(ids[position])
        if paper is None:  # removed by another process since the index was opened
            continue
        added = _added(ranked, row)
        if explainer is not None:
            shares = _shares(FeatureRow(ranked.table, position), ranked.weights)
            if of_draft is not None:
                rest = float(of_draft["rest"][position])
                shares = {kind: share * rest for kind, share in shares.items()}
                shares |= {kind: float(of_draft[kind][position]) for kind in EVIDENCE}
            reasons = (*explainer.reasons(row, paper, shares), *added)
        else:
            reasons = _by_one_score(scoped, row, paper, idf, added)
        if row in reranked:
            reasons = (*reranked[row], *(replace(reason, weight=0.0) for reason in reasons))
        if not reasons and row in named:
            reasons = (Reason("key", "requested by its id", 0.0),)
        if reasons:
            sure = float(ranked.probabilities[position]) if len(ranked.probabilities) else None
            suggestions.append(Suggestion(paper, score, reasons, probability=sure))
    return suggestions


def _draft_shares(ranked: Ranked) -> dict[str, Floats] | None:
    """The basis of the last step's score of each paper; None if the step was not used."""
    if ranked.last_table is None or ranked.last_step is None:
        return None
    return ranked.last_step.shares(np.nan_to_num(ranked.last_table))


def _by_one_score(
    scoped: ScopedQuery, row: int, paper: Paper, idf: Mapping[str, float], added: tuple[Reason, ...]
) -> tuple[Reason, ...]:
    """The reason for a paper that was found only by its words, or only by its vector."""
    if matched := words_reason(scoped.query, paper, idf):
        return (Reason("words", matched, 1.0), *added)
    # Words longer than what is indexed can match without being equal.
    if scoped.view.scores("text", scoped.terms, scoped.parameters.text, np.array([row]))[0] > 0:
        return (Reason("words", "shares words with the query", 1.0), *added)
    return added or (Reason("meaning", "close in meaning", 1.0),)


def _added(ranked: Ranked, row: int) -> tuple[Reason, ...]:
    """The first stages without features that found the paper."""
    return tuple(
        Reason("first-stage", f"found by {name}", 0.0)
        for name, hits in ranked.added.items()
        if row in hits.rows
    )


def _shares(features: Mapping[str, float], weights: Mapping[str, float]) -> dict[str, float]:
    """Share of each kind of reason in the positive contributions to the score."""
    gains = {
        kind: max(sum(weights.get(name, 0.0) * features[name] for name in names if name in features), 0.0)
        for kind, names in CONTRIBUTIONS.items()
    }
    total = sum(gains.values())
    return {kind: gain / total for kind, gain in gains.items()} if total > 0 else {}

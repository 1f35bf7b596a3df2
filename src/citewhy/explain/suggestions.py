"""Ranked rows become suggestions: the paper, and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

from citewhy.explain.reasons import CONTRIBUTIONS, Explainer
from citewhy.explain.words import matched_words
from citewhy.index import Index
from citewhy.index.local.bm25 import idf
from citewhy.library.store import Library
from citewhy.rank.ranker import FeatureRow, Ranked
from citewhy.records import Paper, Query, Reason, Suggestion
from citewhy.retrieve.lexical import Terms, query_terms

__all__ = ["explain"]


def explain(
    library: Library,
    index: Index,
    query: Query,
    ranked: Ranked,
    weighing: Mapping[str, float],
    named: Collection[int] = (),
    reread: Mapping[int, tuple[Reason, ...]] = MappingProxyType({}),
) -> list[Suggestion]:
    """Suggestions in the order of the ranked rows, but none for a paper that nothing speaks for.

    `weighing` are the weights that the features were summed with, `named` rows that whoever asks has a reason
    for, `reread` the reasons of a reranker by row: it has the last word, so that those of the first stage are
    told without a weight.
    """
    tables = index.tables
    ids = [tables.paper_id(row) for row in ranked.rows.tolist()]
    papers = library.papers(ids)
    rarity = _rarity(index, query_terms(query))
    explainer = None if ranked.signals is None else Explainer(library, tables, query, ranked.signals, rarity)
    suggestions = []
    for place, (row, score) in enumerate(zip(ranked.rows.tolist(), ranked.scores.tolist(), strict=True)):
        paper = papers.get(ids[place])
        if paper is None:  # removed by another process since the index was opened
            continue
        reasons = (
            _plainly(index, query, row, paper, rarity)
            if explainer is None
            else explainer.reasons(row, paper, _shares(FeatureRow(ranked.table, place), weighing))
        )
        if row in reread:
            reasons = (*reread[row], *(replace(reason, weight=0.0) for reason in reasons))
        if not reasons and row in named:
            reasons = (Reason("key", "it is asked for by name", 0.0),)
        if reasons:
            sure = float(ranked.probabilities[place]) if len(ranked.probabilities) else None
            suggestions.append(Suggestion(paper, score, reasons, probability=sure))
    return suggestions


def _plainly(index: Index, query: Query, row: int, paper: Paper, rarity: Terms) -> tuple[Reason, ...]:
    """The reason for a paper that was found by its words alone, or by its meaning alone."""
    if matched := matched_words(query, paper, rarity):
        return (Reason("words", f"matches: {', '.join(matched)}", 1.0),)
    # Words beyond the length that is indexed may meet without being equal.
    if index.text.cover(list(rarity))[row] > 0:
        return (Reason("words", "shares words with the query", 1.0),)
    return (Reason("meaning", "it is near in meaning", 1.0),)


def _shares(features: Mapping[str, float], weighing: Mapping[str, float]) -> dict[str, float]:
    """Share of each kind of reason in what speaks for the paper; what speaks against it is left out."""
    gains = {
        kind: max(sum(weighing.get(name, 0.0) * features[name] for name in names if name in features), 0.0)
        for kind, names in CONTRIBUTIONS.items()
    }
    total = sum(gains.values())
    return {kind: gain / total for kind, gain in gains.items()} if total > 0 else {}


def _rarity(index: Index, terms: Terms) -> Terms:
    """idf of each term among the papers' texts."""
    having = index.text.document_frequencies(list(terms))
    return {term: idf(index.text.size, count) for term, count in zip(terms, having, strict=True)}

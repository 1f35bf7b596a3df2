"""What is known about each candidate of one query: the numbers that features are made of. Nothing is
weighed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from citewhy.index.arrays import Floats, Rows
from citewhy.index.engine import PaperFacts
from citewhy.retrieve.scoped import ScopedQuery
from citewhy.retrieve.sparse import Sparse

__all__ = ["NEAREST_KNOWN", "Signals", "signals"]

NEAREST_KNOWN = 3
"""Known papers that a candidate is compared with: those nearest to it."""


@dataclass(frozen=True, slots=True)
class Signals:
    """[n] each, for the candidates `rows`; [n, `NEAREST_KNOWN`] for `known_cosines`."""

    rows: Rows
    """Ascending."""
    query_words: float
    """Number of the query's words, by their weights; at least 1."""
    now: float
    """The query's year, or else that of the newest paper."""
    knows: bool
    """Does the draft cite papers that the library has?"""
    facts: PaperFacts
    text: Floats
    """BM25 of title and abstract."""
    title: Floats
    """BM25 of the title."""
    title_cover: Floats
    """Share of the title's rarity (sum of idf) that the query's words make up, in [0, 1]."""
    passage: Floats
    """Share of the query's rarity that stands together in one passage, in [0, 1]."""
    feedback: Floats
    """BM25 of title and abstract for the words of the best papers so far."""
    nearest_context: Floats
    """BM25 of the most similar sentence that cites the paper."""
    contexts: Floats
    """BM25 of all sentences that cite the paper, as one text."""
    context_cosine: Floats
    """Cosine of the query's sentence and the sentence nearest in meaning that cites the paper; 0 where that
    is not among the nearest of all."""
    has_context_cosine: Floats
    """1 where it is."""
    cosine: Floats
    """Of the vectors of query and paper."""
    known_cosines: Floats
    """With the nearest known papers, the largest first; 0 where fewer are known."""
    cocited: Floats
    """`retrieve.neighbours`, of the known papers."""
    coupled: Floats
    linked: Floats
    written: Floats
    """Number of the draft's authors who wrote the paper."""
    cited_before: Floats
    """Times that they cited it in other papers."""


def signals(scoped: ScopedQuery, rows: Rows) -> Signals:
    """Of the candidates `rows`, ascending."""
    view, terms, parameters = scoped.view, scoped.terms, scoped.parameters
    contexts, near, past = scoped.contexts_near, scoped.neighbours, scoped.history
    meant = Sparse(contexts.rows, contexts.cosines).at(rows)
    return Signals(
        rows=rows,
        query_words=max(sum(terms.values()), 1.0),
        now=float(scoped.query.year or scoped.index.newest_year),
        knows=len(scoped.known) > 0,
        facts=view.facts(rows),
        text=view.scores("text", terms, parameters.text, rows),
        title=view.scores("title", terms, parameters.title, rows),
        title_cover=view.title_cover(terms, rows),
        passage=view.best_passages(terms, rows),
        feedback=view.scores("text", scoped.feedback_terms, parameters.text, rows),
        nearest_context=view.scores("nearest_context", terms, parameters.nearest_context, rows),
        contexts=view.scores("contexts", terms, parameters.contexts, rows),
        context_cosine=meant,
        has_context_cosine=(meant > 0).astype(np.float32),
        cosine=view.cosines(scoped.vector, rows),
        known_cosines=_known_cosines(scoped, rows),
        cocited=near.cocited.at(rows),
        coupled=near.coupled.at(rows),
        linked=near.linked.at(rows),
        written=past.written.at(rows),
        cited_before=past.cited.at(rows),
    )


def _known_cosines(scoped: ScopedQuery, rows: Rows) -> Floats:
    """[n, NEAREST_KNOWN]; no paper is near itself."""
    found = np.zeros((len(rows), NEAREST_KNOWN), dtype=np.float32)
    if len(scoped.known) and len(rows):
        cosines = scoped.view.paper_cosines(rows, scoped.known)
        cosines[rows[:, None] == scoped.known[None, :]] = 0
        largest = -np.sort(-cosines, axis=1)[:, :NEAREST_KNOWN]
        found[:, : largest.shape[1]] = largest
    return found

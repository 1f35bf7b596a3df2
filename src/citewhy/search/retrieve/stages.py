"""The first stages of the package. The features of the ranker represent their scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from citewhy.search.index import Hits
from citewhy.search.retrieve.first_stage import FirstStage, Treatment
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.search.retrieve.sparse import best, relative, union

_FOUND = 2000
"""Number of papers that a stage by words, citations or authors returns."""


class Words:
    """Papers that share words with the query, or with the best papers so far (relevance feedback)."""

    name = "words"
    treatment: Treatment = "screened"

    def candidates(self, scoped: ScopedQuery) -> Hits:
        rows = union(scoped.by_text.rows, scoped.by_feedback.rows)
        scores = scoped.relative("text", rows) + scoped.relative("text", rows, scoped.feedback_terms)
        return best(scoped.index, rows, scores, _FOUND)


class ContextWords:
    """Papers whose citing sentences share words with the query: a single sentence, or all of them
    together."""

    name = "citing contexts"
    treatment: Treatment = "screened"

    def candidates(self, scoped: ScopedQuery) -> Hits:
        rows = union(scoped.by_contexts.rows, scoped.by_nearest_context.rows)
        scores = scoped.relative("contexts", rows) + scoped.relative("nearest_context", rows)
        return best(scoped.index, rows, scores, _FOUND)


class ContextMeaning:
    """Papers that are cited in the citing sentences nearest in meaning to the query."""

    name = "similar citing contexts"
    treatment: Treatment = "kept"

    def candidates(self, scoped: ScopedQuery) -> Hits:
        near = scoped.contexts_near
        return best(scoped.index, near.rows, near.cosines, len(near.rows))


class Graph:
    """Neighbours, in the citation graph, of the papers that the draft already cites."""

    name = "neighbours of the known papers"
    treatment: Treatment = "screened"

    def candidates(self, scoped: ScopedQuery) -> Hits:
        near = scoped.neighbours
        rows = union(near.cocited.rows, near.coupled.rows, near.linked.rows)
        return best(scoped.index, rows, near.relative(rows), _FOUND)


class OwnHistory:
    """Papers that the authors of the draft wrote, or cited in other papers."""

    name = "authors"
    treatment: Treatment = "screened"

    def candidates(self, scoped: ScopedQuery) -> Hits:
        past = scoped.history
        rows = union(past.written.rows, past.cited.rows)
        scores = relative(past.written.at(rows)) + relative(past.cited.at(rows))
        return best(scoped.index, rows, scores, _FOUND)


class Vectors:
    """Papers whose vectors are nearest to that of the query."""

    name = "vectors"
    treatment: Treatment = "kept"

    def candidates(self, scoped: ScopedQuery) -> Hits:
        return scoped.by_vector


class InDraft:
    """Papers that the draft cites elsewhere, or lists in its bibliography."""

    name = "the draft"
    treatment: Treatment = "kept"

    def __init__(self, count: int = 1000) -> None:
        self.count = count

    def candidates(self, scoped: ScopedQuery) -> Hits:
        rows = np.array(sorted(set(scoped.cited_in_draft.values())), dtype=np.int64)
        cited = np.isin(rows, scoped.cited_elsewhere)  # before what is only listed, which may be thousands
        return best(scoped.index, rows, scoped.relative("text", rows) + cited.astype(np.float32), self.count)


class NamedPapers:
    """Papers that the sentence names, by a name that they introduce or by their first author."""

    name = "names"
    treatment: Treatment = "kept"

    def __init__(self, count: int = 200) -> None:
        self.count = count

    def candidates(self, scoped: ScopedQuery) -> Hits:
        named = scoped.named
        rows = np.union1d(named.introduced, named.first_authors).astype(np.int64)
        scores = scoped.relative("text", rows) + np.isin(rows, named.introduced)
        return best(scoped.index, rows, scores.astype(np.float32), self.count)


FIRST_STAGES: Sequence[FirstStage] = (
    Words(),
    ContextWords(),
    ContextMeaning(),
    Graph(),
    OwnHistory(),
    Vectors(),
    NamedPapers(),
    InDraft(),
)
"""All first stages. Their order does not affect the results."""

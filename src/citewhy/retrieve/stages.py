"""The first stages that come with the package. The ranker's features tell what each of them finds."""

from __future__ import annotations

from collections.abc import Sequence

from citewhy.index.engine import Hits
from citewhy.retrieve.first_stage import FirstStage, Treatment
from citewhy.retrieve.scoped import ScopedQuery
from citewhy.retrieve.sparse import best, relative, union

__all__ = ["FIRST_STAGES", "ContextMeaning", "ContextWords", "Graph", "OwnHistory", "Vectors", "Words"]

_FOUND = 2000
"""Papers that a stage finds by words, by citations or by authors."""


class Words:
    """Papers whose own words are the query's, or those of the best papers so far (relevance feedback)."""

    name = "words"
    treatment: Treatment = "screened"

    def candidates(self, scoped: ScopedQuery) -> Hits:
        rows = union(scoped.by_text.rows, scoped.by_feedback.rows)
        scores = scoped.relative("text", rows) + scoped.relative("text", rows, scoped.feedback_terms)
        return best(scoped.index, rows, scores, _FOUND)


class ContextWords:
    """Papers that others cite in the query's words: in one sentence, or in all of them together."""

    name = "citing contexts"
    treatment: Treatment = "screened"

    def candidates(self, scoped: ScopedQuery) -> Hits:
        rows = union(scoped.by_contexts.rows, scoped.by_nearest_context.rows)
        scores = scoped.relative("contexts", rows) + scoped.relative("nearest_context", rows)
        return best(scoped.index, rows, scores, _FOUND)


class ContextMeaning:
    """Papers that the citing sentences nearest in meaning cite."""

    name = "similar citing contexts"
    treatment: Treatment = "kept"

    def candidates(self, scoped: ScopedQuery) -> Hits:
        near = scoped.contexts_near
        return best(scoped.index, near.rows, near.cosines, len(near.rows))


class Graph:
    """Neighbours, in the citation graph, of what the draft already cites."""

    name = "neighbours of the known papers"
    treatment: Treatment = "screened"

    def candidates(self, scoped: ScopedQuery) -> Hits:
        near = scoped.neighbours
        rows = union(near.cocited.rows, near.coupled.rows, near.linked.rows)
        return best(scoped.index, rows, near.relative(rows), _FOUND)


class OwnHistory:
    """What the authors of the draft have written, or cited in other papers."""

    name = "authors"
    treatment: Treatment = "screened"

    def candidates(self, scoped: ScopedQuery) -> Hits:
        past = scoped.history
        rows = union(past.written.rows, past.cited.rows)
        scores = relative(past.written.at(rows)) + relative(past.cited.at(rows))
        return best(scoped.index, rows, scores, _FOUND)


class Vectors:
    """Papers whose vectors are nearest to the query's."""

    name = "vectors"
    treatment: Treatment = "kept"

    def candidates(self, scoped: ScopedQuery) -> Hits:
        return scoped.by_vector


FIRST_STAGES: Sequence[FirstStage] = (
    Words(),
    ContextWords(),
    ContextMeaning(),
    Graph(),
    OwnHistory(),
    Vectors(),
)
"""In the order in which they are asked; it changes no answer."""

"""A query as an index sees it: with its scope applied, and with what stages and features share of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from citewhy.encode.encoder import Encoder, TextKind, Vectors
from citewhy.encode.texts import query_text
from citewhy.index.arrays import Floats, Rows
from citewhy.index.engine import CitingContexts, Hits, Index, View
from citewhy.index.fields import BM25, Terms, TextField
from citewhy.records import Query
from citewhy.retrieve.authors import History, history
from citewhy.retrieve.feedback import FEEDBACK_PAPERS, feedback_terms
from citewhy.retrieve.neighbours import Neighbours, neighbours
from citewhy.retrieve.parameters import Parameters
from citewhy.retrieve.sparse import best, union
from citewhy.retrieve.terms import query_terms
from citewhy.rules import QueryRows, Rules

__all__ = ["ScopedQuery"]

SEARCHED = 1500
"""Papers that a search by words looks at."""

NEAREST = 500
"""Papers that a search by vector looks at."""

CONTEXTS = 1000
"""Citing sentences that a search by vector looks at."""


class ScopedQuery:
    """What everybody asks with. What is costly is computed when it is first asked for, and once.

    For one thread. `encoder` None: a query without a vector; asking for one raises ValueError.
    """

    def __init__(
        self,
        query: Query,
        rows: QueryRows,
        index: Index,
        rules: Rules,
        encoder: Encoder | None = None,
        parameters: Parameters | None = None,
    ) -> None:
        self.query = query
        self.index = index
        self.view: View = index.view(rules.scope(query, rows))
        self.parameters = parameters or Parameters()
        self.known: Rows = np.unique(np.array([*rows.known, *rows.members], dtype=np.int64))
        """Papers that the draft already cites, ascending."""
        self._encoder = encoder

    # Words ------------------------------------------------------------------------------------------------

    @cached_property
    def terms(self) -> dict[str, float]:
        """Of the query itself."""
        return query_terms(self.query)

    def relative(self, field: TextField, rows: Rows, terms: Terms | None = None) -> Floats:
        """[n] BM25 of `rows` for `terms` (None: the query's), as a share of the largest score of all
        papers."""
        terms = self.terms if terms is None else terms
        bm25: BM25 = getattr(self.parameters, field)
        largest = np.float32(self.view.largest(field, terms, bm25) or 1.0)
        shares: Floats = self.view.scores(field, terms, bm25, rows) / largest
        return shares

    @cached_property
    def by_text(self) -> Hits:
        return self.view.search("text", self.terms, self.parameters.text, SEARCHED)

    @cached_property
    def by_nearest_context(self) -> Hits:
        return self.view.search("nearest_context", self.terms, self.parameters.nearest_context, SEARCHED)

    @cached_property
    def by_contexts(self) -> Hits:
        return self.view.search("contexts", self.terms, self.parameters.contexts, SEARCHED)

    @cached_property
    def feedback_terms(self) -> dict[str, float]:
        """Of the best papers by text and nearest citing sentence."""
        view, parameters = self.view, self.parameters
        rows = union(self.by_text.rows, self.by_nearest_context.rows)
        scores = view.scores("text", self.terms, parameters.text, rows)
        scores = scores + view.scores("nearest_context", self.terms, parameters.nearest_context, rows)
        return feedback_terms(view, best(self.index, rows, scores, FEEDBACK_PAPERS), parameters.feedback)

    @cached_property
    def by_feedback(self) -> Hits:
        return self.view.search("text", self.feedback_terms, self.parameters.text, SEARCHED)

    # Vectors ----------------------------------------------------------------------------------------------

    @cached_property
    def vector(self) -> Vectors:
        """[d]; a whole paper asks at a paper's length."""
        kind: TextKind = "paper" if self.query.kind == "global" else "query"
        return self._encoded(query_text(self.query), kind)

    @cached_property
    def by_vector(self) -> Hits:
        return self.view.nearest(self.vector, NEAREST)

    @cached_property
    def contexts_near(self) -> CitingContexts:
        """The citing sentences that mean what the query's sentence does.

        A sentence asks without the title around it: those that it is compared with have none either.
        """
        query = self.query
        if query.kind == "global" or not query.title or not query.text:
            return self.view.contexts_near(self.vector, CONTEXTS)
        alone = self._encoded(query_text(replace(query, title="")), "query")
        return self.view.contexts_near(alone, CONTEXTS)

    # Citations and people ---------------------------------------------------------------------------------

    @cached_property
    def neighbours(self) -> Neighbours:
        """Of the known papers."""
        return neighbours(self.view, self.known)

    @cached_property
    def history(self) -> History:
        """Of the query's authors."""
        return history(self.view, self.query.authors)

    def _encoded(self, text: str, kind: TextKind) -> Vectors:
        if self._encoder is None:
            raise ValueError("a query without an encoder has no vector")
        vector: Vectors = self._encoder.encode([text], kind)[0]
        return vector

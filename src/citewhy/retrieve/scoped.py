"""`ScopedQuery`: a query within its scope, with the results that first stages and features share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np

from citewhy.encode.encoder import Encoder, TextKind, Vectors
from citewhy.encode.texts import query_text
from citewhy.index.arrays import Floats, Rows
from citewhy.index.engine import CitingContexts, Edges, Hits, Index, View
from citewhy.index.fields import BM25, Terms, TextField
from citewhy.records import DraftCitation, Query
from citewhy.retrieve.authors import History, history
from citewhy.retrieve.draft import DraftSignals, draft_signals
from citewhy.retrieve.feedback import FEEDBACK_PAPERS, feedback_terms
from citewhy.retrieve.naming import Named, named_in
from citewhy.retrieve.neighbours import Neighbours, neighbours
from citewhy.retrieve.parameters import Parameters
from citewhy.retrieve.sparse import best, relative, union
from citewhy.retrieve.terms import query_terms
from citewhy.rules import QueryRows, Rules
from citewhy.text.tokens import stems

__all__ = ["ScopedQuery"]

SEARCHED = 1500
"""Number of papers that a search by words returns."""

NEAREST = 500
"""Number of papers that a search by vector returns."""

PRECEDING, PARAGRAPH = 300, 1500
"""Number of characters of the preceding text, and of the paragraph, that are used."""

CONTEXTS = 1000
"""Number of citing sentences that a search by vector returns."""


class ScopedQuery:
    """A query on an index. Costly results are computed on first access, and cached.

    For use by a single thread. Without an `encoder`, accessing a vector raises ValueError.
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
        """Rows of the papers that the draft already cites, ascending."""
        self._encoder = encoder

    # Words ------------------------------------------------------------------------------------------------

    @cached_property
    def terms(self) -> dict[str, float]:
        """The weighted terms of the query."""
        return query_terms(self.query)

    def relative(self, field: TextField, rows: Rows, terms: Terms | None = None) -> Floats:
        """[n] BM25 of `rows` for `terms` (None: those of the query), divided by the largest score of all
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
        """The feedback terms, from the best papers by text and most similar citing sentence."""
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
        """[d] the vector of the query. For a whole paper, the text is encoded as a paper (`TextKind`)."""
        kind: TextKind = "paper" if self.query.kind == "global" else "query"
        return self._encoded(query_text(self.query), kind)

    def encode_at_once(self) -> None:
        """Encodes what the ranker asks of a sentence's texts, each on a core of its own, for an encoder that
        caches vectors."""
        if self.query.kind != "global":
            texts = [query_text(self.query), self._sentence, self.preceding[:PARAGRAPH]]
            self._encode([text for text in texts if text.strip()], "query")

    @cached_property
    def by_vector(self) -> Hits:
        return self.view.nearest(self.vector, NEAREST)

    @cached_property
    def contexts_near(self) -> CitingContexts:
        """The citing sentences nearest in meaning to the query sentence.

        The sentence is encoded without the title of the draft, as the citing sentences in the index are.
        """
        if self.query.kind == "global" or not self._sentence:
            return self.view.contexts_near(self.vector, CONTEXTS)
        return self.view.contexts_near(self._encoded(self._sentence, "query"), CONTEXTS)

    @property
    def _sentence(self) -> str:
        """The sentence alone, without the title of the draft."""
        return query_text(replace(self.query, title=""))

    def profile_cosines(self, rows: Rows) -> Floats:
        """[n] cosines of the sentence alone with the profiles of `rows`."""
        return self.view.profile_cosines(self._encoded(self._sentence, "query"), rows)

    # The draft --------------------------------------------------------------------------------------------

    @cached_property
    def named(self) -> Named:
        """Papers that the sentence names."""
        return named_in(self.index, self.query.text)

    @property
    def preceding(self) -> str:
        """The last words of the text before the sentence, up to `PRECEDING` characters."""
        return self.query.preceding[-PRECEDING:].partition(" ")[2] if self.query.preceding else ""

    def words_of(self, text: str, rows: Rows) -> Floats:
        """[n] BM25 of title and abstract for the words of `text`, divided by the largest among `rows`."""
        terms = {term: float(count) for term, count in Counter(stems(text)).items()}
        return (
            relative(self.view.scores("text", terms, self.parameters.text, rows)) if terms else _zeros(rows)
        )

    def cosines_of(self, text: str, kind: TextKind, rows: Rows) -> Floats:
        """[n] cosines of the vectors of `text` and of `rows`; zeros for an empty text."""
        return (
            self.view.cosines(self._encoded(text[:PARAGRAPH], kind), rows) if text.strip() else _zeros(rows)
        )

    @cached_property
    def cited_in_draft(self) -> dict[str, int]:
        """Row by id of the papers that the draft cites elsewhere or lists in its bibliography."""
        draft = self.query.draft
        if draft is None:
            return {}
        ids = sorted({*draft.bibliography, *(each for one in draft.citations for each in one.paper_ids)})
        rows = self.index.rows(ids)
        return {each: row for each, row in zip(ids, rows.tolist(), strict=True) if row >= 0}

    def draft_signals(self, rows: Rows) -> DraftSignals:
        """The signals of the draft's other citations for the candidates `rows` [n]."""
        draft = self.query.draft
        if draft is None or not draft.citations:
            return DraftSignals.none(len(rows))
        texts = [citation.text for citation in draft.citations]
        vectors = self._encode([self._sentence, *texts], "query")
        return draft_signals(
            draft,
            rows,
            self.cited_in_draft,
            {term: float(count) for term, count in Counter(stems(self._sentence)).items()},
            [_stems(text) for text in texts],
            vectors[0],
            vectors[1:],
            self.parameters.nearest_context,
        )

    def best_citation(self, row: int) -> DraftCitation | None:
        """The other citation of the paper in the draft whose sentence is nearest in meaning to the query;
        None if the draft does not cite the paper elsewhere."""
        draft = self.query.draft
        if draft is None or row not in self.cited_in_draft.values():
            return None
        citations = [
            each
            for each in draft.citations
            if row in {self.cited_in_draft.get(paper_id) for paper_id in each.paper_ids}
        ]
        if not citations:
            return None
        vectors = self._encode([self._sentence, *(each.text for each in citations)], "query")
        return citations[int(np.argmax(vectors[1:] @ vectors[0]))]

    # Citations and people ---------------------------------------------------------------------------------

    @cached_property
    def citing_known(self) -> Edges:
        """The papers that cite the known papers."""
        return self.view.citing(self.known)

    @cached_property
    def neighbours(self) -> Neighbours:
        """The neighbours of the known papers in the citation graph."""
        return neighbours(self.view, self.known)

    @cached_property
    def history(self) -> History:
        """The earlier papers and citations of the query's authors."""
        return history(self.view, self.query.authors)

    def _encoded(self, text: str, kind: TextKind) -> Vectors:
        vector: Vectors = self._encode([text], kind)[0]
        return vector

    def _encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        if self._encoder is None:
            raise ValueError("a query without an encoder has no vector")
        return self._encoder.encode(texts, kind)


@lru_cache(maxsize=4096)
def _stems(text: str) -> tuple[str, ...]:
    """The stems of a sentence, cached because the sentences of a draft are compared at every place in it."""
    return tuple(stems(text))


def _zeros(rows: Rows) -> Floats:
    return np.zeros(len(rows), dtype=np.float32)

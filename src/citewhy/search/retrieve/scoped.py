"""`ScopedQuery`: a query within its scope, with the results that first stages and features share."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import DraftCitation, Query
from citewhy.search.encode.encoder import Encoder, TextKind, Vectors, query_input
from citewhy.search.encode.texts import query_text
from citewhy.search.index import CitingContexts, Edges, Hits, Index, View
from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.index.fields import BM25, Terms, TextField
from citewhy.search.retrieve.draft import DraftSignals, draft_signals
from citewhy.search.retrieve.naming import Named, named_in
from citewhy.search.retrieve.parameters import Parameters
from citewhy.search.retrieve.sparse import Sparse, best, relative, union
from citewhy.search.retrieve.terms import query_terms
from citewhy.search.rules import QueryRows, Rules
from citewhy.text.markers import TARGET
from citewhy.text.sentences import split
from citewhy.text.tokens import stems

SEARCHED = 1500
"""Number of papers that a search by words returns."""

NEAREST = 500
"""Number of papers that a search by vector returns."""

PRECEDING, PARAGRAPH = 300, 1500
"""Number of characters of the preceding text, and of the paragraph, that are used."""

CONTEXTS = 1000
"""Number of citing sentences that a search by vector returns."""

FEEDBACK_PAPERS = 10
"""Number of papers from which terms are taken."""

_TERMS = 30
"""Number of terms that are kept."""

_SCALE = 10.0
"""Makes the weights comparable with those of a typical query; the ranking does not depend on it."""


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
        view: View | None = None,
    ) -> None:
        """`view`: that of another query; its results are shared if it has the scope of this one."""
        scope = rules.scope(query, rows)
        self.query = query
        self.index = index
        self.view: View = view if view is not None and view.scope == scope else index.view(scope)
        self.parameters = parameters or Parameters()
        self.known: Rows = np.unique(np.array([*rows.known, *rows.members], dtype=np.int64))
        """Rows of the papers that the draft already cites, ascending."""
        self.members: Rows = np.unique(np.array(rows.members, dtype=np.int64))
        """Rows of the papers that the citation already has, ascending."""
        self._encoder = encoder

    @property
    def now(self) -> int:
        """The year of the query; that of the newest paper for one without a year."""
        return self.query.year or self.index.newest_year

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
        """[d] the vector of the query, in the form that the encoder reads (`query_input`)."""
        return self._encoded(*query_input(self._encoder, self.query))

    def encode_at_once(self) -> None:
        """Encodes what the ranker asks of a sentence's texts, for an encoder that caches vectors."""
        encode_at_once([self.query], self._encoder)

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
        return self.view.contexts_near(self._sentence_vector, CONTEXTS)

    @cached_property
    def _sentence(self) -> str:
        return _sentence_of(self.query)

    @cached_property
    def _sentence_vector(self) -> Vectors:
        """[d] of the sentence alone."""
        return self._encoded(self._sentence, "query")

    @cached_property
    def citing_sentence(self) -> str:
        """Returns, of a text of several sentences, the one with the open citation; the last one if none is
        marked."""
        return _citing_sentence_of(self.query)

    @cached_property
    def _citing_vector(self) -> Vectors:
        """[d] of the citing sentence alone."""
        return self._encoded(self.citing_sentence, "query")

    def citing_cosines(self, rows: Rows) -> Floats:
        """[n] cosines of the citing sentence with `rows`."""
        return self.view.cosines(self._citing_vector, rows)

    def part_cosines(self, rows: Rows) -> tuple[Floats, Floats]:
        """[n] each: the largest cosines of the query, and of the citing sentence, with a part of the abstract
        of each of `rows`."""
        view = self.view
        return view.part_cosines(self.vector, rows), view.part_cosines(self._citing_vector, rows)

    def profile_cosines(self, rows: Rows) -> Floats:
        """[n] cosines of the sentence alone with the profiles of `rows`."""
        return self.view.profile_cosines(self._sentence_vector, rows)

    # The draft --------------------------------------------------------------------------------------------

    @cached_property
    def named(self) -> Named:
        """Papers that the sentence names. A topic sentence does not end with an open citation."""
        return named_in(self.index, self.query.text, self.around, ends_open=self.query.kind != "paragraph")

    @property
    def around(self) -> str:
        """The text around the sentence, as far as the query has it."""
        return f"{self.query.preceding} {self.query.paragraph}"

    @property
    def preceding(self) -> str:
        """The last words of the text before the sentence, up to `PRECEDING` characters."""
        before = self.query.preceding
        return before[-PRECEDING:].partition(" ")[2] if before else ""

    def words_of(self, text: str, rows: Rows) -> Floats:
        """[n] BM25 of title and abstract for the words of `text`, divided by the largest among `rows`."""
        terms = {term: float(count) for term, count in Counter(stems(text)).items()}
        return (
            relative(self.view.scores("text", terms, self.parameters.text, rows)) if terms else _zeros(rows)
        )

    def paragraph_cosines(self, rows: Rows) -> Floats:
        """[n] cosines of the paragraph and of `rows`; zeros where there is no paragraph."""
        text = _cut(self.query.paragraph)
        return self.view.cosines(self._encoded(text, "paper"), rows) if text.strip() else _zeros(rows)

    @cached_property
    def cited_in_draft(self) -> dict[str, int]:
        """Row by id of the papers that the draft cites elsewhere or lists in its bibliography."""
        draft = self.query.draft
        if draft is None:
            return {}
        cited = (paper_id for one in draft.citations for paper_id in one.paper_ids)
        ids = list(dict.fromkeys((*draft.bibliography, *cited)))
        rows = self.index.rows(ids)
        return {paper_id: row for paper_id, row in zip(ids, rows.tolist(), strict=True) if row >= 0}

    @cached_property
    def cited_elsewhere(self) -> Rows:
        """Rows of the papers that the draft cites elsewhere in its text, ascending; what it only lists is not
        among them."""
        rows, draft = self.cited_in_draft, self.query.draft
        cited = {paper_id for one in draft.citations for paper_id in one.paper_ids} if draft else set()
        found = {rows[paper_id] for paper_id in cited if paper_id in rows}
        return np.array(sorted(found), dtype=np.int64)

    def draft_signals(self, rows: Rows) -> DraftSignals:
        """The signals of the draft's other citations for the candidates `rows` [n]."""
        draft = self.query.draft
        if draft is None or not draft.citations:
            return DraftSignals.none(len(rows))
        return draft_signals(
            draft,
            rows,
            self.cited_in_draft,
            {term: float(count) for term, count in Counter(stems(self._sentence)).items()},
            [_counted_stems(citation.text) for citation in draft.citations],
            self._sentence_vector,
            self._citation_vectors,
            self.parameters.nearest_context,
        )

    @cached_property
    def _citation_vectors(self) -> Vectors:
        """[c, d] of the sentences of the draft's other citations."""
        draft = self.query.draft
        return self._encode([citation.text for citation in draft.citations] if draft else [], "query")

    @cached_property
    def _citations_of(self) -> dict[int, list[int]]:
        """The draft's other citations of each paper, as positions, by row."""
        positions: dict[int, list[int]] = defaultdict(list)
        for position, citation in enumerate(self.query.draft.citations if self.query.draft else ()):
            for row in {self.cited_in_draft.get(paper_id, -1) for paper_id in citation.paper_ids}:
                positions[row].append(position)
        return positions

    def best_citation(self, row: int) -> DraftCitation | None:
        """The other citation of the paper in the draft whose sentence is nearest in meaning to the query;
        None if the draft does not cite the paper elsewhere."""
        draft, positions = self.query.draft, self._citations_of.get(row)
        if draft is None or not positions:
            return None
        return draft.citations[
            positions[int(np.argmax(self._citation_vectors[positions] @ self._sentence_vector))]
        ]

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


def encode_at_once(queries: Iterable[Query], encoder: Encoder | None) -> None:
    """Encodes the texts of sentences that are asked about, each on a core of its own, for an encoder that
    caches vectors. Nothing of whole papers, which have one text."""
    asked = [query for query in queries if query.kind != "global"]
    texts: dict[TextKind, list[str]] = {
        "query": [
            text
            for query in asked
            for text in (query_text(query), _sentence_of(query), _citing_sentence_of(query))
        ],
        "paper": [_cut(query.paragraph) for query in asked],
    }
    for kind, of_kind in texts.items():
        if encoder is not None and (worded := [text for text in of_kind if text.strip()]):
            encoder.encode(worded, kind)


def _sentence_of(query: Query) -> str:
    """The sentence alone, without the title of the draft."""
    return query_text(replace(query, title=""))


def _citing_sentence_of(query: Query) -> str:
    sentences = split(query.text)
    marked = next(
        (sentence for sentence in sentences if TARGET in sentence), sentences[-1] if sentences else ""
    )
    alone = _sentence_of(replace(query, text=marked))
    return alone if any(map(str.isalnum, alone)) else _sentence_of(query)


def _cut(text: str) -> str:
    return text[:PARAGRAPH]


class _Counted(Counter[str]):
    """Stems of a text, with their number, which is asked for at every place of a draft."""

    def __init__(self, text: str) -> None:
        super().__init__(stems(text))
        self._total = super().total()

    def total(self) -> int:
        return self._total


@lru_cache(maxsize=16_384)
def _counted_stems(text: str) -> Counter[str]:
    """The stems of a sentence, cached because the sentences of a draft are compared at every place in it."""
    return _Counted(text)


def _zeros(rows: Rows) -> Floats:
    return np.zeros(len(rows), dtype=np.float32)


# Feedback -------------------------------------------------------------------------------------------------


def feedback_terms(view: View, papers: Hits, bm25: BM25) -> dict[str, float]:
    """Returns the terms that are most characteristic of `papers`, with weights, which form a second query
    (pseudo-relevance feedback); each paper counts in proportion to its score.

    A paper that was never cited has no citing sentences, and its title may share no word with the query; but
    it may share words with papers that match the query. Source: the relevance model of Lavrenko and Croft
    2001, with the frequency part of BM25 for a document's language model.
    """
    if not len(papers.rows):
        return {}
    ascending = np.argsort(papers.rows)
    shares = papers.scores[ascending] / math.fsum(papers.scores.tolist())
    weights = view.telling_terms(papers.rows[ascending], shares, bm25, _TERMS)
    return {term: _SCALE * weight for term, weight in weights.items()}


# Authors --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class History:
    """The earlier papers and citations of all authors of a draft."""

    written: Sparse
    """For each paper, the number of the draft's authors who wrote it."""
    cited: Sparse
    """For each paper, the number of citations in the authors' other papers; a citing paper by two of the
    authors counts twice."""


def history(view: View, authors: Sequence[str]) -> History:
    """Returns the earlier papers and citations of the authors, by their names."""
    written = [view.papers_by(author) for author in authors]
    cited = [view.cited(papers).rows for papers in written]
    return History(_counted(written), _counted(cited))


def _counted(papers: Sequence[Rows]) -> Sparse:
    rows, times = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *papers]), return_counts=True)
    return Sparse(rows, times.astype(np.float32))


# Neighbours -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The closeness of papers to the known papers in the citation graph."""

    cocited: Sparse
    """Σ over known papers: cosine of the two sets of papers that cite them."""
    coupled: Sparse
    """Σ over known papers: cosine of the two sets of papers that they cite."""
    linked: Sparse
    """Number of known papers that a paper cites or that cite it."""

    def relative(self, rows: Rows) -> Floats:
        """Returns [n] for `rows` the sum of the three measures, each divided by its largest value."""
        scores = np.zeros(len(rows), dtype=np.float32)
        for measure in (self.cocited, self.linked, self.coupled):
            largest = np.float32(measure.values.max(initial=0.0) or 1.0)
            scores += measure.at(rows) / largest
        return scores


def neighbours(view: View, known: Rows) -> Neighbours:
    """Returns the neighbours of the papers that the draft already cites, given as distinct rows `known`.

    Sources: co-citation, Small 1973; bibliographic coupling, Kessler 1963; both normalised by the geometric
    mean of the two papers' counts (Salton's cosine): so that a paper cited by very many others is not a close
    neighbour of all of them.
    """
    citing, cited = view.citing(known), view.cited(known)
    linked, times = np.unique(np.concatenate([citing.rows, cited.rows]), return_counts=True)
    return Neighbours(
        cocited=_cosines(known, citing, view.cited, view.citing),
        coupled=_cosines(known, cited, view.citing, view.cited),
        linked=Sparse(linked, times.astype(np.float32)),
    )


def _cosines(
    known: Rows, first: Edges, back: Callable[[Rows], Edges], ends: Callable[[Rows], Edges]
) -> Sparse:
    """Returns for each paper the sum over known papers of the cosine between two sets: the `ends` of the
    known paper (listed in `first`) and those of the other paper, found through `back`."""

    def sizes(rows: Rows) -> NDArray[np.int64]:
        return np.bincount(ends(rows).positions, minlength=len(rows))

    second = back(first.rows)
    owners, reached = first.positions[second.positions], second.rows
    # A paper is not a neighbour of itself, or papers that the draft cites elsewhere would score higher.
    others = reached != known[owners]
    width = int(reached.max(initial=0)) + 1
    pairs, shared = np.unique(owners[others] * width + reached[others], return_counts=True)
    owner, other = np.divmod(pairs, width)
    rows, position = np.unique(other, return_inverse=True)
    cosines = shared / np.sqrt(sizes(known)[owner] * sizes(rows)[position])
    sums = np.bincount(position, weights=cosines, minlength=len(rows))
    return Sparse(rows, sums.astype(np.float32))

"""The raw, unweighted numbers about each candidate of a query, from which features are computed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from citewhy.base.trace import traced
from citewhy.search.index import PaperFacts
from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.search.retrieve.sparse import Sparse

NEAREST_KNOWN = 3
"""Number of known papers, the nearest ones, with which a candidate is compared."""


@dataclass(frozen=True, slots=True)
class Signals:
    """Arrays [n] for the candidates `rows`; `known_cosines` is [n, `NEAREST_KNOWN`]."""

    rows: Rows
    """[n] the candidates, ascending."""
    query_words: float
    """Sum of the weights of the query's words; at least 1."""
    now: float
    """The year of the query or, without one, of the newest paper."""
    knows: bool
    """Whether the draft cites papers that are in the library."""
    facts: PaperFacts
    text: Floats
    """BM25 of title and abstract."""
    title: Floats
    """BM25 of the title."""
    title_cover: Floats
    """Share of the summed idf of the title's words that are in the query, in [0, 1]."""
    passage: Floats
    """Share of the summed idf of the query's words that occur in one passage, in [0, 1]."""
    feedback: Floats
    """BM25 of title and abstract for the feedback terms."""
    nearest_context: Floats
    """BM25 of the most similar sentence that cites the paper."""
    contexts: Floats
    """BM25 of all sentences that cite the paper, as one text."""
    context_cosine: Floats
    """Largest cosine of the query sentence and a sentence that cites the paper; 0 if no such sentence is
    among the nearest citing sentences."""
    has_context_cosine: Floats
    """1 if such a sentence is among the nearest, otherwise 0."""
    cosine: Floats
    """Cosine of the vectors of query and paper."""
    known_cosines: Floats
    """Cosines with the nearest known papers, the largest first; 0 if there are fewer."""
    cocited: Floats
    """This and the next two: closeness to the known papers (`retrieve.scoped.neighbours`)."""
    coupled: Floats
    linked: Floats
    written: Floats
    """Number of the draft's authors who wrote the paper."""
    cited_before: Floats
    """Number of times that they cited it in other papers."""


@traced("signals of candidates")
def signals(scoped: ScopedQuery, rows: Rows) -> Signals:
    """The signals of the candidates `rows` [n], ascending."""
    view, terms, parameters = scoped.view, scoped.terms, scoped.parameters
    contexts, near, past = scoped.contexts_near, scoped.neighbours, scoped.history
    meant = Sparse(contexts.rows, contexts.cosines).at(rows)
    return Signals(
        rows=rows,
        query_words=max(sum(terms.values()), 1.0),
        now=float(scoped.now),
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
    """[n, NEAREST_KNOWN] cosines with known papers; a paper is not compared with itself."""
    table = np.zeros((len(rows), NEAREST_KNOWN), dtype=np.float32)
    if len(scoped.known) and len(rows):
        cosines = scoped.view.paper_cosines(rows, scoped.known)
        cosines[rows[:, None] == scoped.known[None, :]] = 0
        largest = -np.sort(-cosines, axis=1)[:, :NEAREST_KNOWN]
        table[:, : largest.shape[1]] = largest
    return table

"""Every signal about every paper, for one query. Nothing is weighed here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from citewhy.index import Index
from citewhy.index.local.bm25 import BM25, Floats
from citewhy.index.local.postings import Ints, spread
from citewhy.records import Query
from citewhy.retrieve.dense import Echoes, Meaning
from citewhy.retrieve.feedback import FEEDBACK_PAPERS, feedback_terms
from citewhy.retrieve.lexical import CitingSentences, Passages, Terms, citing_sentences, query_terms
from citewhy.retrieve.neighbours import Neighbours, neighbours
from citewhy.retrieve.rules import Evidence

__all__ = ["Dials", "Signals", "best_rows", "gather"]


@dataclass(frozen=True, slots=True)
class Dials:
    """k1 and b of each lexical signal. Chosen on contexts of one year with evidence of the years before."""

    text: BM25 = field(default_factory=lambda: BM25(k1=2.5, b=0.75))
    title: BM25 = field(default_factory=lambda: BM25(k1=1.2, b=0.75))
    sentence: BM25 = field(default_factory=lambda: BM25(k1=1.2, b=0.5))
    sentences: BM25 = field(default_factory=lambda: BM25(k1=2.5, b=0.75))
    feedback: BM25 = field(default_factory=lambda: BM25(k1=1.2, b=0.75))


@dataclass(frozen=True, slots=True)
class Signals:
    """Arrays [R] over the rows of all papers, allowed or not."""

    terms: Terms
    text: Floats
    """BM25 of title and abstract."""
    title: Floats
    title_cover: Floats
    """Share of the title's rarity (sum of idf) that the query's words make up, in [0, 1]."""
    feedback: Floats
    """BM25 of title and abstract for the words of the best papers so far."""
    sentences: CitingSentences
    evidence: Evidence
    neighbours: Neighbours | None
    """None where the query knows no papers."""
    own: Floats
    """Number of the authors of the query who also wrote the paper, counted once for each."""
    history: Floats
    """Number of times that the authors of the query cited the paper in other papers."""
    meaning: Meaning
    """How near each paper's vector is to the query's."""
    known: tuple[int, ...]
    """Rows of the papers that the draft cites already."""
    echoes: Echoes
    """The citing sentences that are near in meaning."""
    passages: Passages
    """How much of the query stands together in one passage of a paper."""


def gather(
    index: Index,
    meaning: Meaning,
    echoes: Echoes,
    query: Query,
    evidence: Evidence,
    allowed: np.ndarray[tuple[int], np.dtype[np.bool_]],
    known: Sequence[int],
    dials: Dials,
) -> Signals:
    """`allowed` [R] marks the candidates, `known` are the rows of the papers that the draft cites already."""
    terms = query_terms(query)
    text = index.text.scores(terms, dials.text)
    sentences = citing_sentences(index.contexts, evidence, terms, dials.sentence, dials.sentences)
    best_so_far = text.copy()
    best_so_far[sentences.papers] += sentences.nearest
    in_titles = index.title.matches(list(terms))
    own, history = _authors(index, query, evidence)
    return Signals(
        terms=terms,
        text=text,
        title=index.title.scores(terms, dials.title, in_titles),
        title_cover=index.title.cover(list(terms), in_titles),
        feedback=_feedback(index, best_so_far * allowed, dials),
        sentences=sentences,
        evidence=evidence,
        neighbours=neighbours(evidence, known) if len(known) else None,
        own=own,
        history=history,
        meaning=meaning,
        known=tuple(known),
        echoes=echoes,
        passages=Passages(index.text, terms),
    )


def _feedback(index: Index, best_so_far: Floats, dials: Dials) -> Floats:
    papers = best_rows(best_so_far, FEEDBACK_PAPERS, index.tables.id_ranks)
    papers = papers[best_so_far[papers] > 0]
    if not len(papers):
        return np.zeros(index.tables.rows, dtype=np.float32)
    terms = feedback_terms(index.text, papers, best_so_far[papers], dials.feedback)
    return index.text.scores(terms, dials.text)


def best_rows(values: Floats, count: int, id_ranks: Ints) -> Ints:
    """Rows of the `count` largest values, ascending; of equal ones, the first by paper id."""
    if count >= len(values):
        return np.arange(len(values), dtype=np.int32)
    # The smallest of the negated values: numpy finds them in a twentieth of the time of the largest.
    floor = -np.partition(-values, count - 1)[count - 1]
    rows = np.flatnonzero(values >= floor).astype(np.int32)
    if len(rows) > count:
        equal = np.flatnonzero(values[rows] == floor)
        spare = len(rows) - count
        rows = np.delete(rows, equal[np.argsort(id_ranks[rows[equal]])[-spare:]])
    return rows


def _authors(index: Index, query: Query, evidence: Evidence) -> tuple[Floats, Floats]:
    tables = index.tables
    own = np.zeros(tables.rows, dtype=np.float32)
    history = np.zeros(tables.rows, dtype=np.float32)
    for author in query.authors:
        written = tables.papers_of(author)
        own[written] += 1
        _, made = spread(tables.citing_starts[written], tables.citing_starts[written + 1])
        # A citation counts once for each author: two of them know it better than one.
        np.add.at(history, tables.cited[made[evidence.citations[made]]], 1)
    return own, history

"""What speaks for a work that a paper does not cite: in the paper's own references, in papers that cite what
it cites, and in papers like it.

All counts are as of the scope of the query (`search/rules.py`): what the paper itself cites, and what appears
in its year or later, does not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Paper
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.features import FEATURES
from citewhy.ranking.rank.ranked import Ranked
from citewhy.search.index import View
from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.index.fields import BM25
from citewhy.search.retrieve.naming import named_in
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.search.retrieve.sparse import relative
from citewhy.text.tokens import fold, stems

_OWN = (
    "fit",  # logit of the ranker's probability; 0 for a ranking without probabilities
    "rank",  # 1 / (1 + rank / 10) in the order of the ranker
    "cosine",  # with the paper's title and abstract
    "title",  # BM25 of the title for the titles of the references, divided by the largest
    "known_cosine",  # mean of the largest three cosines with references
    "near_known",  # share of the references to which it is as near as their nearest candidates
    "cited_by",  # ln(1 + number of references that cite it)
    "cites",  # ln(1 + number of references that it cites)
    "beside",  # ln(1 + number of references with which it was cited together)
    "cocited",  # sum over references of the cosine of their citing papers, divided by √references
    "coupled",  # the same of what they cite
    "followed",  # ln(1 + papers that cite it, weighted by the share of their references that are the paper's)
    "alike",  # sum of the cosines of the papers like this one that cite it
    "citations",  # ln(1 + number of papers that cite it)
    "per_year",  # that number divided by its age, ln(1 + …)
    "age",  # ln(1 + years before the paper)
    "same_year",  # 1 if it is of the paper's year
    "abstract",  # 1 if it has one
    "named",  # standing among the papers that introduce a name which the paper uses
    "by_own",  # 1 if an author of the paper wrote it
    "by_known",  # ln(1 + number of references by its first author)
    "references",  # ln(1 + number of references): equal for all candidates
    "reached",  # share of the references with a citation that counts: equal for all candidates
)

EVIDENCE = (*_OWN, *(f"ranker_{name}" for name in FEATURES))
"""Names of the columns of `Evidence.table`, in order: those above, and what the ranker sees (`rank.features`;
0 for a ranking without features)."""

NEAREST = 20
"""A reference votes for so many candidates, those nearest to it in meaning."""

LIKE = 50
"""Papers like the paper itself whose references count."""

_LEAST = 1e-5
"""Probability at which the logit is cut off."""

_BM25 = BM25(k1=1.2, b=0.75)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for each of n candidates."""

    rows: Rows
    """[n] in the order of the ranking."""
    table: NDArray[np.float32]
    """[n, len(EVIDENCE)]."""
    cited_by: NDArray[np.int64]
    """[n] number of references that cite it."""
    cites: NDArray[np.int64]
    """[n] number of references that it cites."""
    beside: NDArray[np.int64]
    """[n] number of references with which it was cited together."""
    votes: NDArray[np.int64]
    """[n] number of references to which it is among the nearest candidates."""

    like: NDArray[np.int64]
    """[n] number of the papers most like this one that cite it."""

    def take(self, positions: Sequence[int]) -> Evidence:
        """The evidence for the candidates at `positions`, in that order."""
        chosen = np.array(positions, dtype=np.int64)
        return Evidence(*(getattr(self, field.name)[chosen] for field in fields(self)))


def evidence(library: Library, scoped: ScopedQuery, ranked: Ranked) -> Evidence:
    """The evidence for the candidates in `ranked`, the ranking of a query for a whole paper."""
    view, known, rows = scoped.view, scoped.known, ranked.rows
    papers = _papers(library, scoped, rows)
    references = [paper for paper in _papers(library, scoped, known) if paper is not None]
    authors = Counter(fold(name) for paper in references for name in paper.authors)
    n, size = len(rows), max(len(known), 1)
    root = np.sqrt(size)
    graph = _Graph(view, known, rows)
    facts, near = view.facts(rows), scoped.neighbours
    age = np.where(facts.years > 0, np.maximum(scoped.now - facts.years.astype(np.float64), 0), 5)
    known_cosines = np.zeros((n, 0), dtype=np.float32)
    if ranked.signals is not None:
        known_cosines = view.paper_cosines(rows, known)
    votes = _votes(known_cosines)
    like, alike = _alike(scoped, ranked)
    columns = {
        "fit": _logits(ranked),
        "rank": 1 / (1 + np.arange(n) / 10),
        "cosine": _cosines(scoped, ranked),
        "title": _titles(scoped, references, rows),
        "known_cosine": _largest(known_cosines),
        "near_known": votes / size,
        "cited_by": np.log1p(graph.cited_by),
        "cites": np.log1p(graph.cites),
        "beside": np.log1p(graph.beside),
        "cocited": near.cocited.at(rows) / root,
        "coupled": near.coupled.at(rows) / root,
        "followed": np.log1p(graph.followed),
        "alike": alike,
        "citations": np.log1p(facts.times_cited),
        "per_year": np.log1p(facts.times_cited / np.maximum(age, 1)),
        "age": np.log1p(age),
        "same_year": (age == 0) & (facts.years > 0),
        "abstract": [paper is not None and bool(paper.abstract) for paper in papers],
        "named": _named(scoped, rows),
        "by_own": scoped.history.written.at(rows) > 0,
        "by_known": np.log1p([_first_author_in(authors, paper) for paper in papers]),
        "references": np.full(n, np.log1p(len(known))),
        "reached": np.full(n, graph.reached),
    }
    of_ranker = ranked.table if ranked.table.shape[1] else np.zeros((n, len(FEATURES)))
    table = np.column_stack([*(columns[name] for name in _OWN), of_ranker]).astype(np.float32)
    return Evidence(rows, table, graph.cited_by, graph.cites, graph.beside, votes, like)


class _Graph:
    """Citations between n candidates `rows`, the references `known`, and papers that cite both."""

    def __init__(self, view: View, known: Rows, rows: Rows) -> None:
        citing, cited = view.citing(rows), view.cited(rows)
        n = len(rows)
        self.cited_by = np.bincount(citing.positions[np.isin(citing.rows, known)], minlength=n)
        self.cites = np.bincount(cited.positions[np.isin(cited.rows, known)], minlength=n)
        others = view.citing(known)
        papers, places = np.unique(others.rows, return_inverse=True)
        shared = np.bincount(places, minlength=len(papers))
        listed = np.bincount(view.cited(papers).positions, minlength=len(papers))
        # Salton's cosine of two reference lists; a list of which one paper is known says little.
        weights = shared / np.sqrt(np.maximum(listed, 1) * max(len(known), 1))
        at = np.searchsorted(papers, citing.rows)
        at[at == len(papers)] = 0
        both = papers[at] == citing.rows if len(papers) else np.zeros(len(citing.rows), dtype=np.bool_)
        self.followed = np.bincount(citing.positions[both], weights=weights[at[both]], minlength=n)
        pairs = _pairs(citing.positions[both], at[both], others.positions, places, len(papers))
        self.beside = np.bincount(pairs, minlength=n)
        self.reached = len(np.unique(others.positions)) / max(len(known), 1)


def _pairs(
    candidates: NDArray[np.int64],
    their_papers: NDArray[np.int64],
    known: NDArray[np.int64],
    its_papers: NDArray[np.int64],
    papers: int,
) -> NDArray[np.int64]:
    """The candidate of each distinct pair of a candidate and a reference that one of the `papers` cites both;
    given are the candidates and the references with the papers that cite them."""
    order = np.argsort(its_papers, kind="stable")
    starts = np.searchsorted(its_papers[order], np.arange(papers + 1))
    counts = starts[their_papers + 1] - starts[their_papers]
    repeated = np.repeat(candidates, counts)
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    partners = known[order][np.repeat(starts[their_papers], counts) + offsets]
    width = int(known.max(initial=0)) + 1
    distinct: NDArray[np.int64] = np.unique(repeated * width + partners) // width
    return distinct


def _logits(ranked: Ranked) -> NDArray[np.float64]:
    if len(ranked.probabilities) < len(ranked.rows):
        return np.zeros(len(ranked.rows))
    chances = np.clip(ranked.probabilities, _LEAST, 1 - _LEAST)
    logits: NDArray[np.float64] = np.log(chances) - np.log1p(-chances)
    return logits


def _cosines(scoped: ScopedQuery, ranked: Ranked) -> Floats:
    if ranked.signals is None:
        return np.zeros(len(ranked.rows), dtype=np.float32)
    return scoped.view.cosines(scoped.vector, ranked.rows)


def _largest(cosines: Floats) -> Floats:
    """[n] mean of the three largest of each row; those that are lacking count as zero."""
    largest = -np.sort(-cosines, axis=1)[:, :3]
    mean: Floats = largest.sum(axis=1) / 3
    return mean


def _votes(cosines: Floats) -> NDArray[np.int64]:
    """[n] for how many references [n, m] each candidate is among the `NEAREST`."""
    if not cosines.size:
        return np.zeros(len(cosines), dtype=np.int64)
    last = np.sort(cosines, axis=0)[max(len(cosines) - NEAREST, 0)]
    votes: NDArray[np.int64] = ((cosines >= last) & (cosines > 0)).sum(axis=1)
    return votes


def _papers(library: Library, scoped: ScopedQuery, rows: Rows) -> list[Paper | None]:
    ids = scoped.index.ids(rows)
    papers = library.papers(ids)
    return [papers.get(paper_id) for paper_id in ids]


def _first_author_in(authors: Mapping[str, int], paper: Paper | None) -> int:
    return authors.get(fold(paper.authors[0]), 0) if paper is not None and paper.authors else 0


def _titles(scoped: ScopedQuery, references: Sequence[Paper], rows: Rows) -> Floats:
    """[n] how well the titles have the words of the references' titles."""
    terms = Counter(stem for paper in references for stem in stems(paper.title))
    weights = {term: float(np.log1p(count)) for term, count in terms.items()}
    if not weights:
        return np.zeros(len(rows), dtype=np.float32)
    return relative(scoped.view.scores("title", weights, _BM25, rows))


def _alike(scoped: ScopedQuery, ranked: Ranked) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """[n] each: how many of the papers nearest to this one cite each candidate, and the sum of their
    cosines."""
    n = len(ranked.rows)
    near = scoped.by_vector if ranked.signals is not None else None
    if near is None or not len(near.rows):
        return np.zeros(n, dtype=np.int64), np.zeros(n)
    order = np.argsort(near.rows[:LIKE])
    like, cosines = near.rows[:LIKE][order], near.scores[:LIKE][order].astype(np.float64)
    citing = scoped.view.citing(ranked.rows)
    at = np.searchsorted(like, citing.rows).clip(0, len(like) - 1)
    there = like[at] == citing.rows
    owners = citing.positions[there]
    counts: NDArray[np.int64] = np.bincount(owners, minlength=n)
    sums = np.bincount(owners, weights=cosines[at[there]], minlength=n).astype(np.float64)
    return counts, sums


def _named(scoped: ScopedQuery, rows: Rows) -> Floats:
    """[n] the best standing of each among the papers whose titles introduce a name that title or abstract
    have."""
    order = np.argsort(rows)
    best = np.zeros(len(rows), dtype=np.float32)
    text = f"{scoped.query.title}. {scoped.query.abstract}"
    for system in named_in(scoped.index, text, ends_open=False).systems:
        if system.marked and len(system.in_title):
            best[order] = np.maximum(best[order], system.standings(scoped.index, scoped.view, rows[order]))
    return best

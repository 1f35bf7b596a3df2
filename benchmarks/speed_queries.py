"""One query at a time: the full pipeline and bm25s, in turn, on the same texts."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import bm25s
import orjson
import Stemmer

from citewhy.base.records import Query
from citewhy.papers.library.store import Library
from citewhy.ranking.recommender import Recommender
from citewhy_lab.evaluate.datasets.local import topics
from citewhy_lab.evaluate.datasets.topics import Options

__all__ = ["time_queries"]

_PAPERS_ASKED = 1000
_UNTIMED = 5
"""Queries that are asked before: the first ones find what later ones reuse."""


def time_queries(
    papers: Path, contexts: Path, library: Path, count: int, peak: Callable[[], float | None]
) -> tuple[list[float], list[float], float | None]:
    """Seconds of each of the first `count` queries: by the full pipeline, by bm25s; and the `peak` memory of
    the process before bm25s comes."""
    with Library.open(library) as opened:
        recommender = Recommender(opened)
        queries = [topic.query for topic in topics(contexts, opened, Options())][:count]
        for query in queries:
            recommender.rank(query, _PAPERS_ASKED)
        memory = peak()
        plain = _bm25s_query(papers)
        ours, peers = [], []
        for query in [*queries[:_UNTIMED], *queries]:
            ours.append(_seconds(partial(recommender.rank, query, _PAPERS_ASKED)))
            peers.append(_seconds(partial(plain, query)))
    return ours[_UNTIMED:], peers[_UNTIMED:], memory


def _bm25s_query(papers: Path) -> Callable[[Query], object]:
    """A function that asks a bm25s index of all titles and abstracts for sentence and title together."""
    stemmer = Stemmer.Stemmer("english")

    def tokens(texts: Sequence[str], *, as_ids: bool) -> object:
        return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, return_ids=as_ids, show_progress=False)

    with gzip.open(papers) as file:
        texts = [f"{row['title']} {row['abstract']}" for row in map(orjson.loads, file)]
    index = bm25s.BM25(k1=2.5, b=0.75)
    index.index(tokens(texts, as_ids=True), show_progress=False)

    def ask(query: Query) -> object:
        words = tokens([f"{query.text} {query.title}"], as_ids=False)
        return index.retrieve(words, k=_PAPERS_ASKED, n_threads=0, show_progress=False)

    return ask


def _seconds(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun

"""The peers of `speed.py`: what bm25s alone does with the same papers.

    python benchmarks/speed_peers.py papers.jsonl.gz FOLDER

This is the peer of `citewhy add`: it reads papers as JSON lines, builds a bm25s index of them, saves it. No
more: nothing of citewhy is imported for it.
"""

from __future__ import annotations

import gzip
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bm25s
import orjson
import Stemmer

if TYPE_CHECKING:
    from citewhy.base.records import Query

__all__ = ["time_queries"]

_PAPERS_ASKED = 1000
_UNTIMED = 5
"""Queries that are asked before: the first ones find what later ones reuse."""


def build(papers: Path) -> tuple[Any, Callable[..., Any]]:
    """Indexes all titles and abstracts. Returns the index, and what makes its tokens of texts."""
    tokens = partial(bm25s.tokenize, stopwords="en", stemmer=Stemmer.Stemmer("english"), show_progress=False)
    with gzip.open(papers) as file:
        texts = [f"{row['title']} {row['abstract']}" for row in map(orjson.loads, file)]
    index = bm25s.BM25(k1=2.5, b=0.75)
    index.index(tokens(texts), show_progress=False)
    return index, tokens


def time_queries(
    papers: Path, contexts: Path, library: Path, count: int, peak: Callable[[], float | None]
) -> tuple[list[float], list[float], float | None]:
    """Times each of the first `count` queries, one at a time, by the full pipeline and by bm25s in turn.

    Returns the seconds of both, and the `peak` memory of the process before bm25s comes.
    """
    from citewhy.papers.library.store import Library
    from citewhy.ranking.recommender import Recommender
    from citewhy_lab.evaluate.datasets.local import topics
    from citewhy_lab.evaluate.datasets.topics import Options

    with Library.open(library) as opened:
        recommender = Recommender(opened)
        queries = [topic.query for topic in topics(contexts, opened, Options())][:count]
        for query in queries:
            recommender.rank(query, _PAPERS_ASKED)
        memory = peak()
        index, tokens = build(papers)

        def plain(query: Query) -> object:
            words = tokens([f"{query.text} {query.title}"], return_ids=False)
            return index.retrieve(words, k=_PAPERS_ASKED, n_threads=0, show_progress=False)

        ours, peers = [], []
        for query in [*queries[:_UNTIMED], *queries]:
            ours.append(_seconds(partial(recommender.rank, query, _PAPERS_ASKED)))
            peers.append(_seconds(partial(plain, query)))
    return ours[_UNTIMED:], peers[_UNTIMED:], memory


def _seconds(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def main(arguments: Sequence[str]) -> None:
    papers, folder = arguments
    build(Path(papers))[0].save(folder)


if __name__ == "__main__":
    main(sys.argv[1:])

"""What answers are worth while the texts of a library are being encoded.

    python benchmarks/partial_vectors.py --library DIR --questions FILE [--number N] [--seed N]

The library is encoded first; then the same questions are asked with the vectors of a part of the papers and
citing sentences, drawn at random: as a session does (without any vector until all are there,
`search/index/unencoded.py`), and by the vectors that there are, the others zeros. Beside them BM25 and, for
all vectors, the fusion of BM25 and vectors. Each line: R@10 and reciprocal rank with 95 % intervals, and
milliseconds a question.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.papers.library.store import Library
from citewhy.ranking.rank.ranker import Pipeline
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import Vectors, default_encoder
from citewhy.search.index import Index, open_index
from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.index.stores import SearchedVectors
from citewhy.search.index.unencoded import without_vectors
from citewhy.search.index.vectors import DenseIndex, Parts
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.evaluate.datasets.local import topics
from citewhy_lab.evaluate.datasets.topics import Options, Topic
from common import parser as shared_parser

SHARES = (0.0, 0.1, 0.5, 0.9)


@dataclass(frozen=True)
class Some:
    """The vectors of a store where `there` [R] is true, zeros elsewhere: `SearchedVectors`."""

    store: SearchedVectors
    there: NDArray[np.bool_]

    @property
    def rows(self) -> int:
        """The number of vectors."""
        return self.store.rows

    def search(self, query: Vectors, count: int, allowed: NDArray[np.bool_]) -> tuple[Rows, Floats]:
        """Searches those that are there."""
        return self.store.search(query, count, allowed & self.there)

    def get(self, rows: NDArray[Any]) -> Vectors:
        """Gives the vectors of `rows`."""
        vectors: Vectors = self.store.get(rows) * self.there[rows][:, None]
        return vectors


@dataclass(frozen=True)
class SomeParts:
    """The vectors of the parts of papers where `there` [R] is true: `Parts`."""

    parts: Parts
    there: NDArray[np.bool_]

    def of(self, rows: Rows) -> tuple[NDArray[np.int64], Vectors]:
        """Gives the vectors of the parts of `rows`."""
        kept = np.flatnonzero(self.there[rows])
        positions, vectors = self.parts.of(rows[kept])
        return kept[positions], vectors


def partial(index: Index, share: float, seed: int) -> Index:
    """The index with the vectors of a share of the papers and of the citing sentences."""
    papers, sentences, parts = index.paper_vectors, index.sentence_vectors, index.part_vectors
    assert papers is not None
    assert sentences is not None
    assert parts is not None
    chance = np.random.default_rng(seed)
    there = chance.random(papers.rows) < share
    said = chance.random(sentences.rows) < share
    return replace(
        index,
        paper_vectors=DenseIndex(Some(papers.store, there), index.generation),
        part_vectors=SomeParts(parts, there),
        sentence_vectors=DenseIndex(Some(sentences.store, said), index.generation),
    )


def answered(recommender: Recommender, asked: Sequence[Topic]) -> NDArray[np.float64]:
    """For each question [q, 3]: hits in the first ten, the sum of reciprocal ranks, the number of papers."""
    measures = []
    for topic in asked:
        ids = recommender.rank(topic.query, 1000).ids
        ranks = [ids.index(one) + 1 if one in ids else np.inf for one in sorted(topic.relevant)]
        measures.append((sum(rank <= 10 for rank in ranks), sum(1 / rank for rank in ranks), len(ranks)))
    return np.array(measures, dtype=np.float64)


def measured(library: Library, pipeline: Pipeline, index: Index, asked: Sequence[Topic], seed: int) -> str:
    """Asks all questions; returns the figures of a line."""
    recommender = Recommender(library, pipeline, index=index)
    begun = time.perf_counter()
    measures = answered(recommender, asked)
    milliseconds = 1000 * (time.perf_counter() - begun) / len(asked)
    hits, reciprocals, weights = measures.T
    shown = []
    for sums in (hits, reciprocals):
        low, high = interval(resampled_means(sums, weights, seed))
        shown.append(f"{sums.sum() / weights.sum():.3f} ({low:.3f}-{high:.3f})")
    return f"{shown[0]}  {shown[1]}  {milliseconds:5.0f}"


def main() -> None:
    """Prints a line for each way to answer."""
    options = shared_parser(__doc__, "library!")
    options.add_argument(
        "--questions", type=Path, required=True, help="citing sentences, as of `evaluate local`"
    )
    options.add_argument("--number", type=int, default=500, help="questions, drawn at random")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    encoder = default_encoder()
    with Library.open(given.library) as library:
        index = open_index(library, encoder)
        asked = topics(given.questions, library, Options())
        asked = random.Random(given.seed).sample(asked, min(given.number, len(asked)))
        without = without_vectors(index, encoder, index.tables.rows)
        ways: list[tuple[str, Pipeline, Index]] = [
            ("BM25", "bm25", index),
            ("hybrid, all vectors", "hybrid", index),
            ("default, all vectors", "full", index),
            ("default, none until all are there", "full", without),
            *(
                (f"default, {share:.0%} of them", "full", partial(index, share, given.seed))
                for share in SHARES
            ),
        ]
        print(f"{'':36}{'R@10':22}{'RR':20}ms")
        for what, pipeline, contents in ways:
            print(f"{what:34}{measured(library, pipeline, contents, asked, given.seed)}", flush=True)


if __name__ == "__main__":
    main()

"""Meaning: how near the vectors of papers, and of sentences that cite them, are to that of the query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.encode.encoder import Encoder, TextKind, Vectors
from citewhy.encode.texts import query_text
from citewhy.index import Index
from citewhy.index.local.bm25 import Floats
from citewhy.index.local.dense import PAPERS, SENTENCES, DenseIndex, Encoded, open_dense
from citewhy.library.store import Library
from citewhy.records import Query
from citewhy.retrieve.rules import Evidence

__all__ = ["Dense", "Echoes", "Meaning", "echoes", "meaning"]

NEAREST = 500
"""Papers that meaning alone makes candidates."""

ECHOES = 1000
"""Citing sentences that are looked at."""


@dataclass(frozen=True, slots=True)
class Dense:
    """What meaning is made of: an encoder, its vectors of papers, and of the sentences that cite them."""

    encoder: Encoder
    papers: DenseIndex
    sentences: DenseIndex

    @classmethod
    def open(cls, library: Library, encoder: Encoder, index: Index, tell: Encoded | None = None) -> Dense:
        """As `open_dense`, for both."""
        papers, sentences = (open_dense(library, encoder, index, tell, of) for of in (PAPERS, SENTENCES))
        return cls(encoder, papers, sentences)

    def vector(self, query: Query) -> Vectors:
        """[d]; a whole paper asks at a paper's length."""
        kind: TextKind = "paper" if query.kind == "global" else "query"
        vector: Vectors = self.encoder.encode([query_text(query)], kind)[0]
        return vector


@dataclass(frozen=True, slots=True)
class Meaning:
    """The query's vector, and the papers nearest to it."""

    index: DenseIndex
    query: Vectors
    """[d]."""
    nearest: NDArray[np.int64]
    """[n] rows, the nearest first."""
    cosines: Floats
    """[n]."""

    def scores(self, rows: NDArray[Any]) -> Floats:
        """[len(rows)] cosines of any rows; 0 for a paper without words."""
        return self.index.scores(self.query, rows)

    def company(self, rows: NDArray[Any], known: Sequence[int], most: int) -> NDArray[np.float32]:
        """[len(rows), most] cosines with the nearest of the papers in the rows `known`, the largest first; 0
        where fewer are known. Nothing is its own company."""
        found = np.zeros((len(rows), most), dtype=np.float32)
        if known and len(rows):
            others = np.array(known)
            # A product of matrices rounds a row by its place among the others: not in the first six digits of
            # double precision.
            cosines = self.index.vectors(rows).astype(np.float64) @ self.index.vectors(others).T
            cosines[np.asarray(rows)[:, None] == others[None, :]] = 0
            best = -np.sort(-cosines, axis=1)[:, :most]
            found[:, : best.shape[1]] = np.round(best, 6)
        return found


@dataclass(frozen=True, slots=True)
class Echoes:
    """The citing sentences nearest in meaning to the sentence that asks, by the D papers that they cite."""

    sentences: NDArray[np.int64]
    """[n] rows of sentences, ascending; at most `ECHOES`."""
    cosines: Floats
    """[n]."""
    papers: NDArray[np.int32]
    """[D] rows of papers, ascending."""
    nearest: Floats
    """[D] cosine of the nearest sentence that cites the paper; above 0."""


def meaning(
    dense: Dense,
    query: Query,
    allowed: NDArray[np.bool_],
    id_ranks: NDArray[np.int32],
    count: int = NEAREST,
) -> Meaning:
    """`allowed` [R] marks the candidates; `id_ranks` [R] settle ties.

    Where more than `count` papers tie for the last places, none of these is among the nearest. Nothing is
    near to a query without words.
    """
    vector = dense.vector(query)
    rows, cosines = _nearest(dense.papers, vector, count, allowed)
    order = np.lexsort((id_ranks[rows], -cosines))
    return Meaning(dense.papers, vector, rows[order], cosines[order])


def echoes(dense: Dense, query: Query, vector: Vectors, evidence: Evidence) -> Echoes:
    """Of the sentences that count as evidence. `vector` [d] is that of the query as a whole.

    A sentence asks without the title around it: those that it is compared with have none either.
    """
    alone = replace(query, title="") if query.kind != "global" and query.title and query.text else query
    if alone is not query:
        vector = dense.vector(alone)
    sentences = np.sort(_nearest(dense.sentences, vector, ECHOES, evidence.speaking)[0])
    cosines = dense.sentences.scores(vector, sentences)
    places, repeated = evidence.cited_in(sentences)
    best = np.zeros(len(evidence.cited_rows), dtype=np.float32)
    np.maximum.at(best, places, cosines[repeated])
    near = best > 0
    return Echoes(sentences, cosines, evidence.cited_rows[near], best[near])


def _nearest(
    index: DenseIndex, vector: Vectors, count: int, allowed: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Floats]:
    """At most `count` rows and their cosines, without those that tie with what did not find room."""
    rows, cosines = index.nearest(vector, count + 1 if vector.any() else 0, allowed)
    if len(rows) > count:
        sure = cosines > cosines[-1]
        rows, cosines = rows[sure], cosines[sure]
    return rows, cosines

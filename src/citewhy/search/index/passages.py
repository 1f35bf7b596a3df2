"""The best passage of a text: the window of words in which a query's words are closest together.

A paper can mention something in a single sentence, which the term weights of its whole text do not show.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index.arrays import Floats, Ints32
from citewhy.search.index.bm25 import Field, idfs
from citewhy.search.index.postings import Postings, names_of

WINDOW = 15
"""Terms in a passage: about as many as in a sentence, not counting function words."""


def best_passages(field: Field, documents: Ints32, terms: Mapping[str, float]) -> Floats:
    """[n] for each document: the share of the weight of `terms` that its best passage contains.

    The weight of a term is multiplied by its idf; a term that is repeated within a passage counts once.
    """
    names = names_of(terms)
    having = np.array(field.document_frequencies(list(terms)), dtype=np.int64)
    worth = np.fromiter(terms.values(), dtype=np.float64, count=len(terms)) * idfs(field.size, having)
    best = np.zeros(len(documents), dtype=np.float64)
    for postings, here, rows in field.living(documents):
        best[here] = _best(postings, rows, names, worth.astype(np.float32))
    shares: Floats = (best / max(float(worth.sum()), 1e-9)).astype(np.float32)
    return shares


def _best(
    postings: Postings, rows: NDArray[np.int64], names: NDArray[np.bytes_], worth: Floats
) -> NDArray[np.float64]:
    """[len(rows)] the largest sum of `worth` over the distinct terms of a window of each document."""
    by_term = np.zeros(
        len(postings.terms) + 1, dtype=np.float32
    )  # the last one is for terms that do not occur
    by_term[postings.find(names)] = worth
    begins, sequence = postings.sequences(rows)
    there = np.flatnonzero(by_term[sequence] > 0)
    owners = np.repeat(np.arange(len(rows)), np.diff(np.searchsorted(there, begins)))
    terms = sequence[there]
    first = _first_starts(begins[owners], owners * len(by_term) + terms, there)
    gains = by_term[terms].astype(np.float64)
    sums = np.zeros(len(sequence) + 1)
    np.add.at(sums, first, gains)
    np.subtract.at(sums, there + 1, gains)
    # 32-bit numbers are summed in 64 bits: exactly, regardless of the order of documents.
    np.cumsum(sums, out=sums)
    best = np.zeros(len(rows))
    np.maximum.at(best, owners, sums[first])  # a sum is largest where the range of some term begins
    return best


def _first_starts(
    begins: NDArray[np.int64], of_documents: NDArray[np.int64], there: NDArray[np.intp]
) -> NDArray[np.int64]:
    """Returns for each position in `there`, ascending, the first window in which its term has its first
    occurrence there: from where its document `begins`, and behind the one before `of_documents`, numbers of
    the term in its document."""
    first = np.maximum(there - WINDOW + 1, begins)
    order = np.argsort(of_documents, kind="stable")
    earlier, later = order[:-1], order[1:]
    again = of_documents[earlier] == of_documents[later]
    first[later[again]] = np.maximum(first[later[again]], there[earlier[again]] + 1)
    return first

"""Loads the rows of a library into collections: what is missing or of another state, and only that.

A collection is *loading* from the first row that is written until all are there; then it is *complete*, at a
generation of the library. What stopped in between, or was killed, is found loading, and goes on where it
was: the seals of the rows tell which of them are up to date. Every write may be repeated. So whether a server
lost acknowledged rows, has some twice or is of an earlier state, the next loading leaves exactly the rows of
the library.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import StorageError
from citewhy.search.index.arrays import Rows
from citewhy.search.index.engine import Encoded
from citewhy.search.index.fields import BM25
from citewhy.search.index.milvus.collection import Collection, SparseRow, Stored
from citewhy.search.index.milvus.told import Served
from citewhy.search.index.milvus.words import documents
from citewhy.search.index.opened import Index
from citewhy.search.index.stores import SearchedVectors

BATCH = 512
"""Rows that are written at once: 1.5 MB with vectors of 384 dimensions."""

_READ = 4096
"""Rows whose seals are made at once."""

_ATTEMPTS = 3
"""How often a collection is compared with the library, until nothing is to be written."""

_LONGEST_NAME = 1000
"""Characters of an id that are kept in a collection, for people."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a collection is to have: the rows of papers, or of citing sentences, of an index."""

    served: Served
    vectors: SearchedVectors
    names: Callable[[Rows], list[str]]
    words: Callable[[Rows], list[SparseRow]] | None
    """None without sparse vectors."""

    @property
    def rows(self) -> Rows:
        """The numbers of all rows, ascending."""
        return np.flatnonzero(self.served.rows)

    def entities(self, rows: Rows) -> list[dict[str, Any]]:
        """The rows as they are written."""
        vectors = self.vectors.get(rows)
        words = None if self.words is None else self.words(rows)
        abstracts = self.served.abstracts
        made: list[dict[str, Any]] = []
        for place, (row, name) in enumerate(zip(rows.tolist(), self.names(rows), strict=True)):
            entity = {
                "number": row,
                "year": int(self.served.years[row]),
                "abstract": abstracts is not None and bool(abstracts[row]),
                "name": name[:_LONGEST_NAME],
                "vector": vectors[place],
            }
            if words is not None:
                entity["words"] = words[place]
            entity["seal"] = _seal(entity)
            made.append(entity)
        return made

    def seals(self) -> NDArray[np.int64]:
        """[n] the seals of all rows."""
        rows = self.rows
        seals = [
            entity["seal"]
            for start in range(0, len(rows), _READ)
            for entity in self.entities(rows[start : start + _READ])
        ]
        return np.array(seals, dtype=np.int64)


def contents_of(index: Index, bm25: BM25, mean: float) -> tuple[Content, Content]:
    """What the collections of papers and of citing sentences are to have of an index with vectors. `mean` is
    the mean length of texts for the sparse vectors; 0: without these."""
    tables, papers, sentences = index.tables, index.paper_vectors, index.sentence_vectors
    assert papers is not None
    assert sentences is not None
    cites = np.zeros(len(tables.context_years), dtype=np.bool_)
    cites[tables.pair_context] = True
    # A sentence is never older than the paper that contains it (rule 2 of `search/rules.py`).
    written = np.where(tables.context_citing >= 0, _years_of(tables.years, tables.context_citing), 0)

    def words(rows: Rows) -> list[SparseRow]:
        return documents(index.text, rows.astype(np.int32), bm25, mean)

    return (
        Content(
            Served(tables.alive, tables.years, tables.abstracts),
            papers.store,
            index.ids,
            words if mean else None,
        ),
        Content(
            Served(cites, np.maximum(tables.context_years, written).astype(np.int16), None),
            sentences.store,
            lambda rows: [""] * len(rows),
            None,
        ),
    )


def load(collection: Collection, content: Content, state: Stored, progress: Encoded | None = None) -> None:
    """Makes a collection say what `content` has, and then `state`, which it is given as complete. `progress`
    is told of the rows that are written. Raises StorageError if the server does not keep what is written, and
    as `Server.call`."""
    sparse = content.words is not None
    collection.create(state.dimensions, sparse)
    collection.serve()
    collection.write_state(replace(state, complete=False), sparse)
    rows, seals = content.rows, content.seals()
    for _ in range(_ATTEMPTS):
        held, theirs = collection.seals(len(content.served.rows))
        kept = np.isin(held, rows)
        kept[kept] = seals[np.searchsorted(rows, held[kept])] == theirs[kept]
        missing = rows[~np.isin(rows, held[kept])]
        wrong = held[~kept]
        if not len(missing) and not len(wrong):
            collection.write_state(replace(state, complete=True, rows=len(rows)), sparse)
            return
        for start in range(0, len(wrong), BATCH):
            collection.delete(wrong[start : start + BATCH].tolist())
        _write(collection, content, missing, progress or (lambda _done, _total: None))
    raise StorageError(
        f"the collection {collection.name} does not keep what is written into it",
        hint="ask again later; if that does not help, remove the collection, which is then made again",
    )


def _write(collection: Collection, content: Content, rows: Rows, progress: Encoded) -> None:
    done = 0
    for some in _batches(rows, content.served.years):
        collection.write(int(content.served.years[some[0]]), content.entities(some))
        done += len(some)
        progress(done, len(rows))


def _batches(rows: Rows, years: NDArray[np.int16]) -> Iterator[Rows]:
    """Yields `rows` by year, at most `BATCH` at once."""
    for year in np.unique(years[rows]).tolist():
        of_year = rows[years[rows] == year]
        for start in range(0, len(of_year), BATCH):
            yield of_year[start : start + BATCH]


def _seal(entity: dict[str, Any]) -> int:
    """A hash of a row, above 0."""
    facts = (entity["year"], entity["abstract"], entity["name"], sorted(entity.get("words", {}).items()))
    digest = hashlib.blake2b(repr(facts).encode(errors="surrogatepass"), digest_size=8)
    digest.update(entity["vector"].tobytes())
    return 1 + int.from_bytes(digest.digest(), "little") % (2**62)


def _years_of(years: NDArray[np.int16], rows: NDArray[np.int32]) -> NDArray[np.int16]:
    """[n] the years of papers; anything for numbers below 0."""
    found: NDArray[np.int16] = years[np.maximum(rows, 0)] if len(years) else np.zeros(len(rows), np.int16)
    return found

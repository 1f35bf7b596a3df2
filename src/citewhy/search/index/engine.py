"""The index protocol: everything that ranking asks of the store of papers, sentences and vectors.

`Index` is an opened library; `View` answers one query as of the query's scope (`rules.py`). `index/local/`
implements them with local files. Another engine implements the two protocols and passes
`tests/contracts/test_indexes.py`; ranking need not be changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.index.fields import BM25, Terms, TextField
from citewhy.search.rules import Scope

__all__ = [
    "CitingContexts",
    "CitingSentences",
    "Edges",
    "Hits",
    "Index",
    "NameField",
    "PaperFacts",
    "View",
    "best_first",
]


NameField = Literal["author", "first author", "introduced", "titled", "key author", "arxiv"]
"""What a name is in relation to a paper: the surname of an author (`text.names.surname`), that of the first
author, the name of a system or data set that its title or abstract introduces
(`text.system_names.introduced_names`), one that its title introduces (`text.system_names.title_names`), the
surname of the first author as citation keys write it (`text.names.key_surnames`), or its number at arXiv
(`formats.fields.arxiv_numbers`)."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Papers with scores, best first, ties by paper id. Each paper occurs once."""

    rows: Rows
    """[n]."""
    scores: Floats
    """[n]."""


@dataclass(frozen=True, slots=True)
class CitingContexts:
    """Citing sentences near a vector, by the papers that they cite."""

    rows: Rows
    """[n] papers, ascending."""
    cosines: Floats
    """[n] cosine of the nearest sentence that cites the paper; above 0."""
    sentences: NDArray[np.int64]
    """[n] number of that sentence in the library."""


@dataclass(frozen=True, slots=True)
class CitingSentences:
    """The sentences that cite each of n papers, grouped by paper."""

    places: NDArray[np.int64]
    """[m] index of the paper in the argument; ascending."""
    numbers: NDArray[np.int64]
    """[m] number of the sentence in the library; ascending for each paper."""
    writers: Rows
    """[m] row of the paper that contains it; below 0 if the library does not have this paper."""


@dataclass(frozen=True, slots=True)
class PaperFacts:
    """Metadata of n papers; [n] each."""

    years: NDArray[np.int16]
    """0 if unknown."""
    times_cited: Floats
    """Number of papers that cite it."""
    mentions: Floats
    """Number of sentences that cite it."""
    author_citations: Floats
    """ln(1 + citations of the other papers of its most cited author)."""
    venue_citations: Floats
    """Mean of ln(1 + citations) over the other papers of its series of venues, shrunk towards 0 as if five
    more papers had no citations; 0 for an unknown venue."""


@dataclass(frozen=True, slots=True)
class Edges:
    """Citations of n papers in one direction, grouped by paper; each citation once."""

    places: NDArray[np.int64]
    """[m] index of the paper in the argument."""
    rows: Rows
    """[m] row of the other paper."""


def best_first(scores: Floats, id_ranks: NDArray[Any]) -> NDArray[np.int64]:
    """[n] indices in descending order of `scores` [n], ties by paper id."""
    order = np.argsort(-scores)
    ranked = scores[order]
    if (ranked[1:] == ranked[:-1]).any():
        order = np.lexsort((id_ranks, -scores))
    return order


class View(Protocol):
    """The answers of an index as of a scope.

    `rows` can be any papers in the library, candidates or not; scores are in their order. Searches return
    only candidates. Results are cached, so that repeated calls are cheap. Not thread-safe.
    """

    @property
    def scope(self) -> Scope: ...

    # Papers -----------------------------------------------------------------------------------------------

    def pool_size(self) -> int:
        """Number of candidates."""
        ...

    def admits(self, rows: Rows) -> NDArray[np.bool_]:
        """[n] which of `rows` are candidates."""
        ...

    def facts(self, rows: Rows) -> PaperFacts: ...

    def papers_by(self, author: str) -> Rows:
        """Papers of a person by name (ignoring case and accents), ascending, regardless of their year."""
        ...

    # Words ------------------------------------------------------------------------------------------------

    def search(self, field: TextField, terms: Terms, bm25: BM25, k: int) -> Hits:
        """The best `k` candidates with scores above 0."""
        ...

    def scores(self, field: TextField, terms: Terms, bm25: BM25, rows: Rows) -> Floats:
        """[n] BM25 scores of `rows`, as in `search`; 0 for a paper without a common word."""
        ...

    def largest(self, field: TextField, terms: Terms, bm25: BM25) -> float:
        """The largest score of all papers, candidates or not; 0 if no paper has a common word."""
        ...

    def idf(self, terms: Iterable[str]) -> dict[str, float]:
        """Inverse document frequency of each term in the field ``text``."""
        ...

    def title_cover(self, terms: Iterable[str], rows: Rows) -> Floats:
        """[n] coverage of the title by `terms`: their share of the sum of idf over its distinct terms."""
        ...

    def best_passages(self, terms: Terms, rows: Rows) -> Floats:
        """[n] in [0, 1]: the share of the weight of `terms` (each times its idf) that the best window of
        about 15 consecutive terms of ``text`` contains; a term counts once in a window."""
        ...

    def telling_terms(self, rows: Rows, shares: Floats, bm25: BM25, count: int) -> dict[str, float]:
        """Terms of ``text`` that distinguish the papers `rows` (ascending) from the rest, each with Σ share ·
        f / (f + norm): the frequency part of BM25. The `count` ones with the largest product of this and
        their idf, largest first, ties in alphabetical order."""
        ...

    # Citing sentences -------------------------------------------------------------------------------------

    def has_contexts(self) -> bool:
        """Whether any citing sentence is known."""
        ...

    def evidence_until(self) -> int:
        """Year of the newest paper of which a citation or a citing sentence is known; 0 if there is none."""
        ...

    def best_context(self, row: int, terms: Terms, bm25: BM25) -> tuple[int, float]:
        """Number in the library, and score, of the best matching sentence that cites paper `row`; (-1, 0.0)
        if none has a common word. Ties by number."""
        ...

    def sentences_citing(self, rows: Rows) -> CitingSentences:
        """The sentences that cite each of `rows`."""
        ...

    def contexts_near(self, vector: Floats, k: int) -> CitingContexts:
        """The papers cited by the `k` nearest citing sentences, candidates or not.

        If sentences tie for the last places, all of these are left out, and nothing is near a vector of
        zeros; the same holds for `nearest`.
        """
        ...

    # Vectors ----------------------------------------------------------------------------------------------

    def nearest(self, vector: Floats, k: int) -> Hits:
        """The `k` candidates with the largest cosines with `vector` [d]."""
        ...

    def cosines(self, vector: Floats, rows: Rows) -> Floats:
        """[n] cosines of `rows`; 0 for a paper without words. A paper's cosine does not depend on the
        others."""
        ...

    def part_cosines(self, vector: Floats, rows: Rows) -> Floats:
        """[n] the largest cosine of `vector` and a part of the abstract of each of `rows`, with its title;
        `cosines` for a paper whose abstract has one part or none."""
        ...

    def paper_cosines(self, rows: Rows, others: Rows) -> Floats:
        """[n, m] cosines between two lists of papers, rounded to six digits."""
        ...

    def profile_cosines(self, vector: Floats, rows: Rows) -> Floats:
        """[n] cosine of `vector` and the profile of each of `rows` (distinct): the sum of the paper's vector
        and of the mean vector of the sentences that cite it."""
        ...

    # Citations --------------------------------------------------------------------------------------------

    def citing(self, rows: Rows) -> Edges:
        """The papers that cite each of `rows`."""
        ...

    def cited(self, rows: Rows) -> Edges:
        """The papers that each of `rows` cites."""
        ...


class Index(Protocol):
    """An opened index: the state of a library at one generation. It never changes, and is thread-safe.

    If it was opened without an encoder, it has no vectors, and methods that need them raise ValueError.
    """

    @property
    def generation(self) -> int:
        """Of the library (`Library.generation`)."""
        ...

    @property
    def encoder(self) -> str | None:
        """Fingerprint of the encoder of its vectors; None without vectors."""
        ...

    @property
    def newest_year(self) -> int:
        """Of all papers; 0 if no year is known."""
        ...

    def view(self, scope: Scope) -> View: ...

    def papers(self, year: int | None = None) -> Rows:
        """All papers, or those of one `year`, ascending."""
        ...

    def knows(self, row: int) -> bool:
        """Whether there has been a paper with this number."""
        ...

    def ids(self, rows: Rows) -> list[str]:
        """[n] paper ids."""
        ...

    def named(self, by: NameField, names: Sequence[str]) -> Rows:
        """Papers, ascending, to which one of the `names` (folded) belongs."""
        ...

    def rows(self, ids: Sequence[str]) -> Rows:
        """[n] rows of papers by their canonical ids; -1 for other ids."""
        ...

    def id_ranks(self, rows: Rows) -> NDArray[np.int64]:
        """[n] ranks of the papers' ids in sorted order, by which ties are broken."""
        ...

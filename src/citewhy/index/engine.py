"""What an index is: everything that the ranking asks of the place where papers, sentences and vectors lie.

`Index` is an opened library; `View` is what it answers to one query, as of the query's scope (`rules.py`).
`index/local/` has them in files on this machine. Another engine implements the two protocols, and passes
`tests/contracts/test_indexes.py`; the ranking does not notice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from citewhy.index.arrays import Floats, Rows
from citewhy.index.fields import BM25, Terms, TextField
from citewhy.rules import Scope

__all__ = ["CitingContexts", "Edges", "Hits", "Index", "NameField", "PaperFacts", "View", "best_first"]


NameField = Literal["author", "first author", "introduced"]
"""What a name is of a paper: the surname of an author (`text.names.surname`), that of the first author, or
the name of a system or data set that its title or abstract introduces
(`text.system_names.introduced_names`)."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Papers with a score, the best first; of equal ones, the first by paper id. No paper comes twice."""

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
    """[n] of the nearest sentence that cites the paper; above 0."""
    sentences: NDArray[np.int64]
    """[n] the number of that sentence in the library."""


@dataclass(frozen=True, slots=True)
class PaperFacts:
    """What is known about n papers beside their words; [n] each."""

    years: NDArray[np.int16]
    """0 where unknown."""
    times_cited: Floats
    """Papers that cite it."""
    mentions: Floats
    """Sentences that cite it."""
    author_citations: Floats
    """ln(1 + citations of the other papers of its most cited author)."""
    venue_citations: Floats
    """Mean of ln(1 + citations) over the other papers of its series of venues, shrunk towards 0 by five
    papers' worth of doubt; 0 for an unknown venue."""


@dataclass(frozen=True, slots=True)
class Edges:
    """Citations at one end of n papers, paper after paper; each citation once."""

    places: NDArray[np.int64]
    """[m] place of the paper in what was asked."""
    rows: Rows
    """[m] the paper at the other end."""


def best_first(scores: Floats, id_ranks: NDArray[Any]) -> NDArray[np.int64]:
    """[n] places in descending order of `scores` [n]; of equal ones, the first by paper id first."""
    order = np.argsort(-scores)
    ranked = scores[order]
    if (ranked[1:] == ranked[:-1]).any():
        order = np.lexsort((id_ranks, -scores))
    return order


class View(Protocol):
    """What an index answers as of a scope.

    `rows` may be any papers of the library, candidates or not; scores come in their order. What is searched
    for are candidates alone. Asking the same twice costs once. Not to be shared between threads.
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
        """Papers of a person by name (case and accents aside), ascending, whatever their year."""
        ...

    # Words ------------------------------------------------------------------------------------------------

    def search(self, field: TextField, terms: Terms, bm25: BM25, k: int) -> Hits:
        """The best `k` candidates; none that scores 0."""
        ...

    def scores(self, field: TextField, terms: Terms, bm25: BM25, rows: Rows) -> Floats:
        """[n] BM25 of `rows`, the same as in `search`; 0 for a paper that shares no word."""
        ...

    def largest(self, field: TextField, terms: Terms, bm25: BM25) -> float:
        """The largest score of all papers, candidates or not; 0 where no paper shares a word."""
        ...

    def idf(self, terms: Iterable[str]) -> dict[str, float]:
        """Of each term in the field ``text``."""
        ...

    def title_cover(self, terms: Iterable[str], rows: Rows) -> Floats:
        """[n] share of the title's rarity (sum of idf over its distinct terms) that `terms` make up."""
        ...

    def best_passages(self, terms: Terms, rows: Rows) -> Floats:
        """[n] in [0, 1]: share of the weight of `terms` (each times its idf) that stands together in some 15
        successive terms of ``text``; a term that comes again there counts once."""
        ...

    def telling_terms(self, rows: Rows, shares: Floats, bm25: BM25, count: int) -> dict[str, float]:
        """Terms of ``text`` that tell the papers `rows` (ascending) from the rest, each with Σ share · f / (f
        + norm): BM25's part for frequency alone. The `count` ones with the largest product of this and their
        idf, the largest first; of equal ones, the first in the alphabet."""
        ...

    # Citing sentences -------------------------------------------------------------------------------------

    def has_contexts(self) -> bool:
        """Is any citing sentence known?"""
        ...

    def evidence_until(self) -> int:
        """Year of the newest paper of which a citation or a citing sentence is known; 0 where none is."""
        ...

    def best_context(self, row: int, terms: Terms, bm25: BM25) -> tuple[int, float]:
        """Number in the library, and score, of the sentence that cites paper `row` and fits best; (-1, 0.0)
        where none shares a word. Of equal ones, the first by number."""
        ...

    def contexts_near(self, vector: Floats, k: int) -> CitingContexts:
        """What the `k` nearest citing sentences cite, candidates or not. A tie for the last places leaves out
        all who tie, and nothing is near a vector of zeros: so it is in `nearest`, too."""
        ...

    # Vectors ----------------------------------------------------------------------------------------------

    def nearest(self, vector: Floats, k: int) -> Hits:
        """The `k` candidates with the largest cosines with `vector` [d]."""
        ...

    def cosines(self, vector: Floats, rows: Rows) -> Floats:
        """[n] of `rows`; 0 for a paper without words. A paper's does not depend on the others."""
        ...

    def paper_cosines(self, rows: Rows, others: Rows) -> Floats:
        """[n, m] between two lists of papers, to six digits."""
        ...

    # Citations --------------------------------------------------------------------------------------------

    def citing(self, rows: Rows) -> Edges:
        """The papers that cite each of `rows`."""
        ...

    def cited(self, rows: Rows) -> Edges:
        """The papers that each of `rows` cites."""
        ...


class Index(Protocol):
    """An opened index: what a library was at one generation. It never changes, and threads share it.

    Opened without an encoder, it has no vectors: what asks for them raises ValueError.
    """

    @property
    def generation(self) -> int:
        """Of the library (`Library.generation`)."""
        ...

    @property
    def encoder(self) -> str | None:
        """Fingerprint of the encoder whose vectors it has; None without vectors."""
        ...

    @property
    def newest_year(self) -> int:
        """Of all papers; 0 where no year is known."""
        ...

    def view(self, scope: Scope) -> View: ...

    def papers(self, year: int | None = None) -> Rows:
        """All papers, ascending; those of one `year`."""
        ...

    def knows(self, row: int) -> bool:
        """Was there a paper with this number?"""
        ...

    def ids(self, rows: Rows) -> list[str]:
        """[n] paper ids."""
        ...

    def named(self, by: NameField, names: Sequence[str]) -> Rows:
        """Papers, ascending, that one of the `names` (folded) belongs to."""
        ...

    def rows(self, ids: Sequence[str]) -> Rows:
        """[n] of papers by the id under which the library lists them; -1 for an id that it does not list."""
        ...

    def id_ranks(self, rows: Rows) -> NDArray[np.int64]:
        """[n] numbers in the order of the papers' ids, by which ties are broken."""
        ...

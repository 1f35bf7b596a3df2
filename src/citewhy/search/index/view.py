"""`View`: the answers of an index as of a scope, computed once for all engines from what they hand out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index.arrays import Floats, Rows, spread
from citewhy.search.index.bm25 import Field, Matches, idfs
from citewhy.search.index.contexts import ContextWords
from citewhy.search.index.evidence import Evidence
from citewhy.search.index.fields import BM25, Terms, TextField
from citewhy.search.index.hits import CitingContexts, CitingSentences, Edges, Hits, PaperFacts, best
from citewhy.search.index.passages import best_passages
from citewhy.search.index.proved import Damage
from citewhy.search.index.tables import Tables
from citewhy.search.index.vectors import DenseIndex, Parts, inner_products
from citewhy.search.rules import Scope

_FEW = 1 / 64
"""Share of the papers below which scores are computed from their own words, not from all papers with the
words of the query."""

_KEPT = 1024
"""Number of papers up to which their vectors are kept: 1.5 MB. The last step asks six times for the same."""

_Answer = TypeVar("_Answer")
_V = TypeVar("_V", DenseIndex, Parts)


@dataclass(frozen=True, eq=False)
class Contents:
    """Is what an engine hands out of a library: arrays at one generation, which never change, and vectors.

    Everything that ranking asks is computed from these, once for all engines. Rows of papers are their
    numbers in the library (`Library.numbers`), those of sentences `Library.numbered_contexts`.
    """

    generation: int
    """The generation of the library."""
    text: Field
    """Title and abstract of papers."""
    title: Field
    contexts: Field
    """Citing sentences."""
    tables: Tables
    """Papers, names and citations."""
    encoder: str | None = None
    """Fingerprint of the encoder that made the vectors; None without vectors."""
    paper_vectors: DenseIndex | None = None
    part_vectors: Parts | None = None
    """The vectors of the parts of long abstracts (`encode.texts.part_texts`)."""
    sentence_vectors: DenseIndex | None = None
    unencoded: int = 0
    """Number of papers and citing sentences that have no vector yet; unless it is 0, all vectors are zeros
    (`unencoded.without_vectors`)."""
    lacks_parts: bool = False
    """Whether parts of abstracts are not encoded yet; then none of them has a vector."""
    damage: Damage = field(default_factory=Damage)
    """Tells whether what is read of files has been found damaged since they were opened."""
    as_chosen: bool = False
    """Whether what is not encoded is not to be: the library's owner chose so (`chosen`)."""


class View:
    """The answers of an index as of a scope (`search/rules.py`).

    `rows` can be any papers in the library, candidates or not; scores are in their order. Searches return
    only candidates. Results are cached, so that repeated calls are cheap. Not thread-safe. Methods that need
    vectors raise ValueError if the index was opened without an encoder.
    """

    def __init__(
        self, contents: Contents, scope: Scope, allowed: NDArray[np.bool_], evidence: Evidence
    ) -> None:
        """`allowed` [R] marks the candidates."""
        self.scope = scope
        self._contents = contents
        self._tables = contents.tables
        self._allowed = allowed
        self._evidence = evidence
        self._answers: dict[Hashable, Any] = {}

    # Papers -----------------------------------------------------------------------------------------------

    def pool_size(self) -> int:
        """Number of candidates."""
        return int(np.count_nonzero(self._allowed))

    def admits(self, rows: Rows) -> NDArray[np.bool_]:
        """[n] which of `rows` are candidates."""
        admitted: NDArray[np.bool_] = self._allowed[rows]
        return admitted

    def facts(self, rows: Rows) -> PaperFacts:
        """The metadata of `rows`, with the counts that are known as of the scope."""
        evidence = self._evidence
        return PaperFacts(
            years=self._tables.years[rows],
            times_cited=evidence.times_cited[rows],
            mentions=_looked_up(evidence.papers, evidence.mentions, rows),
            author_citations=evidence.author_citations[rows],
            venue_citations=evidence.venue_citations[rows],
        )

    def papers_by(self, author: str) -> Rows:
        """Papers of a person by name (ignoring case and accents), ascending, regardless of their year."""
        return self._tables.papers_of(author).astype(np.int64)

    # Words ------------------------------------------------------------------------------------------------

    def search(self, field: TextField, terms: Terms, bm25: BM25, k: int) -> Hits:
        """The best `k` candidates with scores above 0."""
        papers, scores = self._scored(field, terms, bm25)
        allowed = self._allowed if papers is None else self._allowed[papers]
        return best(papers, scores, self._tables.id_ranks, k, allowed)

    def scores(self, field: TextField, terms: Terms, bm25: BM25, rows: Rows) -> Floats:
        """[n] BM25 scores of `rows`, as in `search`; 0 for a paper without a common word."""
        if field in ("text", "title") and self._are_few(rows):
            key = _scores_key(field, terms, bm25)
            if key not in self._answers:
                return self._of(field).scores_of(rows.astype(np.int32), terms, bm25)
        papers, scores = self._scored(field, terms, bm25)
        return scores[rows] if papers is None else _looked_up(papers, scores, rows)

    def largest(self, field: TextField, terms: Terms, bm25: BM25) -> float:
        """The largest score of all papers, candidates or not; 0 if no paper has a common word."""
        return float(self._scored(field, terms, bm25)[1].max(initial=0.0))

    def idf(self, terms: Iterable[str]) -> dict[str, float]:
        """Inverse document frequency of each term in the field ``text``."""
        text, asked = self._contents.text, list(terms)
        weights = idfs(text.size, np.array(text.document_frequencies(asked), dtype=np.int64))
        return dict(zip(asked, weights.tolist(), strict=True))

    def title_cover(self, terms: Iterable[str], rows: Rows) -> Floats:
        """[n] coverage of the title by `terms`: their share of the sum of idf over its distinct terms."""
        asked, title = tuple(terms), self._contents.title
        key = ("cover", asked)
        if key not in self._answers and self._are_few(rows):
            return title.cover_of(rows.astype(np.int32), asked)
        return self._once(key, lambda: title.cover(asked, self._matches("title", asked)))[rows]

    def best_passages(self, terms: Terms, rows: Rows) -> Floats:
        """[n] in [0, 1]: the share of the weight of `terms` (each times its idf) that the best window of
        about 15 consecutive terms of ``text`` contains; a term counts once in a window."""
        return best_passages(self._contents.text, rows.astype(np.int32), terms)

    def telling_terms(self, rows: Rows, shares: Floats, bm25: BM25, count: int) -> dict[str, float]:
        """Terms of ``text`` that distinguish the papers `rows` (ascending) from the rest, each with Σ share ·
        f / (f + norm): the frequency part of BM25. The `count` ones with the largest product of this and
        their idf, largest first, ties in alphabetical order."""
        return self._contents.text.telling_terms(rows.astype(np.int32), shares, bm25, count)

    # Citing sentences -------------------------------------------------------------------------------------

    def has_contexts(self) -> bool:
        """Whether any citing sentence is known."""
        return bool(self._evidence.sentence_count)

    def evidence_until(self) -> int:
        """Year of the newest paper of which a citation or a citing sentence is known; 0 if there is none."""
        return self._evidence.until

    def best_context(self, row: int, terms: Terms, bm25: BM25) -> tuple[int, float]:
        """Number in the library, and score, of the best matching sentence that cites paper `row`; (-1, 0.0)
        if none has a common word. Ties by number."""
        _, sentences = self._evidence.sentences_citing(np.array([row]))
        if not len(sentences):
            return -1, 0.0
        scores = self._single(terms, bm25)[sentences]
        first = int(np.argmax(scores))
        return (int(sentences[first]), float(scores[first])) if scores[first] > 0 else (-1, 0.0)

    def sentences_citing(self, rows: Rows) -> CitingSentences:
        """The sentences that cite each of `rows`."""
        positions, numbers = self._evidence.sentences_citing(rows)
        return CitingSentences(positions, numbers, self._tables.context_citing[numbers].astype(np.int64))

    def contexts_near(self, vector: Floats, k: int) -> CitingContexts:
        """The papers cited by the `k` nearest citing sentences, candidates or not.

        If sentences tie for the last places, all of these are left out, and nothing is near a vector of
        zeros; the same holds for `nearest`.
        """
        key = ("contexts near", vector.tobytes(), k)
        return self._once(key, lambda: self._contexts_near(vector, k))

    # Vectors ----------------------------------------------------------------------------------------------

    def nearest(self, vector: Floats, k: int) -> Hits:
        """The `k` candidates with the largest cosines with `vector` [d]."""
        key = ("nearest", vector.tobytes(), k)
        return self._once(key, lambda: self._nearest(vector, k))

    def cosines(self, vector: Floats, rows: Rows) -> Floats:
        """[n] cosines of `rows`; 0 for a paper without words. A paper's cosine does not depend on the
        others."""
        if len(rows) > _KEPT:
            return _opened(self._contents.paper_vectors).scores(vector, rows)
        return inner_products(self._vectors(rows), vector)

    def part_cosines(self, vector: Floats, rows: Rows) -> Floats:
        """[n] the largest cosine of `vector` and a part of the abstract of each of `rows`, with its title;
        `cosines` for a paper whose abstract has one part or none."""
        cosines = self.cosines(vector, rows)
        vectors = _opened(self._contents.part_vectors)
        positions, parts = self._once(("parts", rows.tobytes()), lambda: vectors.of(rows))
        largest = np.full(len(rows), -np.inf, dtype=np.float32)
        np.maximum.at(largest, positions, np.einsum("nd,d->n", parts, vector))
        nearest: Floats = np.where(np.isfinite(largest), largest, cosines)
        return nearest

    def paper_cosines(self, rows: Rows, others: Rows) -> Floats:
        """[n, m] cosines between two lists of papers, rounded to six digits."""
        if not len(rows) or not len(others):
            return np.zeros((len(rows), len(others)), dtype=np.float32)
        return _opened(self._contents.paper_vectors).cosines(rows, others, self._vectors)

    def profile_cosines(self, vector: Floats, rows: Rows) -> Floats:
        """[n] cosine of `vector` and the profile of each of `rows` (distinct): the sum of the paper's vector
        and of the mean vector of the sentences that cite it."""
        profiles = self._vectors(rows).astype(np.float64)
        positions, sentences = self._evidence.sentences_citing(rows)
        if len(sentences):
            citing = _opened(self._contents.sentence_vectors).vectors(sentences)
            owners, starts, counts = np.unique(positions, return_index=True, return_counts=True)
            profiles[owners] += np.add.reduceat(citing.astype(np.float64), starts) / counts[:, None]
        lengths = np.maximum(np.linalg.norm(profiles, axis=1), 1e-9)
        cosines: Floats = (profiles @ vector / lengths).astype(np.float32)
        return cosines

    # Citations --------------------------------------------------------------------------------------------

    def citing(self, rows: Rows) -> Edges:
        """The papers that cite each of `rows`."""
        tables = self._tables
        owners, positions = spread(tables.cited_starts[rows], tables.cited_starts[rows + 1])
        return self._edges(owners, tables.by_cited[positions], tables.citing)

    def cited(self, rows: Rows) -> Edges:
        """The papers that each of `rows` cites."""
        tables = self._tables
        owners, positions = spread(tables.citing_starts[rows], tables.citing_starts[rows + 1])
        return self._edges(owners, positions, tables.cited)

    # ------------------------------------------------------------------------------------------------------

    def _once(self, key: Hashable, make: Callable[[], _Answer]) -> _Answer:
        if key not in self._answers:
            self._answers[key] = make()
        answer: _Answer = self._answers[key]
        return answer

    def _are_few(self, rows: Rows) -> bool:
        return len(rows) < _FEW * self._tables.rows

    def _scored(self, field: TextField, terms: Terms, bm25: BM25) -> tuple[NDArray[np.int32] | None, Floats]:
        """Scores of the papers at these rows, ascending; None: all rows."""
        key = _scores_key(field, terms, bm25)
        if field == "text" or field == "title":
            whole = self._of(field)
            matches = self._matches(field, tuple(terms)) if field == "title" else None  # as in `title_cover`
            return None, self._once(key, lambda: whole.scores(terms, bm25, matches))
        papers = self._evidence.papers
        words = self._context_words(tuple(terms))
        if field == "contexts":
            return papers, self._once(key, lambda: words.joined(terms, bm25))
        return papers, self._once(key, lambda: words.nearest(self._single(terms, bm25)))

    def _of(self, field: TextField) -> Field:
        whole: Field = getattr(self._contents, field)
        return whole

    def _matches(self, field: TextField, terms: tuple[str, ...]) -> Matches:
        whole = self._of(field)
        return self._once(("matches", field, terms), lambda: whole.matches(terms))

    def _context_words(self, terms: tuple[str, ...]) -> ContextWords:
        make = ContextWords
        return self._once(
            ("context words", terms), lambda: make(self._contents.contexts, self._evidence, terms)
        )

    def _single(self, terms: Terms, bm25: BM25) -> Floats:
        """[C] score of each citing sentence."""
        words = self._context_words(tuple(terms))
        return self._once(("single", bm25, *terms.items()), lambda: words.single(terms, bm25))

    def _vectors(self, rows: Rows) -> Floats:
        """[n, d] the vectors of papers, kept for the next question about the same ones."""
        vectors = _opened(self._contents.paper_vectors)
        if len(rows) > _KEPT:
            return vectors.vectors(rows)
        return self._once(("vectors", rows.tobytes()), lambda: vectors.vectors(rows))

    def _nearest(self, vector: Floats, k: int) -> Hits:
        rows, cosines = _opened(self._contents.paper_vectors).nearest(vector, k, self._allowed)
        order = np.lexsort((self._tables.id_ranks[rows], -cosines))
        return Hits(rows[order], cosines[order])

    def _contexts_near(self, vector: Floats, k: int) -> CitingContexts:
        evidence, vectors = self._evidence, _opened(self._contents.sentence_vectors)
        sentences = np.sort(vectors.nearest(vector, k, evidence.sentences)[0])
        cosines = vectors.scores(vector, sentences)
        positions, repeated = evidence.cited_in(sentences)
        largest = np.zeros(len(evidence.papers), dtype=np.float32)
        np.maximum.at(largest, positions, cosines[repeated])
        nearest = np.full(len(evidence.papers), np.iinfo(np.int64).max)
        as_near = cosines[repeated] == largest[positions]
        np.minimum.at(nearest, positions[as_near], sentences[repeated[as_near]])
        near = largest > 0
        return CitingContexts(evidence.papers[near].astype(np.int64), largest[near], nearest[near])

    def _edges(self, owners: NDArray[np.int64], positions: NDArray[Any], ends: NDArray[np.int32]) -> Edges:
        counted = self._evidence.citations[positions]
        return Edges(owners[counted], ends[positions[counted]].astype(np.int64))


def _scores_key(field: TextField, terms: Terms, bm25: BM25) -> Hashable:
    return ("scores", field, bm25, *terms.items())


def _looked_up(papers: NDArray[np.int32], scores: Floats, rows: Rows) -> Floats:
    """[n] scores of `rows`; 0 for rows that are not in `papers` (ascending)."""
    if not len(papers):
        return np.zeros(len(rows), dtype=np.float32)
    position = np.minimum(np.searchsorted(papers, rows), len(papers) - 1)
    values: Floats = np.where(papers[position] == rows, scores[position], np.float32(0))
    return values


def _opened(vectors: _V | None) -> _V:
    if vectors is None:
        raise ValueError("the index was opened without an encoder, and has no vectors")
    return vectors

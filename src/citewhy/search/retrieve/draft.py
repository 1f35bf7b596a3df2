"""Signals from the other citations in a draft, as evidence for papers to cite at one place.

Each other citation of a paper in the draft is evidence for citing it again: by the similarity of its sentence
to the query sentence (words and vectors), by its distance, by the papers that are cited beside it, and by the
position of its entry in the bibliography. For every signal, larger values are stronger evidence; for papers
that the draft does not cite elsewhere, all signals are 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import DraftEvidence
from citewhy.search.encode.encoder import Vectors
from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.index.fields import BM25

_NEAR = 5
"""Number of citations before and after the place of the query that count as near it."""

_BESIDE = 2
"""Number of citations before and after a citation, in its paragraph, that count as beside it."""

_MOST_ALIKE = 3
"""Number of the most similar sentences over which the mean similarity of a paper is computed."""


@dataclass(frozen=True, slots=True)
class DraftSignals:
    """Arrays [n] for n candidates; 0 for a paper that the draft does not cite elsewhere."""

    words: Floats
    """BM25 of the most similar sentence that cites the paper, divided by the score of the query sentence
    itself."""
    cosine: Floats
    """Largest cosine of the query sentence and a sentence that cites the paper."""
    cosine_mean: Floats
    """Mean of the three largest such cosines (fewer count as 0)."""
    profile: Floats
    """Cosine of the query sentence and the mean of all sentences that cite the paper."""
    before: Floats
    """1 / (1 + d) if the last citation of the paper before the place is d citations away."""
    after: Floats
    """1 / (1 + d) if the next citation of the paper after the place is d citations away."""
    same_paragraph: Floats
    """1 if the same paragraph cites the paper elsewhere."""
    next_paragraph: Floats
    """1 if the paragraph before or after cites the paper."""
    same_section: Floats
    """ln(1 + number of citations of the paper in the section)."""
    times: Floats
    """ln(1 + number of citations of the paper in the draft)."""
    cocited: Floats
    """ln(1 + number of citations of the paper, in other paragraphs, beside papers cited near the place)."""
    cocited_paragraph: Floats
    """It is like `cocited`, with papers cited in the same paragraph instead of near the place."""
    bibliography: Floats
    """1 / (1 + d) if the entry of the paper in the bibliography is d entries away from that of a paper cited
    near the place."""

    @classmethod
    def none(cls, n: int) -> DraftSignals:
        """The signals of a query without a draft: all 0."""
        return cls(**{field.name: np.zeros(n, dtype=np.float32) for field in fields(cls)})


def draft_signals(
    draft: DraftEvidence,
    rows: Rows,
    rows_of: Mapping[str, int],
    terms: Mapping[str, float],
    sentence_terms: Sequence[Counter[str]],
    vector: Vectors,
    sentence_vectors: Vectors,
    bm25: BM25,
) -> DraftSignals:
    """The signals of the candidates `rows` [n], in any order.

    `rows_of` maps the ids of papers in the library to rows; `terms` are the weighted terms of the query
    sentence and `vector` [d] is its vector; `sentence_terms`, with how often they occur, and
    `sentence_vectors` [c, d] are those of the c sentences of `draft.citations`.
    """
    cited = [
        {rows_of[paper_id] for paper_id in one.paper_ids if paper_id in rows_of} for one in draft.citations
    ]
    mentions = _Mentions.of(cited, rows)
    alike = _alike(terms, sentence_terms, bm25)[mentions.citations]
    cosines = np.maximum(sentence_vectors @ vector, 0)[mentions.citations] if len(sentence_vectors) else alike
    distance = np.array([citation.order - draft.order for citation in draft.citations])[mentions.citations]
    apart = np.array([citation.paragraph - draft.paragraph for citation in draft.citations])[
        mentions.citations
    ]
    here = np.array([citation.section == draft.section for citation in draft.citations])[mentions.citations]
    nearness = (1 / (1 + np.abs(distance))).astype(np.float32)
    near = _union(cited, np.abs([citation.order - draft.order for citation in draft.citations]) <= _NEAR)
    paragraph = _union(cited, [citation.paragraph == draft.paragraph for citation in draft.citations])
    return DraftSignals(
        words=mentions.largest(alike),
        cosine=mentions.largest(cosines),
        cosine_mean=mentions.mean_of_largest(cosines, _MOST_ALIKE),
        profile=_profiles(mentions, sentence_vectors, vector),
        before=mentions.largest(np.where(distance < 0, nearness, 0)),
        after=mentions.largest(np.where(distance > 0, nearness, 0)),
        same_paragraph=mentions.largest(apart == 0),
        next_paragraph=mentions.largest(np.abs(apart) == 1),
        same_section=np.log1p(mentions.count(here)),
        times=np.log1p(mentions.count(np.ones(len(here)))),
        cocited=np.log1p(_cocited(draft, rows, cited, near)),
        cocited_paragraph=np.log1p(_cocited(draft, rows, cited, paragraph)),
        bibliography=_listed_near(draft, rows, rows_of, near),
    )


@dataclass(frozen=True, slots=True)
class _Mentions:
    """All m pairs of a candidate and a citation of it elsewhere in the draft."""

    size: int
    positions: NDArray[np.int64]
    """[m] positions among the candidates."""
    citations: NDArray[np.int64]
    """[m] positions among the citations of the draft."""

    @classmethod
    def of(cls, cited: Sequence[Collection[int]], rows: Rows) -> _Mentions:
        """`cited`: the rows of the papers of each citation."""
        pairs = [(row, number) for number, papers in enumerate(cited) for row in papers]
        table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        position_of = {row: position for position, row in enumerate(rows.tolist())}
        positions = np.array([position_of.get(row, -1) for row, _ in pairs], dtype=np.int64)
        return cls(len(rows), positions[positions >= 0], table[positions >= 0, 1])

    def largest(self, values: NDArray[np.generic]) -> Floats:
        """[size] for each candidate the largest of its `values` [m], which are at least 0."""
        maxima = np.zeros(self.size, dtype=np.float32)
        np.maximum.at(maxima, self.positions, values.astype(np.float32))
        return maxima

    def count(self, values: NDArray[np.generic]) -> Floats:
        """[size] for each candidate the sum of its `values` [m]."""
        return np.bincount(self.positions, weights=values.astype(np.float64), minlength=self.size).astype(
            np.float32
        )

    def mean_of_largest(self, values: Floats, most: int) -> Floats:
        """[size] for each candidate the sum of the `most` largest of its `values` [m], divided by `most`."""
        order = np.lexsort((-values, self.positions))
        positions = self.positions[order]
        rank = np.arange(len(positions)) - np.searchsorted(positions, positions)
        first = rank < most
        sums = np.bincount(positions[first], weights=values[order][first], minlength=self.size)
        return (sums / most).astype(np.float32)


def _alike(terms: Mapping[str, float], sentences: Sequence[Counter[str]], bm25: BM25) -> Floats:
    """[c] BM25 of each sentence (with statistics over these sentences), divided by the largest possible score
    of a sentence as short as the query sentence; in [0, 1]."""
    lengths = np.array([max(words.total(), 1) for words in sentences], dtype=np.float32)
    scores = np.zeros(len(sentences), dtype=np.float32)
    if not sentences or not terms:
        return scores
    norm = bm25.k1 * (1 - bm25.b + bm25.b * lengths / lengths.mean())
    most = 0.0
    for term, weight in terms.items():
        times = np.array([counted.get(term, 0) for counted in sentences], dtype=np.float32)
        having = np.count_nonzero(times)
        gain = weight * np.log1p((len(sentences) - having + 0.5) / (having + 0.5)) * (bm25.k1 + 1)
        scores += (gain * times / (times + norm)).astype(np.float32)
        most += gain / (1 + bm25.k1)
    alike: Floats = np.minimum(scores / np.float32(max(most, 1e-9)), 1)
    return alike


def _profiles(mentions: _Mentions, vectors: Vectors, vector: Vectors) -> Floats:
    if not len(mentions.positions):
        return np.zeros(mentions.size, dtype=np.float32)
    order = np.argsort(mentions.positions, kind="stable")
    positions, starts = np.unique(mentions.positions[order], return_index=True)
    sums = np.add.reduceat(vectors[mentions.citations[order]], starts)
    cosines = np.zeros(mentions.size, dtype=np.float32)
    cosines[positions] = np.maximum((sums @ vector) / np.maximum(np.linalg.norm(sums, axis=1), 1e-9), 0)
    return cosines


def _union(cited: Sequence[set[int]], chosen: Iterable[bool]) -> set[int]:
    return set().union(*(rows for rows, fits in zip(cited, chosen, strict=True) if fits))


def _cocited(draft: DraftEvidence, rows: Rows, cited: Sequence[set[int]], with_papers: set[int]) -> Floats:
    """[n] how often each candidate is cited beside one of `with_papers`, in paragraphs other than that of the
    query."""
    times: Counter[int] = Counter()
    shared = [papers & with_papers for papers in cited] if with_papers else []
    for number in {
        near
        for position, papers in enumerate(shared)
        if papers
        for near in range(max(0, position - _BESIDE), min(len(cited), position + _BESIDE + 1))
    }:
        own = draft.citations[number].paragraph
        if own == draft.paragraph:
            continue
        around = range(max(0, number - _BESIDE), min(len(cited), number + _BESIDE + 1))
        beside = _union(
            [shared[other] for other in around],
            [draft.citations[other].paragraph == own for other in around],
        )
        for row in cited[number]:
            times[row] += len(beside - {row})
    return np.array([times[row] for row in rows.tolist()], dtype=np.float32)


def _listed_near(draft: DraftEvidence, rows: Rows, rows_of: Mapping[str, int], near: set[int]) -> Floats:
    """[n] 1 / (1 + distance of entries in the bibliography); 0 for the papers `near` themselves."""
    listed = {
        rows_of[paper_id]: number
        for number, paper_id in reversed(list(enumerate(draft.bibliography)))
        if paper_id in rows_of
    }
    anchors = np.array([listed[row] for row in near if row in listed], dtype=np.int64)
    nearness = np.zeros(len(rows), dtype=np.float32)
    if not len(anchors):
        return nearness
    position = np.array([listed.get(row, -1) for row in rows.tolist()])
    nearness[:] = 1 / (1 + np.abs(position[:, None] - anchors[None, :]).min(axis=1))
    nearness[(position < 0) | np.isin(rows, list(near))] = 0
    return nearness

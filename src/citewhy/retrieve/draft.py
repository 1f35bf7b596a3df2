"""Signals from the other citations in a draft, as evidence for papers to cite at one place.

Each other citation of a paper in the draft is evidence for citing it again: by the similarity of its sentence
to the query sentence (words and vectors), by its distance, by the papers that are cited beside it, and by the
position of its entry in the bibliography. For every signal, larger values are stronger evidence; for papers
that the draft does not cite elsewhere, all signals are 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from citewhy.encode.encoder import Vectors
from citewhy.index.arrays import Floats, Rows
from citewhy.index.fields import BM25
from citewhy.records import DraftCitation, DraftEvidence

__all__ = ["DraftSignals", "draft_signals"]

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
    """As `cocited`, with papers cited in the same paragraph instead of near the place."""
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
    sentence_terms: Sequence[Sequence[str]],
    vector: Vectors,
    sentence_vectors: Vectors,
    bm25: BM25,
) -> DraftSignals:
    """The signals of the candidates `rows` [n], ascending.

    `rows_of` maps the ids of papers in the library to rows; `terms` are the weighted terms of the query
    sentence and `vector` [d] is its vector; `sentence_terms` and `sentence_vectors` [c, d] are those of the c
    sentences of `draft.citations`.
    """
    mentions = _Mentions.of(draft.citations, rows, rows_of)
    alike = _alike(terms, sentence_terms, bm25)[mentions.citations]
    cosines = np.maximum(sentence_vectors @ vector, 0)[mentions.citations] if len(sentence_vectors) else alike
    distance = np.array([each.order - draft.order for each in draft.citations])[mentions.citations]
    apart = np.array([each.paragraph - draft.paragraph for each in draft.citations])[mentions.citations]
    here = np.array([each.section == draft.section for each in draft.citations])[mentions.citations]
    nearness = (1 / (1 + np.abs(distance))).astype(np.float32)
    near, paragraph = _cited_near(draft, rows_of)
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
        cocited=np.log1p(_cocited(draft, rows, rows_of, near)),
        cocited_paragraph=np.log1p(_cocited(draft, rows, rows_of, paragraph)),
        bibliography=_listed_near(draft, rows, rows_of, near),
    )


@dataclass(frozen=True, slots=True)
class _Mentions:
    """All m pairs of a candidate and a citation of it elsewhere in the draft."""

    size: int
    places: NDArray[np.int64]
    """[m] positions among the candidates."""
    citations: NDArray[np.int64]
    """[m] positions among the citations of the draft."""

    @classmethod
    def of(cls, citations: Sequence[DraftCitation], rows: Rows, rows_of: Mapping[str, int]) -> _Mentions:
        place_of = {row: place for place, row in enumerate(rows.tolist())}
        pairs = [
            (place_of[row], number)
            for number, citation in enumerate(citations)
            for row in {rows_of.get(each, -1) for each in citation.paper_ids}
            if row in place_of
        ]
        table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return cls(len(rows), table[:, 0], table[:, 1])

    def largest(self, values: NDArray[np.generic]) -> Floats:
        """[size] for each candidate the largest of its `values` [m], which are at least 0."""
        found = np.zeros(self.size, dtype=np.float32)
        np.maximum.at(found, self.places, values.astype(np.float32))
        return found

    def count(self, values: NDArray[np.generic]) -> Floats:
        """[size] for each candidate the sum of its `values` [m]."""
        return np.bincount(self.places, weights=values.astype(np.float64), minlength=self.size).astype(
            np.float32
        )

    def mean_of_largest(self, values: Floats, most: int) -> Floats:
        """[size] for each candidate the sum of the `most` largest of its `values` [m], divided by `most`."""
        order = np.lexsort((-values, self.places))
        places = self.places[order]
        rank = np.arange(len(places)) - np.searchsorted(places, places)
        first = rank < most
        sums = np.bincount(places[first], weights=values[order][first], minlength=self.size)
        return (sums / most).astype(np.float32)


def _alike(terms: Mapping[str, float], sentences: Sequence[Sequence[str]], bm25: BM25) -> Floats:
    """[c] BM25 of each sentence (with statistics over these sentences), divided by the largest possible score
    of a sentence as short as the query sentence; in [0, 1]."""
    counts = [Counter(each) for each in sentences]
    lengths = np.array([max(len(each), 1) for each in sentences], dtype=np.float32)
    scores = np.zeros(len(counts), dtype=np.float32)
    if not counts or not terms:
        return scores
    norm = bm25.k1 * (1 - bm25.b + bm25.b * lengths / lengths.mean())
    most = 0.0
    for term, weight in terms.items():
        times = np.array([each[term] for each in counts], dtype=np.float32)
        having = np.count_nonzero(times)
        gain = weight * np.log1p((len(counts) - having + 0.5) / (having + 0.5)) * (bm25.k1 + 1)
        scores += (gain * times / (times + norm)).astype(np.float32)
        most += gain / (1 + bm25.k1)
    alike: Floats = np.minimum(scores / np.float32(max(most, 1e-9)), 1)
    return alike


def _profiles(mentions: _Mentions, vectors: Vectors, vector: Vectors) -> Floats:
    if not len(mentions.places):
        return np.zeros(mentions.size, dtype=np.float32)
    sums = np.zeros((mentions.size, vectors.shape[1]), dtype=np.float32)
    np.add.at(sums, mentions.places, vectors[mentions.citations])
    lengths = np.linalg.norm(sums, axis=1)
    cosines: Floats = np.maximum((sums @ vector) / np.maximum(lengths, 1e-9), 0).astype(np.float32)
    return cosines


def _cited_near(draft: DraftEvidence, rows_of: Mapping[str, int]) -> tuple[set[int], set[int]]:
    """The papers cited within `_NEAR` citations of the place, and those cited in its paragraph."""
    near, paragraph = set(), set()
    for citation in draft.citations:
        cited = _rows(citation, rows_of)
        if abs(citation.order - draft.order) <= _NEAR:
            near |= cited
        if citation.paragraph == draft.paragraph:
            paragraph |= cited
    return near, paragraph


def _rows(citation: DraftCitation, rows_of: Mapping[str, int]) -> set[int]:
    return {rows_of[each] for each in citation.paper_ids if each in rows_of}


def _cocited(draft: DraftEvidence, rows: Rows, rows_of: Mapping[str, int], with_papers: set[int]) -> Floats:
    """[n] how often each candidate is cited beside one of `with_papers`, in paragraphs other than that of the
    query."""
    found = np.zeros(len(rows), dtype=np.float32)
    if not with_papers:
        return found
    place_of = {row: place for place, row in enumerate(rows.tolist())}
    cited = [_rows(each, rows_of) for each in draft.citations]
    for number, citation in enumerate(draft.citations):
        if citation.paragraph == draft.paragraph:
            continue
        beside: set[int] = set()
        for other in range(max(0, number - _BESIDE), min(len(cited), number + _BESIDE + 1)):
            if draft.citations[other].paragraph == citation.paragraph:
                beside |= cited[other]
        beside &= with_papers
        for row in cited[number] & place_of.keys():
            found[place_of[row]] += len(beside - {row})
    return found


def _listed_near(draft: DraftEvidence, rows: Rows, rows_of: Mapping[str, int], near: set[int]) -> Floats:
    """[n] 1 / (1 + distance of entries in the bibliography); 0 for the papers `near` themselves."""
    listed = {
        rows_of[each]: place
        for place, each in reversed(list(enumerate(draft.bibliography)))
        if each in rows_of
    }
    anchors = np.array([listed[row] for row in near if row in listed], dtype=np.int64)
    found = np.zeros(len(rows), dtype=np.float32)
    if not len(anchors):
        return found
    for place, row in enumerate(rows.tolist()):
        if row in listed and row not in near:
            found[place] = 1 / (1 + np.abs(anchors - listed[row]).min())
    return found

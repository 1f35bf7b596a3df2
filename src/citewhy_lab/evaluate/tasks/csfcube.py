"""Task `aspects` on a folder in CSFCube's layout: papers like a given one in a facet.

bm25      BM25 of the facet's sentences of the query over those of each candidate
dense     cosine of the vectors of title and abstract: one vector a paper, whatever the facet
hybrid    (`full` as well) the reciprocal ranks of three rankings, added: these two, and the cosine of the
          vectors of the facet's sentences

Where an encoder's folder has a neighbour that is called like it with the facet behind a hyphen, as `citewhy
train sciaspect --embedding encoder --embedding method` writes it, that one makes the vectors of papers for
the facet.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.base.records import FullText, Paper, Sentence
from citewhy.ranking.linkage.baselines import bm25
from citewhy.search.encode import CachedEncoder, Encoder, open_encoder, paper_text
from citewhy_lab.evaluate.aspects import AnsweredQuestion, MeasuredSystem, aspect_outcome
from citewhy_lab.evaluate.datasets.csfcube import FACETS, CSFCube, FacetQuestion, read_csfcube
from citewhy_lab.evaluate.making import made, peak_rss_mb
from citewhy_lab.evaluate.outcome import Outcome

SYSTEMS = ("bm25", "dense", "hybrid", "full")

SHARE = 0.2
"""Of the candidates: nDCG%20 looks at the first fifth."""

_SMOOTHING = 60
"""Added to ranks before their reciprocals are added (Cormack, Clarke and Büttcher 2009)."""

Doubles = NDArray[np.float64]


def measure_csfcube(
    folder: Path,
    pipeline: str,
    encoder: Path | None,
    baseline: str | None,
    seed: int,
    limit: int | None,
    progress: Progress,
) -> Outcome:
    """Ranks the candidates of each question. Raises InputError for a folder of another layout, QueryError for
    a system that there is none of."""
    for name in (pipeline, baseline):
        if name is not None and name not in SYSTEMS:
            raise QueryError(f"there is no system {name!r}", hint=f"known: {', '.join(SYSTEMS)}")
    data = read_csfcube(folder)
    rankers = _Rankers(data, encoder)
    system = _measured(pipeline, data.questions[:limit], rankers, progress)
    memory = peak_rss_mb()
    against = None if baseline is None else _measured(baseline, data.questions[:limit], rankers, progress)
    options = {
        "pipeline": pipeline,
        "encoder": encoder and encoder.name,
        "baseline": baseline,
        "limit": limit,
    }
    notes = ["nDCG%20: of the first fifth of the candidates, with CSFCube's own discounts"]
    return aspect_outcome(
        folder.name, FACETS, system, seed, against, notes, made(data.files, None, None, options, seed), memory
    )


def ndcg(grades: Sequence[int], share: float = SHARE) -> float:
    """Computes, of grades in the order of a ranking, down to ⌊share · n⌋: Σ gᵢ / max(1, log₂ i), divided by
    its largest value; 0 if that is 0. The discounts are those of CSFCube's scripts: the second place counts
    like the first."""
    depth = int(share * len(grades))
    weights = 1 / np.maximum(1, np.log2(np.arange(1, depth + 1)))
    best = float(np.sort(grades)[::-1][:depth] @ weights)
    return float(np.asarray(grades[:depth]) @ weights) / best if best else 0.0


class _Rankers:
    def __init__(self, data: CSFCube, encoder: Path | None) -> None:
        self._data = data
        self._folder = encoder
        self._encoders: dict[str, Encoder] = {}

    def scores(self, system: str, question: FacetQuestion, candidates: Sequence[str]) -> Doubles:
        """Returns the scores [candidates] of a system."""
        if system == "bm25":
            return self._bm25(question, candidates)
        papers = self._cosines(question, candidates, self._papers((question.query, *candidates)), "paper")
        if system == "dense":
            return papers
        texts = [
            self._data.abstracts[each].of_facet(question.facet) for each in (question.query, *candidates)
        ]
        sentences = self._cosines(question, candidates, texts, "query")
        both = (self._bm25(question, candidates), papers, sentences)
        total: Doubles = np.sum([1 / (_SMOOTHING + _ranks(each, candidates)) for each in both], axis=0)
        return total

    def _bm25(self, question: FacetQuestion, candidates: Sequence[str]) -> Doubles:
        texts = [self._data.abstracts[candidate].of_facet(question.facet) for candidate in candidates]
        rows = tuple(Sentence(position, "", text) for position, text in enumerate(texts))
        asked = self._data.abstracts[question.query].of_facet(question.facet)
        return np.asarray(bm25([asked], FullText(question.query, rows))[0], dtype=np.float64)

    def _cosines(
        self, question: FacetQuestion, candidates: Sequence[str], texts: Sequence[str], kind: Any
    ) -> Doubles:
        encoder = self._encoder(question.facet if kind == "paper" else "")
        vectors = encoder.encode(texts, kind)
        return np.asarray(vectors[1:] @ vectors[0], dtype=np.float64)

    def _papers(self, ids: Sequence[str]) -> list[str]:
        found = [self._data.abstracts[paper_id] for paper_id in ids]
        return [paper_text(Paper("", each.title, " ".join(each.sentences))) for each in found]

    def _encoder(self, facet: str) -> Encoder:
        if facet not in self._encoders:
            folder = self._folder
            if folder is not None and facet and (own := folder.with_name(f"{folder.name}-{facet}")).is_dir():
                folder = own
            self._encoders[facet] = CachedEncoder(open_encoder(folder))
        return self._encoders[facet]


def _measured(
    system: str, questions: Sequence[FacetQuestion], rankers: _Rankers, progress: Progress
) -> MeasuredSystem:
    judged = []
    for done, question in enumerate(questions, start=1):
        candidates = sorted(question.grades)
        scores = rankers.scores(system, question, candidates)
        ranking = [candidates[position] for position in np.argsort(-scores, kind="stable")]
        value = ndcg([question.grades[each] for each in ranking])
        query = f"{question.query}_{question.facet}"
        judged.append(AnsweredQuestion(query, question.facet, {"nDCG%20": value}, ranking))
        progress(f"{system}: {done:,} of {len(questions):,} questions", done / len(questions))
    return MeasuredSystem(system, judged)


def _ranks(scores: Doubles, candidates: Sequence[str]) -> Doubles:
    """Returns [candidates] from 1; ties by id, in whose order the candidates are."""
    ranks = np.empty(len(candidates))
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(candidates) + 1)
    return ranks

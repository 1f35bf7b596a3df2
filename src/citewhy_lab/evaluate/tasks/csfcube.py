"""Task `aspects` on a folder in CSFCube's layout: papers like a given one in a facet.

bm25      BM25 of the facet's sentences of the query over those of each candidate
dense     cosine of the vectors of title and abstract: one vector a paper, whatever the facet
hybrid    (`full` as well) the reciprocal ranks of three rankings, added: these two, and the cosine of the
          vectors of the facet's sentences

Where an encoder's folder has a neighbour that is called like it with the facet behind a hyphen, as `citewhy
train sciaspect --embedding encoder --embedding method` writes it, that one makes the vectors of papers for
the facet.

CSFCube (Mysore et al. 2021) is read in the layout in which it is published:

    abstracts-csfcube-preds.jsonl         ``paper_id``, ``title``, ``abstract`` (a list of sentences),
                                          ``pred_labels`` (one a sentence, such as ``method_label``)
    test-pid2anns-csfcube-FACET.json      of each query: ``cands``, ``relevance_adju`` (0 to 3)
    evaluation_splits.json                not needed: scores are means over all queries

FACET is background, method or result. It can be had at https://github.com/iesl/CSFCube/releases (CC BY-NC
4.0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import InputError, QueryError
from citewhy.base.progress import Progress
from citewhy.base.records import FullText, Paper, Sentence
from citewhy.ranking.linkage.baselines import bm25
from citewhy.search.encode import CachedEncoder, Encoder, open_encoder, paper_text
from citewhy.text.source import read_bytes
from citewhy_lab.evaluate.aspects import AnsweredQuestion, MeasuredSystem, aspect_outcome
from citewhy_lab.evaluate.datasets.lines import Line, every_object, parsed_object
from citewhy_lab.evaluate.datasets.reading import need
from citewhy_lab.evaluate.making import made, peak_rss_mb
from citewhy_lab.evaluate.outcome import Outcome

SYSTEMS = ("bm25", "dense", "hybrid", "full")

SHARE = 0.2
"""This share of the candidates counts: nDCG%20 looks at the first fifth."""

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
            self._data.abstracts[paper_id].of_facet(question.facet)
            for paper_id in (question.query, *candidates)
        ]
        sentences = self._cosines(question, candidates, texts, "query")
        both = (self._bm25(question, candidates), papers, sentences)
        total: Doubles = np.sum([1 / (_SMOOTHING + _ranks(scores, candidates)) for scores in both], axis=0)
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
        abstracts = [self._data.abstracts[paper_id] for paper_id in ids]
        return [paper_text(Paper("", abstract.title, " ".join(abstract.sentences))) for abstract in abstracts]

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
        value = ndcg([question.grades[paper_id] for paper_id in ranking])
        query = f"{question.query}_{question.facet}"
        judged.append(AnsweredQuestion(query, question.facet, {"nDCG%20": value}, ranking))
        progress(f"{system}: {done:,} of {len(questions):,} questions", done / len(questions))
    return MeasuredSystem(system, judged)


def _ranks(scores: Doubles, candidates: Sequence[str]) -> Doubles:
    """Returns [candidates] from 1; ties by id, in whose order the candidates are."""
    ranks = np.empty(len(candidates))
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(candidates) + 1)
    return ranks


# The files -----------------------------------------------------------------------------------------------


SOURCE = "https://github.com/iesl/CSFCube/releases"

FACETS = ("background", "method", "result")

_LABELS: Mapping[str, frozenset[str]] = {
    "background": frozenset({"background_label", "objective_label"}),
    "method": frozenset({"method_label"}),
    "result": frozenset({"result_label"}),
}
"""Labels of the sentences of a facet; what a paper is after is its background, as its authors count it."""

_MOST = 1 << 30


@dataclass(frozen=True, slots=True)
class Abstract:
    title: str
    sentences: tuple[str, ...]
    labels: tuple[str, ...]
    """One for each sentence."""

    def of_facet(self, facet: str) -> str:
        """Joins its sentences; empty if there are none."""
        labelled = zip(self.sentences, self.labels, strict=True)
        return " ".join(sentence for sentence, label in labelled if label in _LABELS[facet])


@dataclass(frozen=True, slots=True)
class FacetQuestion:
    query: str
    facet: str
    grades: Mapping[str, int]
    """Each candidate has one, from 0 to 3."""


@dataclass(frozen=True, slots=True)
class CSFCube:
    abstracts: Mapping[str, Abstract]
    questions: tuple[FacetQuestion, ...]
    """In the order of facets and files."""
    files: tuple[Path, ...]


def read_csfcube(folder: Path) -> CSFCube:
    """Reads the folder. Raises InputError for a missing file, a file of another form, and a question about a
    paper without an abstract in it."""
    texts = need(folder, "abstracts-csfcube-preds.jsonl")
    annotated = {facet: need(folder, f"test-pid2anns-csfcube-{facet}.json") for facet in FACETS}
    abstracts = {}
    for line in every_object(texts):
        abstracts[str(line.fields.get("paper_id"))] = _abstract(line)
    questions = []
    for facet, path in annotated.items():
        grades = parsed_object(read_bytes(path, _MOST), path)
        for query, answers in grades.items():
            question = FacetQuestion(query, facet, _grades(answers, query, path))
            if unknown := [paper_id for paper_id in (query, *question.grades) if paper_id not in abstracts]:
                raise InputError(f"{texts.name} has no paper {unknown[0]}", path=path)
            questions.append(question)
    if not questions:
        raise InputError("there are no questions in this folder", path=folder)
    return CSFCube(abstracts, tuple(questions), (texts, *annotated.values()))


def _abstract(line: Line) -> Abstract:
    sentences = line.texts("abstract")
    labels = line.fields.get("pred_labels")
    if not isinstance(labels, list) or len(labels) != len(sentences):
        raise line.error("'pred_labels' are not as many as the sentences of 'abstract'")
    return Abstract(line.text("title"), sentences, tuple(map(str, labels)))


def _grades(answers: Any, query: str, path: Path) -> dict[str, int]:
    candidates = answers.get("cands") if isinstance(answers, dict) else None
    grades = answers.get("relevance_adju") if isinstance(answers, dict) else None
    if not isinstance(candidates, list) or not isinstance(grades, list) or len(candidates) != len(grades):
        raise InputError(
            f"query {query} has no 'cands' with as many 'relevance_adju'", path=path, hint=f"as in {SOURCE}"
        )
    if not all(type(grade) is int and 0 <= grade <= 3 for grade in grades):
        raise InputError(f"query {query} has grades that are not 0, 1, 2 or 3", path=path)
    return dict(zip(map(str, candidates), grades, strict=True))

"""CSFCube (Mysore et al. 2021): papers like a given one in a facet, in the layout in which it is published.

    abstracts-csfcube-preds.jsonl         ``paper_id``, ``title``, ``abstract`` (a list of sentences),
                                          ``pred_labels`` (one a sentence, such as ``method_label``)
    test-pid2anns-csfcube-FACET.json      of each query: ``cands``, ``relevance_adju`` (0 to 3)
    evaluation_splits.json                not needed: scores are means over all queries

FACET is background, method or result. To be had at https://github.com/iesl/CSFCube/releases (CC BY-NC 4.0).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewhy.base.errors import InputError
from citewhy.text.source import read_bytes
from citewhy_lab.evaluate.datasets.lines import Line, every_object, parsed_object
from citewhy_lab.evaluate.datasets.reading import need

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
    """Of each candidate: 0 to 3."""


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
        found = parsed_object(read_bytes(path, _MOST), path)
        for query, answers in found.items():
            question = FacetQuestion(query, facet, _grades(answers, query, path))
            if unknown := [each for each in (query, *question.grades) if each not in abstracts]:
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

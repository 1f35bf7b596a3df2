"""What the benchmarks measure: rankings by distance, linear classifiers, linear regression."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ir_measures
import numpy as np

from citewhy.base.errors import MissingExtraError, QueryError
from citewhy.search.encode.encoder import Vectors

__all__ = ["Score", "Skipped", "classified", "measure", "ranked", "regressed"]

Judgements = Mapping[str, Mapping[str, int]]
"""Query → candidate → grade; 0 is not relevant."""

_FOLDS = 3


@dataclass(frozen=True, slots=True)
class Score:
    """A figure of a benchmark in [0, 1]; of rankings its value for each query, whose mean it is."""

    task: str
    measure: str
    value: float
    queries: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A task that could not be measured, and why."""

    task: str
    reason: str


def measure(name: str) -> Any:
    """Of `ir_measures`, by the name in the benchmarks: ``map``, ``ndcg``, ``recall_5``, ``P_5``. Raises
    QueryError."""
    known = {"map": "AP", "ndcg": "nDCG", "recall": "R", "p": "P", "recip": "RR"}
    found = re.fullmatch(r"([a-z]+?)(?:_cut)?(?:_(\d+))?", name.casefold())
    if found is None or found[1] not in known:
        raise QueryError(f"there is no measure {name!r} of rankings", hint=f"known: {', '.join(known)}")
    base = getattr(ir_measures, known[found[1]])
    return base @ int(found[2]) if found[2] else base


def ranked(
    task: str,
    names: Sequence[str],
    judgements: Judgements,
    queries: Mapping[str, Vectors],
    papers: Mapping[str, Vectors],
) -> list[Score]:
    """Candidates by Euclidean distance, nearest first, ties by id. Papers without a vector come last; queries
    without one score zero."""
    run: dict[str, dict[str, float]] = {}
    for query, grades in judgements.items():
        known = sorted(each for each in grades if each in papers)
        if query in queries and known:
            apart = np.linalg.norm(np.stack([papers[each] for each in known]) - queries[query], axis=1)
            order = np.argsort(apart, kind="stable")
            run[query] = {known[place]: -float(rank) for rank, place in enumerate(order)}
    measures = {measure(name): name for name in names}
    values: dict[str, dict[str, float]] = {name: dict.fromkeys(judgements, 0.0) for name in names}
    plain = {query: dict(grades) for query, grades in judgements.items()}
    for found in ir_measures.iter_calc(list(measures), plain, run):
        values[measures[found.measure]][found.query_id] = float(found.value)
    return [
        Score(task, name, float(np.mean(list(values[name].values()))), tuple(values[name].values()))
        for name in names
    ]


Labelled = Sequence[tuple[str, Any]]
"""(id, label)"""


def classified(
    task: str, name: str, train: Labelled, test: Labelled, vectors: Mapping[str, Vectors], seed: int
) -> Score:
    """F1 of a linear SVM with C chosen by cross-validation on the training papers: ``f1_macro``, or ``f1`` of
    the positive class. Labels that are tuples are several, with a classifier each."""
    _check()
    from sklearn.metrics import f1_score
    from sklearn.model_selection import GridSearchCV
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.preprocessing import MultiLabelBinarizer
    from sklearn.svm import LinearSVC

    features, labels = _table(train, vectors)
    asked, wanted = _table(test, vectors)
    estimator: Any = LinearSVC(random_state=seed)
    parameters = "C"
    if isinstance(labels[0], tuple):
        encoder = MultiLabelBinarizer().fit([*labels, *wanted])
        labels, wanted = encoder.transform(labels), encoder.transform(wanted)
        estimator, parameters = OneVsRestClassifier(estimator), "estimator__C"
    search = GridSearchCV(estimator, {parameters: np.logspace(-4, 2, 7)}, cv=_FOLDS)
    predicted = search.fit(features, labels).predict(asked)
    average = name.partition("_")[2] or ("binary" if len(set(map(str, wanted))) <= 2 else "macro")
    options = {"pos_label": max(labels)} if average == "binary" else {}
    return Score(task, name, float(f1_score(wanted, predicted, average=average, zero_division=0, **options)))


def regressed(
    task: str, name: str, train: Labelled, test: Labelled, vectors: Mapping[str, Vectors], seed: int
) -> Score:
    """Kendall's τ (``kendalltau``) or Pearson's r (``pearsonr``) of a linear support vector regression."""
    _check()
    from scipy import stats
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import LinearSVR

    features, values = _table(train, vectors)
    asked, wanted = _table(test, vectors)
    search = GridSearchCV(LinearSVR(random_state=seed), {"C": np.logspace(-4, 2, 7)}, cv=_FOLDS)
    predicted = search.fit(features, np.array(values, dtype=float)).predict(asked)
    correlate = {"kendalltau": stats.kendalltau, "pearsonr": stats.pearsonr}.get(name)
    if correlate is None:
        raise QueryError(f"there is no measure {name!r} of regression", hint="known: kendalltau, pearsonr")
    return Score(task, name, float(correlate(np.array(wanted, dtype=float), predicted)[0]))


def _table(rows: Labelled, vectors: Mapping[str, Vectors]) -> tuple[Any, Any]:
    """[n, d] vectors, zeros where there is none; labels."""
    size = len(next(iter(vectors.values()))) if vectors else 1
    nothing = np.zeros(size, dtype=np.float32)
    return np.stack([vectors.get(each, nothing) for each, _ in rows]), [label for _, label in rows]


def _check() -> None:
    import importlib.util

    if importlib.util.find_spec("sklearn") is None:
        raise MissingExtraError("measuring classification", "lab")

"""Paper embeddings of benchmarks, and what is measured with them.

Embeddings are made by an encoder, or read from the files that benchmarks exchange: a line for each paper,
``{"paper_id": "…", "embedding": [0.1, …]}``; SciRepEval says ``doc_id``. They are measured by rankings by
distance, linear classifiers and linear regression.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import ir_measures
import numpy as np
import orjson

from citewhy.base.artifact import replace_file
from citewhy.base.errors import MissingExtraError, QueryError
from citewhy.base.records import Paper
from citewhy.search.encode import Encoder, paper_text
from citewhy.search.encode.encoder import Vectors
from citewhy.text.source import read_bytes
from citewhy_lab.evaluate.datasets.lines import Line, every_object, parsed_object

# Embeddings -----------------------------------------------------------------------------------------------


IDS = ("paper_id", "doc_id", "corpus_id", "id")
"""Fields of an id, the first that there is."""

_MOST = 4 << 30
"""Bytes of a JSON file."""

_AT_A_TIME = 512

Texts = Mapping[str, str]
"""Text by id: title and abstract of a paper, or a query of words."""

Embed = Callable[[Texts, bool], Mapping[str, Vectors]]
"""Vectors [d] of texts by id; the second argument tells whether they are queries of words. Papers without a
vector are left out."""


def by_encoder(encoder: Encoder, progress: Callable[[str, float | None], None]) -> Embed:
    """Encodes the texts, each once."""
    known: dict[tuple[str, bool], Vectors] = {}

    def embed(texts: Texts, words: bool) -> Mapping[str, Vectors]:
        new = [text for text in texts if (text, words) not in known]
        for start in range(0, len(new), _AT_A_TIME):
            block = new[start : start + _AT_A_TIME]
            found = encoder.encode([texts[each] for each in block], "query" if words else "paper")
            known.update(zip(((each, words) for each in block), found, strict=True))
            progress("encoding papers", (start + len(block)) / len(new))
        return {each: known[each, words] for each in texts}

    return embed


def from_files(files: Iterable[Path]) -> Embed:
    """Returns vectors from files, later ones before earlier ones. Raises InputError for a line without a
    vector, and for vectors of different lengths."""
    found: dict[str, Vectors] = {}
    size = 0
    for file in files:
        for line in every_object(file):
            values = line.fields.get("embedding")
            if not isinstance(values, list) or not values:
                raise line.error("'embedding' is missing", hint="a line has paper_id and embedding")
            found[_id(line)] = np.array(values, dtype=np.float32)
            if size and len(values) != size:
                raise line.error(f"a vector of {len(values)} numbers, after one of {size}")
            size = len(values)
    return lambda texts, _words: {text: found[text] for text in texts if text in found}


def write_embeddings(path: Path, vectors: Mapping[str, Vectors]) -> None:
    """Returns a line for each paper. Raises StorageError."""
    rows = ({"paper_id": each, "embedding": vector.tolist()} for each, vector in vectors.items())
    replace_file(path, b"".join(orjson.dumps(row) + b"\n" for row in rows))


def read_json(path: Path) -> dict[str, Any]:
    """Returns a file with one JSON object. Raises InputError."""
    return parsed_object(read_bytes(path, _MOST), path)


def paper_of(line: Line) -> tuple[str, str]:
    """Returns id, and text of title and abstract; the abstract may be null, or a list of sentences."""
    abstract = line.fields.get("abstract") or ""
    text = " ".join(map(str, abstract)) if isinstance(abstract, list) else str(abstract)
    return _id(line), paper_text(Paper("", str(line.fields.get("title") or ""), text))


def _id(line: Line) -> str:
    found = next((line.fields[name] for name in IDS if line.fields.get(name) not in (None, "")), None)
    if not isinstance(found, str | int):
        raise line.error(f"there is no id, expected {', '.join(cast(Sequence[str], IDS))}")
    return str(found)


# Measures -------------------------------------------------------------------------------------------------


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
    """Returns the measure of `ir_measures`, by the name in the benchmarks: ``map``, ``ndcg``, ``recall_5``,
    ``P_5``. Raises QueryError."""
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
    """Ranks candidates by Euclidean distance, nearest first, ties by id. Papers without a vector come last;
    queries without one score zero."""
    run: dict[str, dict[str, float]] = {}
    for query, grades in judgements.items():
        known = sorted(each for each in grades if each in papers)
        if query in queries and known:
            apart = np.linalg.norm(np.stack([papers[each] for each in known]) - queries[query], axis=1)
            order = np.argsort(apart, kind="stable")
            run[query] = {known[position]: -float(rank) for rank, position in enumerate(order)}
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
    """Computes F1 of a linear SVM with C chosen by cross-validation on the training papers: ``f1_macro``, or
    ``f1`` of the positive class. Labels that are tuples are several, with a classifier each."""
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
    """Computes Kendall's τ (``kendalltau``) or Pearson's r (``pearsonr``) of a linear support vector
    regression."""
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
    """Returns [n, d] vectors, zeros where there is none; labels."""
    size = len(next(iter(vectors.values()))) if vectors else 1
    nothing = np.zeros(size, dtype=np.float32)
    return np.stack([vectors.get(each, nothing) for each, _ in rows]), [label for _, label in rows]


def _check() -> None:
    import importlib.util

    if importlib.util.find_spec("sklearn") is None:
        raise MissingExtraError("measuring classification", "lab")

"""Paper embeddings of benchmarks, and what is measured with them.

Embeddings are made by an encoder, or read from the files that benchmarks exchange: a line for each paper,
``{"paper_id": "…", "embedding": [0.1, …]}``; SciRepEval says ``doc_id``. They are measured by rankings by
distance, linear classifiers and linear regression.

Three benchmarks are read in the layouts in which they are published. SciDocs (Cohan et al. 2020):

    paper_metadata_mag_mesh.json, …_view_cite_read.json, …_recomm.json     papers by id
    mag/ mesh/: train.csv test.csv         ``pid,class_label``
    cite/ cocite/ coread/ coview/: test.qrel     ``query 0 paper relevance``
    recomm/: test.csv propensity_scores.json     ``query,clicked,"shown,papers,in,order"``

It can be had with: aws s3 sync --no-sign-request s3://ai2-s2-research-public/specter/scidocs/ DIR. Its
recommendation is measured by the cosine, with the corrections for the position of a click; SciDocs itself
first trains a ranking network on the clicks, so that its figures are others.

MDCR (Medić and Šnajder 2022), citation recommendation in 19 fields:

    mdcr_test.json         field → query → kind of candidate (``true``, ``bm25``, ``graph``, …) → ids
    mdcr_test_data.jsonl   papers: an id, title, abstract

It can be had at https://github.com/zoranmedic/mdcr. Candidates are ranked by Euclidean distance; measures are
means over the queries of a field, and the average is one of the fields.

SciRepEval (Singh et al. 2023), by its table of tasks:

    scirepeval_tasks.jsonl     a line a task: ``name``, ``type`` (classification, regression, proximity,
                               adhoc_search), ``data`` (``meta``, ``test``), ``metrics``, ``multi_label``

``data.meta`` is a file of papers, one a line; of a ranking also with ``query`` (words, or a paper) and
``candidates``. ``data.test`` is a folder: ``train.csv`` and ``test.csv`` (``paper_id,label``), or
``test_qrel.jsonl`` (``query_id``, ``cand_id``, ``score``). Where the table names a data set of Hugging Face
instead, they are looked for as ``meta/CONFIG.jsonl`` and ``test/CONFIG``. Table and data are at
https://github.com/allenai/scirepeval. Papers are read as title and abstract, whatever the table has as
``fields``; samples for ``few_shot`` are not drawn.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import ir_measures
import numpy as np
import orjson

from citewhy.base.artifact import replace_file
from citewhy.base.errors import InputError, MissingExtraError, QueryError
from citewhy.base.records import Paper
from citewhy.search.encode import Encoder, paper_text
from citewhy.search.encode.encoder import Vectors
from citewhy.text.source import open_lines, read_bytes
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
            vectors = encoder.encode([texts[key] for key in block], "query" if words else "paper")
            known.update(zip(((key, words) for key in block), vectors, strict=True))
            progress("encoding papers", (start + len(block)) / len(new))
        return {key: known[key, words] for key in texts}

    return embed


def from_files(files: Iterable[Path]) -> Embed:
    """Returns vectors from files, later ones before earlier ones. Raises InputError for a line without a
    vector, and for vectors of different lengths."""
    vectors: dict[str, Vectors] = {}
    size = 0
    for file in files:
        for line in every_object(file):
            values = line.fields.get("embedding")
            if not isinstance(values, list) or not values:
                raise line.error("'embedding' is missing", hint="a line has paper_id and embedding")
            vectors[_id(line)] = np.array(values, dtype=np.float32)
            if size and len(values) != size:
                raise line.error(f"a vector of {len(values)} numbers, after one of {size}")
            size = len(values)
    return lambda texts, _words: {text: vectors[text] for text in texts if text in vectors}


def write_embeddings(path: Path, vectors: Mapping[str, Vectors]) -> None:
    """Returns a line for each paper. Raises StorageError."""
    rows = ({"paper_id": paper_id, "embedding": vector.tolist()} for paper_id, vector in vectors.items())
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
    paper_id = next((line.fields[name] for name in IDS if line.fields.get(name) not in (None, "")), None)
    if not isinstance(paper_id, str | int):
        raise line.error(f"there is no id, expected {', '.join(cast(Sequence[str], IDS))}")
    return str(paper_id)


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
    parts = re.fullmatch(r"([a-z]+?)(?:_cut)?(?:_(\d+))?", name.casefold())
    if parts is None or parts[1] not in known:
        raise QueryError(f"there is no measure {name!r} of rankings", hint=f"known: {', '.join(known)}")
    base = getattr(ir_measures, known[parts[1]])
    return base @ int(parts[2]) if parts[2] else base


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
        known = sorted(paper_id for paper_id in grades if paper_id in papers)
        if query in queries and known:
            apart = np.linalg.norm(
                np.stack([papers[paper_id] for paper_id in known]) - queries[query], axis=1
            )
            order = np.argsort(apart, kind="stable")
            run[query] = {known[position]: -float(rank) for rank, position in enumerate(order)}
    measures = {measure(name): name for name in names}
    values: dict[str, dict[str, float]] = {name: dict.fromkeys(judgements, 0.0) for name in names}
    plain = {query: dict(grades) for query, grades in judgements.items()}
    for result in ir_measures.iter_calc(list(measures), plain, run):
        values[measures[result.measure]][result.query_id] = float(result.value)
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
    return np.stack([vectors.get(paper_id, nothing) for paper_id, _ in rows]), [label for _, label in rows]


def _check() -> None:
    import importlib.util

    if importlib.util.find_spec("sklearn") is None:
        raise MissingExtraError("measuring classification", "lab")


# Layouts -------------------------------------------------------------------------------------------------


# SciDocs --------------------------------------------------------------------------------------------------


FOLDERS = {
    "mag": "paper_metadata_mag_mesh.json",
    "mesh": "paper_metadata_mag_mesh.json",
    "coview": "paper_metadata_view_cite_read.json",
    "coread": "paper_metadata_view_cite_read.json",
    "cite": "paper_metadata_view_cite_read.json",
    "cocite": "paper_metadata_view_cite_read.json",
    "recomm": "paper_metadata_recomm.json",
}
"""Folder of a task → file of its papers."""


def is_scidocs(folder: Path) -> bool:
    return any((folder / name).is_file() for name in FOLDERS.values())


def scidocs(folder: Path, embed: Embed, seed: int) -> Iterator[Score | Skipped]:
    """Returns the figures of the tasks that are there. Raises InputError for files of another form."""
    for task, file in FOLDERS.items():
        if not (folder / task).is_dir() or not (folder / file).is_file():
            yield Skipped(task, f"there is no {task}/ with {file}")
            continue
        vectors = embed(_papers(folder / file), False)
        if task in ("mag", "mesh"):
            train, test = (_labels(folder / task / f"{part}.csv") for part in ("train", "test"))
            yield classified(task, "f1_macro", train, test, vectors, seed)
        elif task == "recomm":
            yield from _recommended(folder / task, vectors)
        else:
            judgements = _judgements(folder / task / "test.qrel")
            yield from ranked(task, ("map", "ndcg"), judgements, vectors, vectors)


def _papers(path: Path) -> Texts:
    by_id = read_json(path)
    return dict(
        paper_of(Line(path, 0, {**fields, "paper_id": paper_id})) for paper_id, fields in by_id.items()
    )


def _labels(path: Path) -> list[tuple[str, str]]:
    rows = [row for row in csv.reader(text for _, text in open_lines(path)) if row][1:]
    if not rows or any(len(row) != 2 for row in rows):
        raise InputError("expected lines of a paper's id and its class", path=path)
    return [(paper, label) for paper, label in rows]


def _judgements(path: Path) -> Judgements:
    judgements: dict[str, dict[str, int]] = {}
    for number, text in open_lines(path):
        if not text.strip():
            continue
        cells = text.split()
        if len(cells) != 4 or not cells[3].lstrip("-").isdigit():
            raise InputError("expected: query 0 paper relevance", path=path, line=number)
        judgements.setdefault(cells[0], {})[cells[2]] = max(int(cells[3]), 0)
    return judgements


def _recommended(folder: Path, vectors: Mapping[str, Vectors]) -> Iterator[Score]:
    """Computes nDCG and P@1 of the clicked paper among those that were shown, each click weighted by one over
    the propensity of its position; papers that are as near as the clicked one count half."""
    scores = read_json(folder / "propensity_scores.json").get("scores")
    if not isinstance(scores, list):
        raise InputError("'scores' is missing", path=folder / "propensity_scores.json")
    propensity = np.array(scores, dtype=np.float64)
    propensity *= len(scores) / propensity.sum()
    gains, firsts, weights = [], [], []
    path = folder / "test.csv"
    for number, row in enumerate(csv.reader(text for _, text in open_lines(path)), start=1):
        if number == 1 or not row:
            continue
        if (
            len(row) != 3
            or row[1] not in (shown := row[2].split(","))
            or shown.index(row[1]) >= len(propensity)
        ):
            raise InputError("expected: query, clicked paper, list of shown papers", path=path, line=number)
        above = _above(row[0], row[1], shown, vectors)
        gains.append(1 / math.log2(2 + above))
        firsts.append(float(above == 0))
        weights.append(1 / propensity[shown.index(row[1])])
    for name, values in (("adj-ndcg", gains), ("adj-P@1", firsts)):
        yield Score("recomm", name, float(np.average(values, weights=weights)))


def _above(query: str, clicked: str, shown: list[str], vectors: Mapping[str, Vectors]) -> float:
    def near(paper: str) -> float:
        if query not in vectors or paper not in vectors:
            return -math.inf
        one, other = vectors[query], vectors[paper]
        return float(one @ other / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-9))

    own, others = near(clicked), [near(paper_id) for paper_id in shown if paper_id != clicked]
    return sum(distance > own for distance in others) + sum(distance == own for distance in others) / 2


# MDCR -----------------------------------------------------------------------------------------------------


MEASURES = ("map", "ndcg", "recall_5")
TRUE = "true"


def is_mdcr(folder: Path) -> bool:
    return (folder / "mdcr_test.json").is_file()


def mdcr(folder: Path, embed: Embed) -> Iterator[Score]:
    """Computes the figures of each field and of all. Raises InputError for files of another form."""
    path, data = folder / "mdcr_test.json", folder / "mdcr_test_data.jsonl"
    if not data.is_file():
        raise InputError("the papers of mdcr_test.json are missing", path=data, hint="see the page of MDCR")
    fields = read_json(path)
    vectors = embed(dict(map(paper_of, every_object(data))), False)
    means: dict[str, list[float]] = {name: [] for name in MEASURES}
    for field, queries in fields.items():
        judgements: dict[str, dict[str, int]] = {}
        for query, kinds in queries.items():
            if not isinstance(kinds, dict) or TRUE not in kinds:
                raise InputError(f"query {query} of {field} has no candidates {TRUE!r}", path=path)
            grades = {str(paper_id): 0 for kind, some in kinds.items() if kind != TRUE for paper_id in some}
            judgements[query] = grades | {str(paper_id): 1 for paper_id in kinds[TRUE]}
        for score in ranked(field, MEASURES, judgements, vectors, vectors):
            means[score.measure].append(score.value)
            yield score
    for name, values in means.items():
        yield Score("mean of fields", name, float(np.mean(values)))


# SciRepEval -----------------------------------------------------------------------------------------------


TASKS = "scirepeval_tasks.jsonl"


def is_scirepeval(folder: Path) -> bool:
    return (folder / TASKS).is_file()


def scirepeval(folder: Path, embed: Embed, seed: int) -> Iterator[Score | Skipped]:
    """Returns the figures of the tasks whose data is there. Raises InputError for files of another form."""
    for line in every_object(folder / TASKS):
        name, kind = line.text("name"), line.text("type")
        data = line.fields.get("data")
        if not isinstance(data, dict):
            raise line.error("'data' is missing", hint="a task has data.meta and data.test")
        meta, test = _located(folder, data.get("meta"), "meta"), _located(folder, data.get("test"), "test")
        if "reviewers" in data:
            yield Skipped(name, "papers of reviewers are not supported")
        elif meta is None or test is None:
            yield Skipped(name, "its data is not in the folder")
        else:
            metrics = line.texts("metrics")
            yield from _measured(
                name, kind, metrics, meta, test, embed, seed, bool(line.fields.get("multi_label"))
            )
            if line.fields.get("few_shot"):
                yield Skipped(f"{name}, few-shot", "samples of its training papers are not drawn")


def _measured(
    name: str,
    kind: str,
    metrics: tuple[str, ...],
    meta: Path,
    test: Path,
    embed: Embed,
    seed: int,
    several: bool,
) -> Iterator[Score]:
    queries, papers = _vectors(meta, embed)
    if kind in ("proximity", "adhoc_search"):
        yield from ranked(name, metrics, _graded(test / "test_qrel.jsonl"), queries, papers)
    elif kind in ("classification", "regression"):
        rows = [_labelled(test / f"{part}.csv", several) for part in ("train", "test")]
        measure = classified if kind == "classification" else regressed
        for metric in metrics:
            yield measure(name, metric, rows[0], rows[1], papers, seed)
    else:
        raise InputError(f"the type of {name} is {kind!r}", path=meta, hint="see the page of SciRepEval")


def _located(folder: Path, given: Any, kind: str) -> Path | None:
    if isinstance(given, dict):
        located = (
            folder / kind / (f"{given.get('config')}.jsonl" if kind == "meta" else str(given.get("config")))
        )
    else:
        located = folder / str(given)
    return located if located.exists() else None


def _vectors(path: Path, embed: Embed) -> tuple[Mapping[str, Vectors], Mapping[str, Vectors]]:
    """Returns the vectors of queries and of papers; where queries are papers, they are both."""
    words: dict[str, str] = {}
    papers: dict[str, str] = {}
    for line in every_object(path):
        query = line.fields.get("query")
        if isinstance(query, str):
            words[str(line.fields.get("doc_id"))] = query
        for record in [query, *(line.fields.get("candidates") or [])]:
            if isinstance(record, dict):
                papers.update([paper_of(Line(path, line.number, record))])
        if query is None:
            papers.update([paper_of(line)])
    vectors = embed(papers, False)
    return (embed(words, True) if words else vectors), vectors


def _graded(path: Path) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    for line in every_object(path):
        score = line.fields.get("score")
        if (
            not isinstance(score, int | float)
            or "query_id" not in line.fields
            or "cand_id" not in line.fields
        ):
            raise line.error("expected query_id, cand_id and score")
        grades.setdefault(str(line.fields["query_id"]), {})[str(line.fields["cand_id"])] = int(score)
    return grades


def _labelled(path: Path, several: bool) -> list[tuple[str, Any]]:
    rows = list(csv.DictReader(text for _, text in open_lines(path)))
    if not rows or not {"paper_id", "label"} <= rows[0].keys():
        raise InputError("expected the columns paper_id and label", path=path)
    if not several:
        return [(row["paper_id"], row["label"]) for row in rows]
    return [(row["paper_id"], tuple(orjson.loads(row["label"].replace("'", '"')))) for row in rows]

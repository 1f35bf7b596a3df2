"""Benchmarks of paper embeddings, in the layouts in which they are published.

SciDocs (Cohan et al. 2020):

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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from citewhy.base.errors import InputError
from citewhy.search.encode.encoder import Vectors
from citewhy.text.source import open_lines
from citewhy_lab.evaluate.datasets.lines import Line, every_object
from citewhy_lab.evaluate.documents.scoring import (
    Embed,
    Judgements,
    Score,
    Skipped,
    Texts,
    classified,
    paper_of,
    ranked,
    read_json,
    regressed,
)

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
    found = read_json(path)
    return dict(
        paper_of(Line(path, 0, {**fields, "paper_id": paper_id})) for paper_id, fields in found.items()
    )


def _labels(path: Path) -> list[tuple[str, str]]:
    rows = [row for row in csv.reader(text for _, text in open_lines(path)) if row][1:]
    if not rows or any(len(row) != 2 for row in rows):
        raise InputError("expected lines of a paper's id and its class", path=path)
    return [(paper, label) for paper, label in rows]


def _judgements(path: Path) -> Judgements:
    found: dict[str, dict[str, int]] = {}
    for number, text in open_lines(path):
        if not text.strip():
            continue
        cells = text.split()
        if len(cells) != 4 or not cells[3].lstrip("-").isdigit():
            raise InputError("expected: query 0 paper relevance", path=path, line=number)
        found.setdefault(cells[0], {})[cells[2]] = max(int(cells[3]), 0)
    return found


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

    own, others = near(clicked), [near(each) for each in shown if each != clicked]
    return sum(each > own for each in others) + sum(each == own for each in others) / 2


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
            grades = {str(each): 0 for kind, some in kinds.items() if kind != TRUE for each in some}
            judgements[query] = grades | {str(each): 1 for each in kinds[TRUE]}
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
        found = (
            folder / kind / (f"{given.get('config')}.jsonl" if kind == "meta" else str(given.get("config")))
        )
    else:
        found = folder / str(given)
    return found if found.exists() else None


def _vectors(path: Path, embed: Embed) -> tuple[Mapping[str, Vectors], Mapping[str, Vectors]]:
    """Returns the vectors of queries and of papers; where queries are papers, they are both."""
    words: dict[str, str] = {}
    papers: dict[str, str] = {}
    for line in every_object(path):
        query = line.fields.get("query")
        if isinstance(query, str):
            words[str(line.fields.get("doc_id"))] = query
        for each in [query, *(line.fields.get("candidates") or [])]:
            if isinstance(each, dict):
                papers.update([paper_of(Line(path, line.number, each))])
        if query is None:
            papers.update([paper_of(line)])
    found = embed(papers, False)
    return (embed(words, True) if words else found), found


def _graded(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for line in every_object(path):
        score = line.fields.get("score")
        if (
            not isinstance(score, int | float)
            or "query_id" not in line.fields
            or "cand_id" not in line.fields
        ):
            raise line.error("expected query_id, cand_id and score")
        found.setdefault(str(line.fields["query_id"]), {})[str(line.fields["cand_id"])] = int(score)
    return found


def _labelled(path: Path, several: bool) -> list[tuple[str, Any]]:
    rows = list(csv.DictReader(text for _, text in open_lines(path)))
    if not rows or not {"paper_id", "label"} <= rows[0].keys():
        raise InputError("expected the columns paper_id and label", path=path)
    if not several:
        return [(row["paper_id"], row["label"]) for row in rows]
    return [(row["paper_id"], tuple(orjson.loads(row["label"].replace("'", '"')))) for row in rows]

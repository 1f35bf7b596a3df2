"""SciDocs (Cohan et al. 2020), in the layout of its archive.

    paper_metadata_mag_mesh.json, …_view_cite_read.json, …_recomm.json     papers by id
    mag/ mesh/: train.csv test.csv         ``pid,class_label``
    cite/ cocite/ coread/ coview/: test.qrel     ``query 0 paper relevance``
    recomm/: test.csv propensity_scores.json     ``query,clicked,"shown,papers,in,order"``

To be had with: aws s3 sync --no-sign-request s3://ai2-s2-research-public/specter/scidocs/ DIR

Recommendation is measured by the cosine, with the corrections for the position of a click; SciDocs itself
first trains a ranking network on the clicks, so that its figures are others.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from citewhy.base.errors import InputError
from citewhy.search.encode.encoder import Vectors
from citewhy.text.source import open_lines
from citewhy_lab.evaluate.datasets.lines import Line
from citewhy_lab.evaluate.documents.embeddings import Embed, Texts, paper_of, read_json
from citewhy_lab.evaluate.documents.scoring import Judgements, Score, Skipped, classified, ranked

__all__ = ["FOLDERS", "is_scidocs", "scidocs"]

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
    """The figures of the tasks that are there. Raises InputError for files of another form."""
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
    """nDCG and P@1 of the clicked paper among those that were shown, each click weighted by one over the
    propensity of its position; papers that are as near as the clicked one count half."""
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

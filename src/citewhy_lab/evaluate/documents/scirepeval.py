"""SciRepEval (Singh et al. 2023), by its table of tasks.

    scirepeval_tasks.jsonl     a line a task: ``name``, ``type`` (classification, regression, proximity,
                               adhoc_search), ``data`` (``meta``, ``test``), ``metrics``, ``multi_label``

`data.meta` is a file of papers, one a line; of a ranking also with ``query`` (words, or a paper) and
``candidates``. `data.test` is a folder: ``train.csv`` and ``test.csv`` (``paper_id,label``), or
``test_qrel.jsonl`` (``query_id``, ``cand_id``, ``score``). Where the table names a data set of Hugging Face
instead, they are looked for as ``meta/CONFIG.jsonl`` and ``test/CONFIG``. Table and data:
https://github.com/allenai/scirepeval. Papers are read as title and abstract, whatever the table's ``fields``;
its ``few_shot`` samples are not drawn.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from citewhy.base.errors import InputError
from citewhy.search.encode.encoder import Vectors
from citewhy.text.source import open_lines
from citewhy_lab.evaluate.datasets.lines import Line
from citewhy_lab.evaluate.documents.embeddings import Embed, json_lines, paper_of
from citewhy_lab.evaluate.documents.scoring import Score, Skipped, classified, ranked, regressed

__all__ = ["TASKS", "is_scirepeval", "scirepeval"]

TASKS = "scirepeval_tasks.jsonl"


def is_scirepeval(folder: Path) -> bool:
    return (folder / TASKS).is_file()


def scirepeval(folder: Path, embed: Embed, seed: int) -> Iterator[Score | Skipped]:
    """The figures of the tasks whose data is there. Raises InputError for files of another form."""
    for line in json_lines(folder / TASKS):
        name, kind = line.text("name"), line.text("type")
        data = line.fields.get("data")
        if not isinstance(data, dict):
            raise line.error("'data' is missing", hint="a task has data.meta and data.test")
        meta, test = _place(folder, data.get("meta"), "meta"), _place(folder, data.get("test"), "test")
        if "reviewers" in data:
            yield Skipped(name, "papers of reviewers are not supported")
        elif meta is None or test is None:
            yield Skipped(name, "its data is not in the folder")
        else:
            metrics = line.texts("metrics")
            yield from _task(
                name, kind, metrics, meta, test, embed, seed, bool(line.fields.get("multi_label"))
            )
            if line.fields.get("few_shot"):
                yield Skipped(f"{name}, few-shot", "samples of its training papers are not drawn")


def _task(
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
        yield from ranked(name, metrics, _judgements(test / "test_qrel.jsonl"), queries, papers)
    elif kind in ("classification", "regression"):
        rows = [_labels(test / f"{part}.csv", several) for part in ("train", "test")]
        measure = classified if kind == "classification" else regressed
        for metric in metrics:
            yield measure(name, metric, rows[0], rows[1], papers, seed)
    else:
        raise InputError(f"the type of {name} is {kind!r}", path=meta, hint="see the page of SciRepEval")


def _place(folder: Path, given: Any, kind: str) -> Path | None:
    if isinstance(given, dict):
        found = (
            folder / kind / (f"{given.get('config')}.jsonl" if kind == "meta" else str(given.get("config")))
        )
    else:
        found = folder / str(given)
    return found if found.exists() else None


def _vectors(path: Path, embed: Embed) -> tuple[Mapping[str, Vectors], Mapping[str, Vectors]]:
    """Of queries and of papers; where queries are papers, they are both."""
    words: dict[str, str] = {}
    papers: dict[str, str] = {}
    for line in json_lines(path):
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


def _judgements(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for line in json_lines(path):
        score = line.fields.get("score")
        if (
            not isinstance(score, int | float)
            or "query_id" not in line.fields
            or "cand_id" not in line.fields
        ):
            raise line.error("expected query_id, cand_id and score")
        found.setdefault(str(line.fields["query_id"]), {})[str(line.fields["cand_id"])] = int(score)
    return found


def _labels(path: Path, several: bool) -> list[tuple[str, Any]]:
    rows = list(csv.DictReader(text for _, text in open_lines(path)))
    if not rows or not {"paper_id", "label"} <= rows[0].keys():
        raise InputError("expected the columns paper_id and label", path=path)
    if not several:
        return [(row["paper_id"], row["label"]) for row in rows]
    return [(row["paper_id"], tuple(orjson.loads(row["label"].replace("'", '"')))) for row in rows]

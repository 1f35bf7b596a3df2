"""Benchmarks of paper embeddings: their layouts, and their measures by hand."""

from __future__ import annotations

from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from citewhy.base.errors import InputError
from citewhy_lab.evaluate.documents import Skipped, classified, from_files, ranked, scidocs
from citewhy_lab.evaluate.tasks.documents import DocumentsTask

VECTORS = {"q": [0.0, 1.0], "a": [0.0, 2.0], "b": [0.0, 5.0], "c": [3.0, 1.0], "d": [9.0, 1.0]}
"""Distances from q: a 1, c 3, b 4, d 9. Cosines with q: a and b 1, then c, d."""


def silent(_what: str, _share: float | None) -> None:
    """A `Progress` that does nothing."""


def write(path: Path, *rows: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return path


def vectors(folder: Path) -> Path:
    rows = [{"paper_id": each, "embedding": vector} for each, vector in VECTORS.items()]
    return write(folder / "vectors.jsonl", *rows)


def measures(folder: Path, embeddings: Path) -> dict[str, float]:
    task = DocumentsTask("documents", folder, None, (embeddings,), None, 7)
    found: dict[str, float] = task.measure(silent).document()["measures"]
    return found


def small_scidocs(folder: Path) -> Path:
    """The relevant papers of q are c and b, of a, c, b, d."""
    papers = {each: {"paper_id": each, "title": each, "abstract": None} for each in VECTORS}
    for name in ("mag_mesh", "view_cite_read", "recomm"):
        write(folder / f"paper_metadata_{name}.json", papers)
    (folder / "cite").mkdir()
    (folder / "cite" / "test.qrel").write_text("q 0 a 0\nq 0 b 1\nq 0 c 1\nq 0 d -1\n")
    (folder / "recomm").mkdir()
    (folder / "recomm" / "test.csv").write_text('paper,clicked,others\nq,b,"a,b,c"\nq,c,"c,d,a"\n')
    write(folder / "recomm" / "propensity_scores.json", {"scores": [0.5, 0.25, 0.25]})
    return folder


def test_scidocs_rankings_by_hand(tmp_path: Path) -> None:
    """By distance: a, c, b, d. Relevant at 2 and 3: AP (1/2 + 2/3) / 2; nDCG likewise."""
    found = measures(small_scidocs(tmp_path), vectors(tmp_path))
    assert found["map/cite"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert found["ndcg/cite"] == pytest.approx((1 / log2(3) + 1 / 2) / (1 + 1 / log2(3)))


def test_clicks_count_by_their_position(tmp_path: Path) -> None:
    """By the cosine, b is as near as a: half a paper is above it, 1 / log₂ 2.5; c is below a: 1 / log₂ 3. The
    first click was at a position half as likely to be clicked as that of the second: it counts twice."""
    found = measures(small_scidocs(tmp_path), vectors(tmp_path))
    assert found["adj-ndcg/recomm"] == pytest.approx((2 / log2(2.5) + 1 / log2(3)) / 3)
    assert found["adj-P@1/recomm"] == 0


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    """Tasks without their folder are named, and so are papers without a vector."""
    small_scidocs(tmp_path)
    skipped = [
        each.task
        for each in scidocs(tmp_path, from_files([vectors(tmp_path)]), 7)
        if isinstance(each, Skipped)
    ]
    assert skipped == ["mag", "mesh", "coview", "coread", "cocite"]
    few = write(
        tmp_path / "few.jsonl", {"doc_id": "q", "embedding": [0, 1]}, {"doc_id": "a", "embedding": [1, 1]}
    )
    report = DocumentsTask("documents", tmp_path, None, (few,), None, 7).measure(silent)
    assert "3 papers have no vector" in report.notes


def test_classes_by_a_linear_classifier(tmp_path: Path) -> None:
    """Classes that a line separates are all found; macro-F1 is 1."""
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    papers = {f"p{n}": {"title": str(n), "abstract": "x"} for n in range(24)}
    write(tmp_path / "paper_metadata_mag_mesh.json", papers)
    for part, some in (("train", range(16)), ("test", range(16, 24))):
        (tmp_path / "mag").mkdir(exist_ok=True)
        lines = [f"p{n},{n % 2}" for n in some]
        (tmp_path / "mag" / f"{part}.csv").write_text("\n".join(["pid,class_label", *lines]))
    rows = [{"paper_id": f"p{n}", "embedding": [float(n % 2), n / 24]} for n in range(24)]
    assert measures(tmp_path, write(tmp_path / "v.jsonl", *rows)) == {"f1_macro/mag": 1.0}


def test_mdcr_by_hand(tmp_path: Path) -> None:
    """In Art a is true, and the nearest for both queries; in History d is, the farthest of four: AP 1 and ¼.
    The average is one of fields, not of queries."""
    kinds = {"true": ["a"], "bm25": ["b"], "graph": ["c"], "random": ["d"]}
    last = {"true": ["d"], "bm25": ["b"], "graph": ["c"], "random": ["a"]}
    write(
        tmp_path / "mdcr_test.json",
        {"Art": {"q": kinds, "b": {"true": ["a"], "bm25": ["c", "d"]}}, "History": {"q": last}},
    )
    write(tmp_path / "mdcr_test_data.jsonl", *({"paper_id": each, "title": each} for each in VECTORS))
    found = measures(tmp_path, vectors(tmp_path))
    assert (found["map/Art"], found["map/History"], found["map/mean of fields"]) == (1, 0.25, 0.625)
    assert found["recall_5/mean of fields"] == 1


def test_scirepeval_by_hand(tmp_path: Path) -> None:
    """A proximity task; a regression, with data of Hugging Face under its own name, of what the vectors say:
    τ is 1; a task whose data is missing."""
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    local = {"meta": "near.jsonl", "test": "near"}
    named = {part: {"name": "allenai/x", "config": "year"} for part in ("meta", "test")}
    other = {part: {"name": "allenai/x", "config": "far"} for part in ("meta", "test")}
    write(
        tmp_path / "scirepeval_tasks.jsonl",
        {"name": "Near", "type": "proximity", "data": local, "metrics": ["map", "P_1"]},
        {"name": "Year", "type": "regression", "data": named, "metrics": ["kendalltau"]},
        {"name": "Far", "type": "proximity", "data": other, "metrics": ["map"]},
    )
    candidates = [{"doc_id": each, "title": each, "abstract": ""} for each in "abcd"]
    write(tmp_path / "near.jsonl", {"query": {"doc_id": "q", "title": "q"}, "candidates": candidates})
    grades = [{"query_id": "q", "cand_id": each, "score": int(each in "bc")} for each in "abcd"]
    write(tmp_path / "near" / "test_qrel.jsonl", *grades)
    ids = [f"p{n}" for n in range(30)]
    write(
        tmp_path / "meta" / "year.jsonl", *({"doc_id": each, "title": each, "abstract": None} for each in ids)
    )
    for part, some in (("train", ids[:20]), ("test", ids[20:])):
        (tmp_path / "test" / "year").mkdir(parents=True, exist_ok=True)
        lines = [f"{each},{int(each[1:])}" for each in some]
        (tmp_path / "test" / "year" / f"{part}.csv").write_text("\n".join(["paper_id,label", *lines]))
    rows = [{"doc_id": each, "embedding": [float(each[1:]) / 30, 0.0]} for each in ids]
    rows += [{"doc_id": each, "embedding": vector} for each, vector in VECTORS.items()]
    files = (write(tmp_path / "v.jsonl", *rows),)
    report = DocumentsTask("documents", tmp_path, None, files, None, 7).measure(silent)
    found = report.document()["measures"]
    assert found["map/Near"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert (found["P_1/Near"], found["kendalltau/Year"]) == (0, pytest.approx(1))
    assert report.notes == ["Far: not measured, its data is not in the folder"]


def test_distances_are_from_the_query() -> None:
    """q is far from the origin: b is nearer to it than a, which is nearer to the origin, and c is as near as
    b, behind it by its id. A paper without a vector comes last; a query without one scores zero."""
    papers = {"a": np.array([1.0, 0.0]), "b": np.array([8.0, 0.0]), "c": np.array([9.0, 1.0])}
    judgements = {"q": {"a": 0, "b": 0, "c": 1, "x": 1}, "unknown": {"a": 1}}
    queries = {"q": np.array([9.0, 0.0])}
    (score,) = ranked("t", ["recip"], judgements, queries, papers)
    assert score.queries == pytest.approx((0.5, 0))
    (found,) = ranked("t", ["map"], {"q": {"a": 0, "b": 1, "c": 1}}, queries, papers)
    assert found.value == 1


def test_f1_of_the_positive_class_and_of_several_labels() -> None:
    """A paper of class 0 that lies among those of class 1: precision 2/3, recall 1. Two labels for each paper
    in the corners of a square are all found."""
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    vectors = {f"p{n}": np.array([float(n < 6), 1.0], dtype=np.float32) for n in range(12)}
    train = [(f"p{n}", str(int(n < 6))) for n in range(12)]
    test = [("p0", "1"), ("p1", "1"), ("p2", "0"), ("p7", "0"), ("p8", "0"), ("p9", "0")]
    assert classified("t", "f1", train, test, vectors, 7).value == pytest.approx(0.8)
    corners = {f"p{n}": np.array([n % 2, n // 2 % 2, 1.0], dtype=np.float32) for n in range(12)}
    both = [(f"p{n}", ("odd" if n % 2 else "even", "high" if n // 2 % 2 else "low")) for n in range(12)]
    assert classified("t", "f1_macro", both, both, corners, 7).value == 1


def test_search_and_several_labels_of_scirepeval(tmp_path: Path) -> None:
    """A query of words has a vector of its own; labels may be lists, of which one is found wrongly (F1 1, 1,
    12/13 and 10/11); few-shot samples are not measured, and this is said."""
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    few = [{"sample_size": 4, "iterations": 2}]
    places = [{"meta": f"{name}.jsonl", "test": name} for name in ("find", "fields")]
    find = {"name": "Find", "type": "adhoc_search", "data": places[0], "metrics": ["map"]}
    fields = {"name": "Fields", "type": "classification", "data": places[1], "metrics": ["f1_macro"]}
    write(tmp_path / "scirepeval_tasks.jsonl", find, {**fields, "multi_label": True, "few_shot": few})
    candidates = [{"doc_id": each, "title": each, "abstract": ""} for each in "abcd"]
    write(tmp_path / "find.jsonl", {"doc_id": "q", "query": "some words", "candidates": candidates})
    grades = [{"query_id": "q", "cand_id": each, "score": int(each in "bc")} for each in "abcd"]
    write(tmp_path / "find" / "test_qrel.jsonl", *grades)
    ids = [f"p{n}" for n in range(12)]
    write(tmp_path / "fields.jsonl", *({"doc_id": each, "title": each} for each in ids))
    labels = [str(["odd" if n % 2 else "even", "high" if n // 2 % 2 else "low"]) for n in range(12)]
    (tmp_path / "fields").mkdir()
    for part, first in (("train", labels[0]), ("test", "['even', 'high']")):
        lines = [f'{each},"{label}"' for each, label in zip(ids, [first, *labels[1:]], strict=True)]
        (tmp_path / "fields" / f"{part}.csv").write_text("\n".join(["paper_id,label", *lines]))
    rows = [{"doc_id": each, "embedding": [n % 2, n // 2 % 2]} for n, each in enumerate(ids)]
    rows += [{"doc_id": each, "embedding": vector} for each, vector in VECTORS.items()]
    files = (write(tmp_path / "v.jsonl", *rows),)
    report = DocumentsTask("documents", tmp_path, None, files, None, 7).measure(silent)
    found = report.document()["measures"]
    assert found["map/Find"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert found["f1_macro/Fields"] == pytest.approx((2 + 12 / 13 + 10 / 11) / 4)
    assert report.notes == ["Fields, few-shot: not measured, samples of its training papers are not drawn"]


def test_vectors_are_written_as_they_are_read(tmp_path: Path) -> None:
    """The built-in encoder embeds the papers; its vectors, written and read again, have the same figures."""
    small_scidocs(tmp_path)
    out = tmp_path / "out.jsonl"
    first = DocumentsTask("documents", tmp_path, None, (), out, 7).measure(silent).document()
    assert len(out.read_bytes().splitlines()) == len(VECTORS)
    assert measures(tmp_path, out) == pytest.approx(first["measures"])


def test_folders_of_no_benchmark(tmp_path: Path) -> None:
    """One sentence says which files were expected."""
    with pytest.raises(InputError, match="this is no folder of a benchmark"):
        DocumentsTask("documents", tmp_path, None, (), None, 7).measure(silent)
    bad = write(
        tmp_path / "bad.jsonl", {"paper_id": "a", "embedding": [1]}, {"paper_id": "b", "embedding": [1, 2]}
    )
    with pytest.raises(InputError, match="a vector of 2 numbers, after one of 1"):
        from_files([bad])
    small_scidocs(tmp_path)
    (tmp_path / "cite" / "test.qrel").write_text("q 0 a\n")
    with pytest.raises(InputError, match="expected: query 0 paper relevance"):
        measures(tmp_path, vectors(tmp_path))

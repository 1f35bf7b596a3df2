"""Training instances on disk, in three layouts; and papers of evaluation sets, which are not trained on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import orjson
import pytest
from small_collection import HIDDEN, SHOWN, collection, lines, paper

from citewhy.base.errors import InputError
from citewhy.base.records import Paper
from citewhy_lab.train.systems.aspects.data import leaked, papers_of, without
from citewhy_lab.train.systems.aspects.instances import (
    Instances,
    metadata_of,
    read_instances,
    write_instances,
)

PAPERS = [Paper(name, f"About {name}", f"All of {name}.") for name in "abcd"]


def rows(*values: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.array(values, dtype=np.int64).reshape(len(values), -1)


INSTANCES = Instances(
    ("method", ""), np.array([0, 3]), rows([1, 2], [0, -1]), rows([3], [-1]), rows([-1], [1]), rows([], [])
)
"""a with the positives b and c, the negative d; d with the positive a, the easy negative b."""


def test_instances_are_read_as_they_were_written(tmp_path: Path) -> None:
    """Aspects, papers and texts; rows of papers may be others."""
    file = tmp_path / "x.jsonl"
    write_instances(file, INSTANCES, PAPERS)
    line = orjson.loads(file.read_bytes().splitlines()[0])
    assert line == {
        "aspect": "method",
        "anchor": {"id": "a", "title": "About a", "abstract": "All of a."},
        "positives": [{"id": x, "title": f"About {x}", "abstract": f"All of {x}."} for x in "bc"],
        "hard_negatives": [{"id": "d", "title": "About d", "abstract": "All of d."}],
        "easy_negatives": [],
        "distant": [],
    }
    found, papers = read_instances(file)
    assert found.aspects == ("method", "")
    shown = [[papers[row].id for row in each if row >= 0] for each in (found.positives[0], found.easy[1])]
    assert (shown, papers[int(found.anchors[1])].abstract) == ([["b", "c"], ["b"]], "All of d.")


def test_triples(tmp_path: Path) -> None:
    """Each positive with a negative: a-b-d, a-c-d (d again), d-a-b; in SPECTER's layout and in SciNCL's, both
    of which are read as instances with one positive and one negative."""
    for name in ("x.triples.jsonl", "x_triples.csv"):
        file = tmp_path / name
        write_instances(file, INSTANCES, PAPERS, triples=True)
        found, papers = read_instances(file)
        ids = [
            "".join(papers[int(each)].id for each in triple)
            for triple in zip(found.anchors, found.positives[:, 0], found.hard[:, 0], strict=True)
        ]
        assert ids == ["abd", "acd", "dab"]
        assert papers[0].title == "About a"
    assert (tmp_path / "x_triples.csv").read_text().splitlines()[:2] == ["anchor_id,pos_id,neg_id", "a,b,d"]
    text = orjson.loads(metadata_of(tmp_path / "x_triples.csv").read_bytes().splitlines()[0])
    assert text == {"paper_id": "a", "title": "About a", "abstract": "All of a."}


def test_files_that_are_none(tmp_path: Path) -> None:
    """The error names file and line, and what was expected."""
    file = tmp_path / "x.jsonl"
    file.write_text('{"anchor": {"id": "a", "title": "A"}}\n')
    with pytest.raises(InputError, match="there are no 'positives' and no 'query'") as raised:
        read_instances(file)
    assert raised.value.line == 1
    file.write_text("\n")
    with pytest.raises(InputError, match="no training instances in this file"):
        read_instances(file)
    file = tmp_path / "y_triples.csv"
    metadata_of(file).write_text('{"paper_id": "a", "title": "A", "abstract": null}\n')
    file.write_text("anchor_id,pos_id,neg_id\na,a,b\n")
    with pytest.raises(InputError, match="'a,a,b' are not the ids of three papers in"):
        read_instances(file)


def test_papers_of_evaluation_sets(tmp_path: Path) -> None:
    """SciDocs' metadata (by id), lines with an id and a title (MDCR, CSFCube), candidates within a line
    (SciRepEval): a paper is found by its id, or by its title in other letters; short titles identify none."""
    one, other, third, fourth, fifth = SHOWN[:5]
    known_rows = [paper(each) for each in (one, other, third, fourth, fifth)]
    known_rows[1]["title"], known_rows[2]["title"] = "Learning to rank cited papers", "Parsing German"
    known = collection(tmp_path, known_rows)
    scidocs, lines, nested = tmp_path / "metadata.json", tmp_path / "lines.jsonl", tmp_path / "nested.jsonl"
    scidocs.write_bytes(orjson.dumps({one: {"paper_id": one, "title": "Something", "abstract": None}}))
    lines.write_bytes(orjson.dumps({"paper_id": "77", "title": "Learning to Rank Cited Papers."}))
    nested.write_bytes(
        orjson.dumps(
            {"query": {"doc_id": fourth}, "candidates": [{"doc_id": "8", "title": "Parsing German"}]}
        )
    )
    assert next(papers_of(scidocs)) == (one, "")
    assert leaked(known, [scidocs]) == {one}
    assert leaked(known, [lines]) == {other}
    assert leaked(known, [nested]) == {fourth}
    lines.write_text('{"x": 1}\n')
    with pytest.raises(InputError, match="there are no papers in this file"):
        leaked(known, [lines])


def test_all_papers_of_one_title(tmp_path: Path) -> None:
    """Two papers of a collection with the title of one in an evaluation set are both left out."""
    rows = [paper(each) | {"title": "Learning to rank cited papers"} for each in SHOWN[:2]]
    file = tmp_path / "x.jsonl"
    file.write_bytes(lines([{"paper_id": "77", "title": "Learning to Rank Cited Papers."}]))
    assert leaked(collection(tmp_path, [*rows, paper(SHOWN[2])]), [file]) == set(SHOWN[:2])


def test_instances_that_are_not_trained_on(tmp_path: Path) -> None:
    """Those with a paper of the collection that is not used, by id, alias or title, and those with one of an
    evaluation set, by id, also if the collection lacks it, or by title; short titles say nothing."""
    title, listed = "A Title of Four Words", "Learning to rank cited papers"
    known = collection(
        tmp_path,
        [paper(SHOWN[0]), paper(SHOWN[1]), paper(HIDDEN[0]) | {"title": title}],
        aliases=[("z-alias", HIDDEN[0])],
    )
    benchmark = tmp_path / "benchmark.jsonl"
    benchmark.write_bytes(lines([{"paper_id": "foreign", "title": listed}, {"title": "Parsing German"}]))
    papers = [
        Paper(SHOWN[0], "About it"),
        Paper(HIDDEN[0], ""),
        Paper("z-alias", ""),
        Paper("other", title),
        Paper("foreign", ""),
        Paper("another", listed),
        Paper("unknown", "Parsing German"),
        Paper(SHOWN[1], "About that"),
    ]
    count = len(papers) - 1
    given = Instances(
        ("",) * count,
        np.zeros(count, int),
        np.arange(1, count + 1)[:, None],
        *[np.full((count, 1), -1) for _ in range(3)],
    )
    kept = without(given, papers, known, {SHOWN[0], SHOWN[1]}, [benchmark])
    assert [papers[row].id for row in kept.positives[:, 0]] == ["unknown", SHOWN[1]]

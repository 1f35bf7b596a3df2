"""Whole papers as queries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import Shelf, small_shelf

from citewhy.base.errors import InputError, QueryError
from citewhy.base.records import Query
from citewhy_lab.evaluate.datasets import task
from citewhy_lab.evaluate.datasets.global_ import split
from citewhy_lab.evaluate.datasets.topics import Options, Topic

ROW = {"query_id": "new2", "cited_ids": ["C", "A2", "B", "Z", "A"], "year": 2010}


@pytest.fixture
def shelf() -> Shelf:
    return small_shelf()


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def read(path: Path, shelf: Shelf, **options: Any) -> list[Topic]:
    return task("global").topics(path, shelf, Options(**options))


def test_query(tmp_path: Path, shelf: Shelf) -> None:
    """The query is title and abstract from the library, as of the file's year; aliases are one judgement."""
    [topic] = read(write(tmp_path / "g.jsonl", ROW), shelf)
    assert topic.relevant == ("A", "B", "C", "Z")
    assert topic.query == Query(
        kind="global",
        id="new2",
        title="A New Paper",
        abstract="We ask.",
        authors=("Ada", "Bob"),
        year=2010,
        citing_id="new",
    )


def test_known_half(tmp_path: Path, shelf: Shelf) -> None:
    """Half of the references are known, the other half is asked; a known one the library lacks is not
    passed on."""
    rows = [{"query_id": letter, "cited_ids": ["A", "B", "C", "Z"], "year": 2010} for letter in "DEFGH"]
    topics = read(write(tmp_path / "g.jsonl", *rows), shelf, known=0.5)
    assert [len(topic.relevant) for topic in topics] == [2] * 5
    for topic in topics:
        assert not set(topic.query.known_ids) & set(topic.relevant)
        assert {*topic.query.known_ids, *topic.relevant} >= {"A", "B", "C"}
        assert "Z" not in topic.query.known_ids
    assert len({topic.relevant for topic in topics}) > 1  # each query draws for itself


def test_known_does_not_depend_on_the_file(tmp_path: Path, shelf: Shelf) -> None:
    """Order of references and of queries changes nothing; the seed does."""
    rows = [{"query_id": letter, "cited_ids": list("ABC"), "year": 2010} for letter in "DEFGH"]
    turned = [row | {"cited_ids": list("CBA")} for row in reversed(rows)]
    one = {t.query.id: t for t in read(write(tmp_path / "1.jsonl", *rows), shelf, known=0.5)}
    two = {t.query.id: t for t in read(write(tmp_path / "2.jsonl", *turned), shelf, known=0.5)}
    other = {t.query.id: t for t in read(tmp_path / "1.jsonl", shelf, known=0.5, seed=8)}
    assert one == two
    assert one != other


def test_a_paper_that_occurs_twice(tmp_path: Path, shelf: Shelf) -> None:
    """It is asked twice, under ids of its own."""
    rows = [{"query_id": "D", "cited_ids": [letter], "year": 2010} for letter in "AB"]
    topics = read(write(tmp_path / "g.jsonl", *rows), shelf)
    assert [(t.query.id, t.query.citing_id, t.relevant) for t in topics] == [
        ("D", "D", ("A",)),
        ("D#2", "D", ("B",)),
    ]


@given(st.sets(st.text(min_size=1), min_size=1), st.floats(0, 1, exclude_max=True), st.integers())
def test_split(references: set[str], known: float, seed: int) -> None:
    """The two parts are all references, share none, and leave at least one to ask for."""
    had, asked = split("q", tuple(references), Options(known=known, seed=seed))
    assert {*had, *asked} == references
    assert len(had) + len(asked) == len(references)
    assert asked
    assert len(had) <= known * len(references)


@pytest.mark.parametrize("known", [-0.1, 1, 1.5, float("nan")])
def test_known_is_a_share(known: float) -> None:
    """Only a share below one leaves something to ask for."""
    with pytest.raises(QueryError, match="is not a share of the references; give 0 or more, below 1"):
        Options(known=known)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"context_id": "c", "citing_id": "new", "cited_ids": ["A"], "text": "t"},
            "this file holds citing sentences",
        ),
        ({"query_id": "new", "topic_sentence": "t", "cited_ids": ["A"]}, "this file holds topic sentences"),
        ({"query_id": 5, "cited_ids": ["A"]}, "'query_id' is 5, not a text"),
        ({"query_id": "new"}, "'cited_ids' is missing, not a list of ids"),
        ({"query_id": "new", "cited_ids": []}, "'cited_ids' is [], not a list of ids"),
        ({"query_id": "new", "cited_ids": ["A", 1]}, "not a list of ids"),
        ({"query_id": "new", "cited_ids": ["A"], "year": "2010"}, "'year' is '2010', not a year"),
        (
            {"query_id": "alien", "cited_ids": ["A"]},
            "query paper alien is not in the library; add the papers",
        ),
    ],
)
def test_bad_lines(tmp_path: Path, shelf: Shelf, row: dict[str, Any], message: str) -> None:
    """What is wrong with a line is said with file and line."""
    path = write(tmp_path / "g.jsonl", {"query_id": "D", "cited_ids": ["A"]}, row)
    with pytest.raises(InputError) as caught:
        read(path, shelf)
    assert "g.jsonl:2: " in str(caught.value)
    assert message in str(caught.value)


def test_year_of_the_query_paper(tmp_path: Path, shelf: Shelf) -> None:
    """Without a year in the file, the library's counts."""
    [topic] = read(write(tmp_path / "g.jsonl", {"query_id": "new", "cited_ids": ["A"]}), shelf)
    assert topic.query.year == 2009

"""Citing sentences as queries."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from shelf import Shelf, small_shelf

from citewhy.base.errors import InputError, QueryError
from citewhy.base.records import Query
from citewhy_lab.evaluate.datasets import task
from citewhy_lab.evaluate.datasets.topics import Options, Topic


@pytest.fixture
def shelf() -> Shelf:
    return small_shelf()


def row(**changed: Any) -> dict[str, Any]:
    one = {
        "context_id": "c1",
        "citing_id": "new",
        "cited_ids": ["A"],
        "text": "As in TARGETCIT.",
        "citing_year": 2009,
    }
    return one | changed


def write(path: Path, *rows: dict[str, Any] | str) -> Path:
    lines = [one if isinstance(one, str) else json.dumps(one) for one in rows]
    path.write_text("".join(line + "\n" for line in lines))
    return path


def read(path: Path, shelf: Shelf, options: Options | None = None) -> list[Topic]:
    return task("local").topics(path, shelf, options or Options())


def test_query(tmp_path: Path, shelf: Shelf) -> None:
    """The query has the sentence, and what the library knows of the citing paper; its references are not
    told."""
    [topic] = read(write(tmp_path / "c.jsonl", row()), shelf)
    assert topic.relevant == ("A",)
    assert topic.query == Query(
        kind="local",
        id="c1",
        text="As in TARGETCIT.",
        title="A New Paper",
        abstract="We ask.",
        authors=("Ada", "Bob"),
        year=2009,
        citing_id="new",
    )


def test_aliases(tmp_path: Path, shelf: Shelf) -> None:
    """Ids become canonical on both sides; a paper under two ids is one judgement."""
    [topic] = read(write(tmp_path / "c.jsonl", row(citing_id="new2", cited_ids=["A2", "B", "A"])), shelf)
    assert topic.relevant == ("A", "B")
    assert topic.query.citing_id == "new"


def test_unknown_papers(tmp_path: Path, shelf: Shelf) -> None:
    """A cited paper that the library lacks stays a judgement; a citing paper that it lacks has no title."""
    path = write(tmp_path / "c.jsonl", row(citing_id="alien", cited_ids=["Z", "A"]))
    [topic] = read(path, shelf)
    assert topic.relevant == ("Z", "A")
    assert (topic.query.citing_id, topic.query.title, topic.query.year) == ("alien", "", 2009)


def test_year_of_the_citing_paper(tmp_path: Path, shelf: Shelf) -> None:
    """Where the file has no year, the library's counts; the file's year counts first."""
    rows = [row(citing_year=None), row(context_id="c2", citing_year=2008)]
    first, second = read(write(tmp_path / "c.jsonl", *rows), shelf)
    assert (first.query.year, second.query.year) == (2009, 2008)


def test_gzip_and_order(tmp_path: Path, shelf: Shelf) -> None:
    """Compressed files are read; topics come in the order of the file."""
    path = tmp_path / "c.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(json.dumps(row(context_id=c)) for c in "cab").encode()))
    assert [topic.query.id for topic in read(path, shelf)] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "c.jsonl: the file is empty; task local expects citing sentences"),
        (["", "  "], "c.jsonl: the file is empty"),
        (["nonsense"], "c.jsonl:1: not JSON"),
        (["[1]"], "c.jsonl:1: [1] is not a JSON object"),
        (["", {"query_id": "new", "cited_ids": ["A"]}], "c.jsonl:2: task local expects citing sentences"),
        ([{"query_id": "new", "cited_ids": ["A"]}], "this file holds whole papers as queries (task global)"),
        ([{"id": "A", "title": "B"}], "this file holds papers"),
        ([{"a": 1}], "this file holds something else"),
        ([row(), row(context_id="c2", cited_ids=[])], "c.jsonl:2: context 'c2': cited_ids is not a list"),
        ([row(), "{"], "c.jsonl:2: not JSON"),
        ([row(), row()], "c.jsonl:2: "),
        ([row(), row(context_id="c2", citing_year="n.d.")], "c.jsonl:2: year 'n.d.' is not a year"),
    ],
)
def test_bad_files(tmp_path: Path, shelf: Shelf, rows: list[dict[str, Any] | str], message: str) -> None:
    """A wrong or broken file is one sentence with file and line; no line is silently left out."""
    with pytest.raises(InputError) as caught:
        read(write(tmp_path / "c.jsonl", *rows), shelf)
    assert message in str(caught.value)


def test_no_file(tmp_path: Path, shelf: Shelf) -> None:
    """A file that is not there is named."""
    with pytest.raises(InputError, match=r"absent\.jsonl: cannot read"):
        read(tmp_path / "absent.jsonl", shelf)


def test_known_is_for_whole_papers(tmp_path: Path, shelf: Shelf) -> None:
    """A citing sentence has no references that could be known."""
    with pytest.raises(QueryError, match="--known is not for the task local"):
        read(write(tmp_path / "c.jsonl", row()), shelf, Options(known=0.5))


def test_wrong_library(tmp_path: Path, shelf: Shelf) -> None:
    """Where the library has no right answer at all, that is said instead of a table of zeros."""
    with pytest.raises(QueryError, match="the library has none of the papers that are cited in"):
        read(write(tmp_path / "c.jsonl", row(cited_ids=["Y", "Z"])), shelf)


@pytest.mark.data
def test_real_contexts(shared_data: Path, shelf: Shelf) -> None:
    """The validation contexts are read whole; against a library with one of their papers."""
    from citewhy.base.records import Paper

    path = shared_data / "contexts.val.jsonl.gz"
    library = Shelf([Paper("P02-1040", "Bleu")], {})
    topics = read(path, library)
    assert (len(topics), sum(len(topic.relevant) for topic in topics)) == (1289, 1330)
    assert {topic.query.year for topic in topics} == {2012}

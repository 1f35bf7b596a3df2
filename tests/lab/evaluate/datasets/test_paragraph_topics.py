"""Topic sentences of paragraphs as queries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from shelf import Shelf, small_shelf

from citewhy.base.errors import InputError
from citewhy.base.records import Query
from citewhy_lab.evaluate.datasets import task
from citewhy_lab.evaluate.datasets.topics import Options, Topic

ROW = {"query_id": "p_1", "paper": "p", "topic_sentence": "Parsing is old.", "cited_ids": ["C", "A2", "A"]}


def read(path: Path, *rows: dict[str, Any], shelf: Shelf | None = None) -> list[Topic]:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return task("paragraph").topics(path, shelf or small_shelf(), Options())


def test_an_unknown_paper_is_asked_by_its_topic_sentence(tmp_path: Path) -> None:
    """Without title, abstract and year, the query has the sentence alone, and no limit of time; two ids of a
    paper are one judgement."""
    [topic] = read(tmp_path / "p.jsonl", ROW)
    assert topic.query == Query("paragraph", id="p_1", text="Parsing is old.", citing_id="p")
    assert topic.relevant == ("C", "A")


def test_title_abstract_and_year_of_the_line(tmp_path: Path) -> None:
    """They are those of the line."""
    more = {"title": "Ours", "abstract": "We parse.", "year": 2004}
    [topic] = read(tmp_path / "p.jsonl", ROW | more)
    assert (topic.query.title, topic.query.abstract, topic.query.year) == ("Ours", "We parse.", 2004)


def test_a_paper_of_the_library(tmp_path: Path) -> None:
    """What the line does not say, the library does."""
    [topic] = read(tmp_path / "p.jsonl", ROW | {"paper": "new2", "abstract": "We parse."})
    query = topic.query
    assert (query.title, query.abstract, query.year) == ("A New Paper", "We parse.", 2009)
    assert (query.authors, query.citing_id) == (("Ada", "Bob"), "new")


@pytest.mark.parametrize("name", ["topic_sentence", "cited_ids", "paper"])
def test_a_line_without_a_field(tmp_path: Path, name: str) -> None:
    """It is an error with file and line."""
    with pytest.raises(InputError, match=r"p\.jsonl, line 2|p\.jsonl:2"):
        read(tmp_path / "p.jsonl", ROW, {key: value for key, value in ROW.items() if key != name})

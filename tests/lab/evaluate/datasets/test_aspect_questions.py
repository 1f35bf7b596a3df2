"""Questions about the intents of citations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from small_library import context, make, paper
from word_intents import WordIntents

from citewhy.base.errors import InputError, QueryError
from citewhy.base.records import Alias
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy_lab.evaluate.datasets.aspects import (
    AspectQuestion,
    aspect_questions,
    read_aspects,
    seen_mark,
    write_aspects,
)

SAID = [
    context("1", "q", "m", "A method TARGETCIT."),
    context("2", "q", "both", "A method TARGETCIT."),
    context("3", "q", "both", "A result TARGETCIT."),
    context("4", "q", "b", "Some background TARGETCIT."),
    context("5", "q", "unsure", "A sentence TARGETCIT."),
    context("6", "q", "newer", "A method TARGETCIT."),
    context("7", "q", "q", "A method TARGETCIT."),
    context("8", "elsewhere", "m", "A method TARGETCIT."),
    context("9", "one", "alias", "A method TARGETCIT."),
]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    papers = [paper(name, year=2000) for name in ("m", "both", "b", "unsure", "one")]
    records: list[Record] = [*papers, paper("q", year=2001), paper("newer", year=2002), Alias("alias", "m")]
    with make(tmp_path / "library", records) as made:
        yield made


def test_papers_with_and_without_the_intent(library: Library) -> None:
    """A paper cited with two intents has both; those cited with others only are the rest. What is uncertain,
    newer than the citing paper, the citing paper itself, or by a paper unknown to the library is left out."""
    found = aspect_questions(SAID, library, WordIntents())
    assert found.questions == (
        AspectQuestion("q", 2001, "background", ("b",), ("both", "m")),
        AspectQuestion("q", 2001, "method", ("both", "m"), ("b",)),
        AspectQuestion("q", 2001, "result", ("both",), ("b", "m")),
    )
    assert found.left_out == {
        "sentences with an uncertain intent": 1,
        "citations of papers that could not be suggested": 2,
        "sentences of papers that the library does not have, or without a year": 1,
    }
    assert found.questions[1].candidates == ("b", "both", "m")


def test_papers_that_the_classifier_has_seen_are_left_out(library: Library) -> None:
    """Their labelled sentences were training data, under any id of theirs."""
    found = aspect_questions(SAID, library, WordIntents(), seen={seen_mark("q")})
    assert found.questions == ()
    assert found.left_out["sentences of papers that the classifier was trained on"] == 7


def test_questions_are_written_and_read(library: Library, tmp_path: Path) -> None:
    """A file of questions gives the same questions again; others are refused with the line."""
    questions = aspect_questions(SAID, library, WordIntents()).questions
    path = tmp_path / "aspects.jsonl"
    write_aspects(path, questions)
    assert read_aspects(path, library, WordIntents()).questions == questions
    path.write_text(path.read_text().replace('"intent":"method"', '"intent":"praise"'))
    with pytest.raises(InputError, match=r":2: a question needs .*: background, method, result"):
        read_aspects(path, library, WordIntents())


def test_a_file_without_questions(library: Library, tmp_path: Path) -> None:
    """Citing sentences with one intent only ask nothing."""
    path = tmp_path / "contexts.jsonl"
    path.write_text(
        '{"context_id": "1", "citing_id": "q", "cited_ids": ["m"], "text": "A method TARGETCIT is used."}\n'
    )
    with pytest.raises(QueryError, match="with different intents"):
        read_aspects(path, library, WordIntents())

"""The sentence of a paper that comes closest to a query."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from pathlib import Path

import pytest

from citewhy.corpus.formats import Record
from citewhy.corpus.store import Library
from citewhy.explain.passages import closest_passage
from citewhy.pipeline import Recommender
from citewhy.records import FullText, Passage, Query, Sentence
from small_library import make, make_toy, paper, unsynced

TEXT = FullText(
    "full",
    (
        Sentence(0, "title", "Zebras and horses run over plains"),
        Sentence(1, "abstract", "Zebras run over plains in herds today."),
        Sentence(2, "intro", "Zebras."),
        Sentence(5, "intro", "Many zebras and horses and donkeys run over very wide and dry plains."),
    ),
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    records: list[Record] = [
        paper("full", "Zebras", "This abstract is not read, for zebras have a full text."),
        paper("abstract", "Zebras", "Horses run over plains, too. Zebras sleep beneath trees at night."),
        paper("bare", "Zebras run over plains"),
        TEXT,
    ]
    with unsynced(), make(tmp_path_factory.mktemp("library"), records) as made:
        yield made


def closest(library: Library, name: str, rarity: dict[str, float]) -> Passage | None:
    return closest_passage(library, library.paper(name), rarity)


def test_full_text(library: Library) -> None:
    """The sum of idf over the square root of the length decides; titles and scraps are no evidence."""
    found = closest(library, "full", {"zebra": 2.0, "plain": 1.0})
    assert found is not None
    assert found == Passage("full", TEXT.sentences[1].text, found.score, 1, "abstract")
    assert found.score == pytest.approx(3 / sqrt(5)), "five terms: over, in and all stop words are none"
    found = closest(library, "full", {"horse": 2.0, "donkey": 2.0})
    assert found is not None
    assert (found.sid, found.section) == (5, "intro")


def test_abstract(library: Library) -> None:
    """Without a full text, a sentence of the abstract; it has no number."""
    found = closest(library, "abstract", {"zebra": 1.0})
    assert found is not None
    assert found.text == "Zebras sleep beneath trees at night."
    assert (found.sid, found.section) == (None, "abstract")


def test_no_passage(library: Library) -> None:
    """None where no sentence has a word of the query, where there is no text, and where nothing is asked."""
    assert closest(library, "abstract", {"lion": 1.0}) is None
    assert closest(library, "bare", {"zebra": 1.0}) is None
    assert closest(library, "full", {}) is None


def test_suggested_passages_exist(tmp_path: Path, toy: Path) -> None:
    """Every passage that is suggested stands in that paper's full text or abstract, word for word."""
    with unsynced(), make_toy(tmp_path, toy) as library:
        found = Recommender(library).suggest(
            Query("local", "score translation by n-grams of reference words"), 13
        )
        passages = [(each.paper, passage) for each in found for passage in each.passages]
        assert {passage.sid is None for _, passage in passages} == {True, False}
        for suggested, passage in passages:
            assert passage.paper_id == suggested.id
            if passage.sid is None:
                assert passage.text in suggested.abstract
            else:
                text = library.full_text(suggested.id)
                assert text is not None
                assert [each.text for each in text.sentences if each.sid == passage.sid] == [passage.text]

"""The sentences of a paper that a claim means, wherever the library has text of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from small_library import make, make_toy, paper, unsynced

from citewhy.base.records import FullText, Query, Sentence
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.ranking.explain.support import PassageFinder, claim_of
from citewhy.ranking.recommender import Recommender

TEXT = FullText(
    "full",
    (
        Sentence(0, "title", "Zebras and donkeys run over plains"),
        Sentence(1, "abstract", "Zebras run over plains in herds today."),
        Sentence(2, "intro", "Zebras."),
        Sentence(5, "intro", "Many horses and donkeys run over very wide and dry plains at night."),
    ),
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    records: list[Record] = [
        paper("full", "Zebras", "This abstract is not read, for donkeys have a full text."),
        paper("abstract", "Zebras", "Horses run over plains, too. Zebras sleep beneath trees at night."),
        paper("bare", "Zebras run over plains"),
        paper("scrap", "Zebras in a scrap", "Zebras sleep."),
        FullText("scrap", (Sentence(0, "title", "Zebras in a scrap"),)),
        TEXT,
    ]
    with unsynced(), make(tmp_path_factory.mktemp("library"), records) as made:
        yield made


def test_full_text(library: Library) -> None:
    """A sentence of the full text with its number and section; never the title, though it has the words."""
    source, found = PassageFinder(library).find("donkeys at night", [library.paper("full")])[0]
    assert (source, len(found)) == ("full text", 1)
    assert (found[0].sid, found[0].last_sid, found[0].section) == (5, 5, "intro")
    assert found[0].text == TEXT.sentences[3].text
    assert (found[0].before, found[0].after) == ("", "")  # sentence 4 is not known


def test_abstract(library: Library) -> None:
    """Without a full text, or where it is a title alone, a sentence of the abstract; it has no number."""
    finder = PassageFinder(library)
    papers = [library.paper(each) for each in ("abstract", "scrap")]
    (source, found), (other, scrap) = finder.find("Zebras sleep at night", papers)
    assert (source, found[0].text) == ("abstract", "Zebras sleep beneath trees at night.")
    assert (found[0].sid, found[0].last_sid, found[0].section) == (None, None, "abstract")
    assert (found[0].before, found[0].after) == ("Horses run over plains, too.", "")
    assert (other, scrap[0].text) == ("abstract", "Zebras sleep.")
    assert (scrap[0].before, scrap[0].after) == ("", "")


def test_no_passage(library: Library) -> None:
    """None where no sentence has a word of the claim, and where there is no text; the two are told apart."""
    papers = [library.paper("abstract"), library.paper("bare")]
    assert PassageFinder(library).find("lions", papers) == [("abstract", ()), ("none", ())]
    assert PassageFinder(library).find("", papers) == [("abstract", ()), ("none", ())]


def test_several(library: Library) -> None:
    """The best come first, no sentence twice."""
    found = PassageFinder(library).find("zebras and donkeys", [library.paper("full")], 5)[0][1]
    scores = [passage.score for passage in found]
    assert scores == sorted(scores, reverse=True)
    assert len({passage.sid for passage in found}) == len(found)
    assert {passage.sid for passage in found} <= {1, 2, 5}


def test_claim() -> None:
    """The sentence that asks; for a whole paper its title and abstract."""
    assert claim_of(Query("local", text="Zebras run.", title="Animals")) == "Zebras run."
    assert claim_of(Query("global", title="Animals", abstract="They run.")) == "Animals They run."


def test_suggested_passages_exist(tmp_path: Path, toy: Path) -> None:
    """Every passage that is suggested stands in that paper's full text or abstract, word for word."""
    with unsynced(), make_toy(tmp_path, toy) as library:
        found = Recommender(library, "bm25").suggest(
            Query("local", "score translation by n-grams of reference words"), 13
        )
        passages = [(each, passage) for each in found for passage in each.passages]
        assert {passage.sid is None for _, passage in passages} == {True, False}
        for suggestion, passage in passages:
            assert passage.paper_id == suggestion.paper.id
            assert suggestion.source == ("abstract" if passage.sid is None else "full text")
            if passage.sid is None:
                assert passage.text in suggestion.paper.abstract
            else:
                text = library.full_text(suggestion.paper.id)
                assert text is not None
                assert passage.last_sid is not None
                inside = [each.text for each in text.sentences if passage.sid <= each.sid <= passage.last_sid]
                assert " ".join(inside) == passage.text

"""Whom a passage credits with what it says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from small_library import make, paper, unsynced

from citewhy.base.records import FullText, Name, Paper, Passage, Query, Reason, Sentence, Suggestion
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.ranking.explain.credits import Credits, among_crediting
from citewhy.ranking.recommender import Recommender
from citewhy.search.index import open_index
from citewhy.text.markers import Resolver, find


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    brown = replace(paper("brown", "Alignment models"), authors=("Peter Brown", "A B", "C D"), year=1993)
    och = replace(paper("och", "Tuning"), authors=("Franz Och",), year=2003)
    twins = [replace(paper(f"li{n}", f"Parsing {n}"), authors=("Wei Li",), year=2003) for n in (1, 2)]
    review = replace(paper("review", "A survey of translation"), authors=("Ann Koehn",), year=2010)
    told = "Words are aligned by models of fertility (Brown et al., 1993), weights tuned (Och, 2003)."
    text = FullText("review", (Sentence(0, "title", "A survey of translation"), Sentence(1, "2 Past", told)))
    records: list[Record] = [brown, och, *twins, review, text]
    with unsynced(), make(tmp_path_factory.mktemp("library"), records) as made:
        yield made


def credited(library: Library, text: str, claim: str, **options: object) -> list[str]:
    found = Credits(library, open_index(library))
    papers = found.of(Passage("review", text, 1.0), claim, **options)  # type: ignore[arg-type]
    return [each.id for each in papers]


def test_the_words_before_a_citation_decide(library: Library) -> None:
    """A citation counts where the words since the one before share one with the claim."""
    told = "Words are aligned by models of fertility (Brown et al., 1993), weights tuned (Och, 2003)."
    assert credited(library, told, "Fertility of words") == ["brown"]
    assert credited(library, told, "Weights") == ["och"]
    assert credited(library, told, "Fertility and weights") == ["brown", "och"]
    assert credited(library, told, "Parsing") == []


def test_names_in_the_sentence(library: Library) -> None:
    """ "Och (2003) tunes …" credits Och with what follows."""
    assert credited(library, "Och (2003) tunes all weights.", "weights are tuned") == ["och"]


def test_only_what_is_certain(library: Library) -> None:
    """Two papers that fit are none; nor are unknown ones, newer ones, those left out, the paper itself."""
    assert credited(library, "Trees are parsed (Li, 2003).", "parsed trees") == []
    assert credited(library, "Trees are parsed (Smith, 2003) [7].", "parsed trees") == []
    assert credited(library, "Weights are tuned (Och, 2003).", "weights", year=2002) == []
    assert credited(library, "Weights are tuned (Och, 2003).", "weights", without={"och"}) == []
    assert credited(library, "Weights are tuned (Koehn, 2010).", "weights") == []


def test_a_credited_paper_is_suggested(library: Library) -> None:
    """After the paper whose passage credits it, with the passage as its first reason, though it shares no
    word with the sentence; within the number of papers that was asked for."""
    query = Query("local", text="survey of fertility")
    suggested = Recommender(library, "bm25").suggest(query, 3)
    assert [each.paper.id for each in suggested] == ["review", "brown"]
    assert suggested[1].reasons[0].kind == "credited"
    assert (
        suggested[1].reasons[0].text.startswith("“A survey of translation” credits it with this: “Words are")
    )
    assert [each.paper.id for each in Recommender(library, "bm25").suggest(query, 1)] == ["review"]
    excluded = Query("local", text="survey of fertility", excluded_ids=("brown",))
    assert [each.paper.id for each in Recommender(library, "bm25").suggest(excluded, 3)] == ["review"]


def test_suggestions_name_the_primary_source(library: Library) -> None:
    """The passage carries the id, a reason says it in words; it weighs nothing, and comes last."""
    suggested = Recommender(library, "bm25").suggest(Query("local", text="survey of fertility models"), 3)
    found = next(each for each in suggested if each.paper.id == "review")
    assert found.passages[0].credits == ("brown",)
    assert found.reasons[-1].kind == "credits"
    assert found.reasons[-1].text == "this passage credits Brown 1993: “Alignment models” (id brown)"
    assert found.reasons[-1].weight == 0.0


def test_a_credited_paper_has_the_score_of_the_one_that_credits_it() -> None:
    """Scores compare suggestions of one list: it stands behind that paper, and is as good as it."""
    reasons = (Reason("words", "so"),)
    passage = Passage("first", "As they showed (Lee 2001).", 1.0, credits=("credited",))
    first, second = (
        Suggestion(Paper(name, name), score, reasons) for name, score in (("first", 3.0), ("second", 2.0))
    )
    credited = Suggestion(Paper("credited", "credited"), -7.0, reasons)
    found = among_crediting([first, second], [credited], {"credited": (first, passage)})
    assert [(each.paper.id, each.score) for each in found] == [("first", 3), ("credited", 3), ("second", 2)]


def test_forms_of_names(tmp_path: Path) -> None:
    """A printed citation credits whom it would credit among all papers of the year, however the name is
    printed."""
    names = (
        "Jordan Boyd-Graber",
        "Hans Mueller",
        "Šnajder, Jan",
        Name("Gabriel", "García Márquez"),
        Name.literal("World Health Organization"),
        "Martin Luther King, Jr.",
        "Jan van der Berg",
    )
    printed = (
        *("Boyd-Graber", "Graber", "Müller", "Mueller", "Snajder", "García Márquez", "Garcia", "Marquez"),
        *("WHO", "World Health Organization", "King", "van der Berg", "Berg", "For Dutch, Berg"),
    )
    papers = [
        Paper(f"p{number}", f"Title {number}", authors=(name,), year=2003)
        for number, name in enumerate(names)
    ]
    with unsynced(), make(tmp_path, papers) as library:
        for name in printed:
            told = f"Weights are tuned ({name}, 2003)."
            group = find(told)[0].groups[0]
            alone = Resolver(papers).resolve(group)
            assert credited(library, told, "weights") == [each.id for each in (alone,) if each]

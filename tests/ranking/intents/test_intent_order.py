"""Papers that are cited with an intent come first, and each suggestion says how it is cited."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from small_library import context, make, paper, unsynced
from word_intents import WordIntents

from citewhy.answers.questions import make_query
from citewhy.base.errors import QueryError
from citewhy.base.records import Query
from citewhy.papers.library.store import Library
from citewhy.ranking.intents import ranking
from citewhy.ranking.intents.counts import cited_text, intent_shares
from citewhy.ranking.intents.ranking import intent_probabilities, scores_with_intent
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.recommender import Recommender
from citewhy.search.index import View


def test_shares_are_shrunk() -> None:
    """With shares .5, .25, .25 of all citations, worth three contexts: 3 of 3 contexts as a method give
    (3 + .75) / 6; no context gives the share of all."""
    counts = np.array([[0, 3, 0], [0, 0, 0], [6, 0, 0]])
    found = intent_probabilities(counts, np.array([0.5, 0.25, 0.25]), "method")
    assert found.tolist() == pytest.approx([3.75 / 6, 0.25, 0.75 / 9])


def test_scores_with_an_intent() -> None:
    """P(paper) times the square of P(intent | paper); 1 / rank takes the place of missing probabilities."""
    chances = np.array([0.1, 0.5])
    assert scores_with_intent(np.array([0.6, 0.2]), chances).tolist() == pytest.approx([0.006, 0.05])
    assert scores_with_intent(np.zeros(0), chances).tolist() == pytest.approx([0.01, 0.125])


def test_counts_in_words() -> None:
    """The number of contexts with the intent, of all; none is cited_text, too."""
    assert cited_text(np.array([2, 9, 1]), "method") == "cited as a method in 9 of 12 contexts"
    assert cited_text(np.array([0, 0, 1]), "result") == "cited for its results in 1 of 1 context"
    assert cited_text(np.array([0, 0, 0]), "background").startswith("not known to be cited as background")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Two papers with the same words; the first by id is cited as background, the second as a method; from
    2006 on, the first as a method, too."""
    papers = [
        paper("p1", "Parsing trees one", "Parsing trees.", 2000),
        paper("p2", "Parsing trees two", "Parsing trees.", 2000),
        *(paper(f"c{number}", f"Citing {number}", "Words.", 2004) for number in range(3)),
        paper("late", "Late", "Words.", 2006),
    ]
    sentences = [
        *(context(f"b{n}", f"c{n}", "p1", "As background TARGETCIT is known.") for n in range(3)),
        *(context(f"m{n}", f"c{n}", "p2", "As method TARGETCIT is used.") for n in range(3)),
        *(context(f"l{n}", "late", "p1", f"As method {n} TARGETCIT is used.") for n in range(9)),
    ]
    folder = tmp_path_factory.mktemp("library")
    with unsynced(), make(folder, [*papers, *sentences]) as made:
        yield made


def order(library: Library, query: Query) -> list[str]:
    return [each for each in _recommender(library).rank(query, 10).ids if each in ("p1", "p2")]


def _recommender(library: Library) -> Recommender:
    return Recommender(library, "bm25", models=ModelSet(intents=WordIntents()))


def test_the_intent_decides_between_equals(library: Library) -> None:
    """Equal otherwise, papers come in the order of their contexts' intents, as of the year of the query."""
    assert order(library, Query("local", "parsing trees", year=2005)) == ["p1", "p2"]
    assert order(library, Query("local", "parsing trees", year=2005, intent="method")) == ["p2", "p1"]
    assert order(library, Query("local", "parsing trees", year=2005, intent="background")) == ["p1", "p2"]
    # In 2006 nothing has changed: what appears in the year of the query is no evidence.
    assert order(library, Query("local", "parsing trees", year=2006, intent="method")) == ["p2", "p1"]


def test_what_the_citing_paper_wrote_is_no_evidence(library: Library) -> None:
    """The nine sentences of a paper about p1 do not count for its own query."""
    query = Query("local", "parsing trees", year=2008, intent="method")
    assert order(library, query) == ["p1", "p2"]
    assert order(library, Query("local", "parsing trees", year=2008, intent="method", citing_id="late")) == [
        "p2",
        "p1",
    ]


def test_shares_are_counted_once_for_the_same_evidence(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Queries that differ only in their candidates share them; another year, or the citing paper, does
    not."""
    counted = []

    def counting(view: View, *rest: Any) -> Any:
        counted.append(view)
        return intent_shares(view, *rest)

    monkeypatch.setattr(ranking, "intent_shares", counting)
    recommender = _recommender(library)

    def asked(**given: Any) -> int:
        recommender.rank(Query("local", "parsing trees", intent="method", **given), 10)
        return len(counted)

    assert [asked(year=2005), asked(year=2005), asked(year=2005, excluded_ids=("p1",))] == [1, 1, 1]
    assert [asked(year=2008), asked(year=2008, citing_id="late"), asked(year=2008)] == [2, 3, 3]


def test_every_suggestion_says_how_it_is_cited(library: Library) -> None:
    """The first reason counts the contexts as of the year."""
    query = Query("local", "parsing trees", year=2005, intent="method")
    found = _recommender(library).suggest(query, 2)
    assert [(each.paper.id, each.reasons[0].kind, each.reasons[0].text) for each in found] == [
        ("p2", "intent", "cited as a method in 3 of 3 contexts"),
        ("p1", "intent", "cited as a method in 0 of 3 contexts"),
    ]
    plain = _recommender(library).suggest(Query("local", "parsing trees", year=2005), 2)
    assert all(reason.kind != "intent" for each in plain for reason in each.reasons)


def test_an_unknown_intent_is_refused() -> None:
    """The message names the intents."""
    with pytest.raises(QueryError, match="there is no intent 'praise'"):
        make_query("A sentence.", intent="praise")  # type: ignore[arg-type]

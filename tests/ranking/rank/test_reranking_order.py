"""A reranker in the pipeline: it orders the first candidates, by what the rules let it know, and says why."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from small_library import cites, make, paper

from citewhy.base.errors import ModelError, QueryError
from citewhy.base.records import FullText, Query, QueryKind, Reason, Sentence
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.rank.reranker import Need, Reranker, RerankRequest
from citewhy.ranking.rank.reranking import interpolated
from citewhy.ranking.recommender import Recommender

RECORDS: list[Record] = [
    paper("a", "parsing parsing parsing", year=2000),
    paper("b", "parsing parsing words", year=2001),
    paper("c", "parsing some other words", year=2002),
    paper("d", "parsing and many more other words here", year=2003),
    paper("old", "tagging", year=2003),
    paper("asks", "tagging", year=2004),
    paper("late", "tagging", year=2005),
    *cites("old a", "old c", "asks c", "late c", "asks d"),
]

QUERY = Query("local", "parsing", year=2005)


LOCAL: tuple[QueryKind, ...] = ("local",)
SET: tuple[QueryKind, ...] = ("set",)


class ByCitations:
    """Scores a paper by the years in which it was cited: as many as these are; remembers what it was told."""

    def __init__(
        self,
        depth: int = 1000,
        first_stage_weight: float = 0.0,
        kinds: Collection[QueryKind] = LOCAL,
        needs: Collection[Need] = (),
        name: str = "by citations",
    ) -> None:
        self.name = name
        self.depth = depth
        self.first_stage_weight = first_stage_weight
        self.kinds = frozenset(kinds)
        self.needs = frozenset(needs)
        self.requests: list[RerankRequest] = []

    @property
    def told(self) -> dict[str, list[int]]:
        """Years in which each paper was cited, by the last request."""
        last = self.requests[-1]
        return {
            each.id: sorted(years.tolist())
            for each, years in zip(last.papers, last.citing_years, strict=True)
        }

    def scores(self, request: RerankRequest) -> NDArray[np.float32]:
        self.requests.append(request)
        return np.array([len(years) for years in request.citing_years], dtype=np.float32)

    def reasons(self, request: RerankRequest, place: int) -> tuple[Reason, ...]:
        return (Reason("bibliography", f"cited {len(request.citing_years[place])} times", 1.0),)


def reranked(library: Library, *rerankers: Reranker, **more: Any) -> Recommender:
    """Over the order of words."""
    return Recommender(library, "bm25", **more, models=ModelSet(rerankers=rerankers))


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with make(tmp_path / "library", RECORDS) as library:
        yield library


def test_the_first_stage_counts_beside_it(library: Library) -> None:
    """Scores 2, 1, 0, 0 less the weight times the logarithm of the first stage's place: a little settles
    ties, a lot leaves its order."""
    plain = Recommender(library, "bm25").rank(QUERY, 10).ids
    assert plain == ["a", "b", "c", "d"]
    for weight, expected in {0.01: ["c", "a", "d", "b"], 10.0: plain}.items():
        reranker = ByCitations(first_stage_weight=weight)
        found = reranked(library, reranker).rank(QUERY, 10)
        assert found.ids == expected
    assert interpolated(np.zeros(3, np.float32), 0.5) == pytest.approx([0, -0.5 * log(2), -0.5 * log(3)])


def test_the_order_is_the_rerankers(library: Library) -> None:
    """Twice cited before once, ties by id; no calibrated probability is left."""
    found = reranked(library, ByCitations()).rank(QUERY, 10)
    assert [(each.paper_id, each.score, each.probability) for each in found] == [
        ("c", 2.0, None),
        ("a", 1.0, None),
        ("d", 1.0, None),
        ("b", 0.0, None),
    ]


@pytest.mark.parametrize("scores", [[1, np.nan, 0, 0], [np.inf, 0, 0, 0], [1, 2], [[1], [2], [3], [4]]])
def test_scores_that_are_no_order(
    library: Library, monkeypatch: pytest.MonkeyPatch, scores: list[Any]
) -> None:
    """Of four candidates: an error that names the reranker, whatever package it is from."""
    reranker = ByCitations(name="strange")
    monkeypatch.setattr(reranker, "scores", lambda request: np.array(scores, dtype=np.float32))
    with pytest.raises(ModelError, match="the reranker strange does not answer with finite numbers"):
        reranked(library, reranker).rank(QUERY, 10)


def test_what_it_is_told_follows_the_rules(library: Library) -> None:
    """Years before the query's, and nothing that the citing paper itself wrote."""
    reranker = ByCitations()
    recommender = reranked(library, reranker)
    recommender.rank(QUERY, 10)
    assert reranker.told == {"a": [2003], "b": [], "c": [2003, 2004], "d": [2004]}
    recommender.rank(Query("local", "parsing", year=2006), 10)
    assert reranker.told["c"] == [2003, 2004, 2005]
    recommender.rank(Query("local", "parsing", year=2005, citing_id="asks"), 10)
    assert reranker.told == {"a": [2003], "b": [], "c": [2003], "d": []}
    hidden = reranked(library, reranker, hidden_ids=["c"])
    hidden.rank(QUERY, 10)
    assert reranker.told["c"] == []


def test_behind_its_depth_nothing_moves(library: Library) -> None:
    """Of the first two, the better one first; the others follow in the first stage's order, below them."""
    plain = Recommender(library, "bm25").rank(QUERY, 10)
    assert plain.ids == ["a", "b", "c", "d"]
    found = reranked(library, ByCitations(depth=2)).rank(QUERY, 10)
    assert found.ids == ["a", "b", "c", "d"]
    scores = [each.score for each in found]
    assert scores[:2] == [1.0, 0.0]
    assert scores[1] > scores[2] > scores[3]
    assert scores[2] - scores[3] == pytest.approx(plain[2].score - plain[3].score, rel=1e-5)


def test_more_is_read_than_shown(library: Library) -> None:
    """The best of all candidates is found, where only one is asked for."""
    assert reranked(library, ByCitations()).rank(QUERY, 1).ids == ["c"]


def test_which_reranker_answers_which_kind(library: Library) -> None:
    """Each kind goes to the reranker that declares it; the others keep the order that they have."""
    local, wide = ByCitations(), ByCitations(kinds=("paragraph", "set"), name="wide")
    recommender = reranked(library, local, wide)
    plain = Recommender(library, "bm25")
    for kind, asked in {"local": local, "paragraph": wide, "set": wide, "global": None}.items():
        query = Query(kind, "parsing", title="parsing", year=2005)  # type: ignore[arg-type]
        before = [len(each.requests) for each in (local, wide)]
        found = recommender.rank(query, 10).ids
        assert [len(each.requests) for each in (local, wide)] == [
            count + (each is asked) for count, each in zip(before, (local, wide), strict=True)
        ]
        assert found == (plain.rank(query, 10).ids if asked is None else ["c", "a", "d", "b"])
        assert recommender.answers(query.kind).reranker == (None if asked is None else asked.name)


def test_two_rerankers_for_one_kind(library: Library) -> None:
    """Which of them is meant cannot be known."""
    both = ByCitations(kinds=("local", "set")), ByCitations(kinds=SET, name="another")
    with pytest.raises(QueryError, match="by citations and another both rerank queries of kind set"):
        reranked(library, *both)


def test_what_a_reranker_asks_for(library: Library) -> None:
    """Full texts beside the papers, None where there is none; known papers by id, members among them; and
    neither where it asks for nothing."""
    text = FullText("c", (Sentence(0, "title", "parsing"), Sentence(1, "1 Intro", "We parse.")))
    library.add([text])
    query = Query("set", "parsing", known_ids=("old", "nobody"), member_ids=("d",), year=2005)
    plain, curious = (
        ByCitations(kinds=SET),
        ByCitations(kinds=SET, needs=("full texts", "known papers")),
    )
    reranked(library, plain).rank(query, 10)
    assert (plain.requests[0].full_texts, plain.requests[0].known_papers) == ([], [])
    reranked(library, curious).rank(query, 10)
    request = curious.requests[0]
    assert [each.id for each in request.papers] == ["a", "b", "c"]
    assert list(request.full_texts) == [None, None, text]
    assert [each.id for each in request.known_papers] == ["d", "old"]


def test_one_candidate_of_a_request(library: Library) -> None:
    """Everything about it, and nothing about the others."""
    curious = ByCitations(needs=("full texts", "known papers"))
    reranked(library, curious).rank(Query("local", "parsing", known_ids=("old",), year=2005), 10)
    one = curious.requests[0].only(2)
    assert ([each.id for each in one.papers], [len(years) for years in one.citing_years]) == (["c"], [2])
    assert (list(one.full_texts), [each.id for each in one.known_papers]) == ([None], ["old"])


def test_other_kinds_of_queries_keep_their_order(library: Library) -> None:
    """A whole paper is no sentence."""
    whole = Query("global", title="parsing", year=2005)
    plain = Recommender(library, "bm25").rank(whole, 10).ids
    assert reranked(library, ByCitations()).rank(whole, 10).ids == plain


def test_nothing_found(library: Library) -> None:
    """A query without candidates is no question for a reranker."""
    assert reranked(library, ByCitations()).rank(Query("local", "zebra"), 5).ids == []


def test_reasons(library: Library) -> None:
    """The reranker's come first, with their weights; what the first stage has to say follows without one."""
    (best,) = reranked(library, ByCitations()).suggest(QUERY, 1)
    assert best.paper.id == "c"
    assert [(reason.kind, reason.weight) for reason in best.reasons] == [
        ("bibliography", 1.0),
        ("words", 0.0),
    ]
    assert best.probability is None

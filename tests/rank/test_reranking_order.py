"""A reranker in the pipeline: it orders the first candidates, by what the rules let it know, and says why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from citewhy.formats import Record
from citewhy.library.store import Library
from citewhy.pipeline import Recommender
from citewhy.rank.reranker import CitedIn
from citewhy.rank.reranking import interpolated
from citewhy.records import Paper, Query, QueryKind, Reason
from small_library import cites, make, paper

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


class ByCitations:
    """Scores a paper by the years in which it was cited: as many as these are; remembers what it was told."""

    name = "by citations"
    kinds: frozenset[QueryKind] = frozenset({"local"})

    def __init__(self, depth: int = 1000, first_stage_weight: float = 0.0) -> None:
        self.depth = depth
        self.first_stage_weight = first_stage_weight
        self.told: dict[str, list[int]] = {}

    def scores(
        self, query: Query, papers: Sequence[Paper], cited_in: Sequence[CitedIn]
    ) -> NDArray[np.float32]:
        self.told = {each.id: sorted(years.tolist()) for each, years in zip(papers, cited_in, strict=True)}
        return np.array([len(years) for years in cited_in], dtype=np.float32)

    def reasons(self, query: Query, paper: Paper, cited_in: CitedIn) -> tuple[Reason, ...]:
        return (Reason("bibliography", f"cited {len(cited_in)} times", 1.0),)


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
        found = Recommender(library, "bm25", reranker=reranker).rank(QUERY, 10)
        assert found.ids == expected
    assert interpolated(np.zeros(3, np.float32), 0.5) == pytest.approx([0, -0.5 * log(2), -0.5 * log(3)])


def test_the_order_is_the_rerankers(library: Library) -> None:
    """Twice cited before once, ties by id; no calibrated probability is left."""
    found = Recommender(library, "bm25", reranker=ByCitations()).rank(QUERY, 10)
    assert [(each.paper_id, each.score, each.probability) for each in found] == [
        ("c", 2.0, None),
        ("a", 1.0, None),
        ("d", 1.0, None),
        ("b", 0.0, None),
    ]


def test_what_it_is_told_follows_the_rules(library: Library) -> None:
    """Years before the query's, and nothing that the citing paper itself wrote."""
    reranker = ByCitations()
    recommender = Recommender(library, "bm25", reranker=reranker)
    recommender.rank(QUERY, 10)
    assert reranker.told == {"a": [2003], "b": [], "c": [2003, 2004], "d": [2004]}
    recommender.rank(Query("local", "parsing", year=2006), 10)
    assert reranker.told["c"] == [2003, 2004, 2005]
    recommender.rank(Query("local", "parsing", year=2005, citing_id="asks"), 10)
    assert reranker.told == {"a": [2003], "b": [], "c": [2003], "d": []}
    hidden = Recommender(library, "bm25", hidden_ids=["c"], reranker=reranker)
    hidden.rank(QUERY, 10)
    assert reranker.told["c"] == []


def test_behind_its_depth_nothing_moves(library: Library) -> None:
    """Of the first two, the better one first; the others follow in the first stage's order, below them."""
    plain = Recommender(library, "bm25").rank(QUERY, 10)
    assert plain.ids == ["a", "b", "c", "d"]
    found = Recommender(library, "bm25", reranker=ByCitations(depth=2)).rank(QUERY, 10)
    assert found.ids == ["a", "b", "c", "d"]
    scores = [each.score for each in found]
    assert scores[:2] == [1.0, 0.0]
    assert scores[1] > scores[2] > scores[3]
    assert scores[2] - scores[3] == pytest.approx(plain[2].score - plain[3].score, rel=1e-5)


def test_more_is_read_than_shown(library: Library) -> None:
    """The best of all candidates is found, where only one is asked for."""
    assert Recommender(library, "bm25", reranker=ByCitations()).rank(QUERY, 1).ids == ["c"]


def test_other_kinds_of_queries_keep_their_order(library: Library) -> None:
    """A whole paper is no sentence."""
    whole = Query("global", title="parsing", year=2005)
    plain = Recommender(library, "bm25").rank(whole, 10).ids
    assert Recommender(library, "bm25", reranker=ByCitations()).rank(whole, 10).ids == plain


def test_nothing_found(library: Library) -> None:
    """A query without candidates is no question for a reranker."""
    assert Recommender(library, "bm25", reranker=ByCitations()).rank(Query("local", "zebra"), 5).ids == []


def test_reasons(library: Library) -> None:
    """The reranker's come first, with their weights; what the first stage has to say follows without one."""
    (best,) = Recommender(library, "bm25", reranker=ByCitations()).suggest(QUERY, 1)
    assert best.paper.id == "c"
    assert [(reason.kind, reason.weight) for reason in best.reasons] == [
        ("bibliography", 1.0),
        ("words", 0.0),
    ]
    assert best.probability is None

"""Asking a ranker all questions of a benchmark."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hash_encoder import HashEncoder
from small_library import context, make, paper, unsynced
from small_ranker import small_model

from citewhy.base.errors import QueryError
from citewhy.base.records import Candidate, Query
from citewhy.papers.formats import Record
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.recommender import Recommender
from citewhy_lab.evaluate.datasets.topics import Topic
from citewhy_lab.evaluate.ranking import Answers, collect, judge, measurable
from citewhy_lab.evaluate.runs import Ranking


class Alphabet:
    """Ranks single letters: those of the query's text first, then the rest, each group by id."""

    def __init__(self, papers: str) -> None:
        self.papers = papers
        self.asked: list[tuple[str, int]] = []

    def rank(self, query: Query, k: int) -> list[Candidate]:
        self.asked.append((query.id, k))
        found = [Candidate(paper, float(paper in query.text), {"letter": 1.0}) for paper in self.papers]
        return sorted(found, key=lambda candidate: (-candidate.score, candidate.paper_id))[:k]

    def pool_size(self, query: Query) -> int:
        return len(self.papers) - (query.citing_id in self.papers)


def topic(name: str, text: str, *relevant: str, citing_id: str = "?") -> Topic:
    return Topic(Query("local", text=text, id=name, citing_id=citing_id), relevant)


TOPICS = [
    topic("first", "C", "C", citing_id="D"),
    topic("second", "B", "D", "B"),
    topic("missed", "A", "Z"),
]


def test_collect() -> None:
    """Every query is asked once, in order, at the given depth; ids, scores and times are kept."""
    ranker = Alphabet("ABCD")
    ticks: list[int] = []
    answers = collect(ranker, TOPICS, depth=3, tick=ticks.append)
    assert ranker.asked == [("first", 3), ("second", 3), ("missed", 3)]
    assert [(query, ranking.paper_ids) for query, ranking in answers.run.items()] == [
        ("first", ("C", "A", "B")),
        ("second", ("B", "A", "C")),
        ("missed", ("A", "B", "C")),
    ]
    assert list(answers.run["first"].scores) == [1, 0, 0]
    assert len(answers.seconds) == 3
    assert ticks == [1, 2, 3]
    assert all(seconds >= 0 for seconds in answers.seconds)


def test_pool_is_the_largest() -> None:
    """The pool that is reported is that of the query with most candidates."""
    assert collect(Alphabet("ABCD"), TOPICS[:1], 3).pool == 3
    assert collect(Alphabet("ABCD"), TOPICS, 3).pool == 4


def test_nothing_is_inserted() -> None:
    """A relevant paper that the ranker does not give is in no ranking and counts as missed."""
    answers = collect(Alphabet("ABCD"), TOPICS, depth=3)
    column = judge("letters", answers, TOPICS, ["R@10", "RR"], "judgements", seed=7)
    assert all("Z" not in ranking.paper_ids for ranking in answers.run.values())
    # C is first; B is first, D is beyond the depth; Z does not exist: two of four.
    assert column.scores.means() == {"R@10": 0.5, "RR": 0.5}
    low, high = column.column().intervals["RR"]
    assert low < 0.5 < high


def test_too_many_candidates_are_cut() -> None:
    """A ranker that answers more than it was asked for gains nothing."""

    class Generous(Alphabet):
        def rank(self, query: Query, k: int) -> list[Candidate]:
            return super().rank(query, k + 2)

    assert collect(Generous("ABCD"), TOPICS[:1], depth=1).run["first"].paper_ids == ("C",)


def test_broken_contract_names_the_query() -> None:
    """A ranker that gives a paper twice is not measured; the error says for which query."""

    class Stutterer(Alphabet):
        def rank(self, query: Query, k: int) -> list[Candidate]:
            return [*super().rank(query, k), Candidate("C", -1.0)]

    with pytest.raises(ValueError, match="query first: C was ranked twice"):
        collect(Stutterer("CD"), TOPICS, depth=9)


class Sure(Alphabet):
    """Gives each rank its probability."""

    def __init__(self, papers: str, *sure: float | None) -> None:
        super().__init__(papers)
        self.sure = sure

    def rank(self, query: Query, k: int) -> list[Candidate]:
        found = super().rank(query, k)
        return [replace(each, probability=sure) for each, sure in zip(found, self.sure, strict=False)]


def test_probabilities_are_kept() -> None:
    """Those of the first ten candidates, fewer at a lower depth; nothing for rankers that give none."""
    falling = tuple(0.5 / 2**rank for rank in range(12))
    answers = collect(Sure("ABCDEFGHIJKL", *falling), TOPICS[:1], depth=99)
    assert len(answers.run["first"]) == 12
    assert answers.probabilities == {"first": falling[:10]}
    assert collect(Sure("ABCD", *falling), TOPICS[:1], depth=3).probabilities == {"first": falling[:3]}
    assert collect(Alphabet("ABCD"), TOPICS, depth=3).probabilities == {}


def test_probabilities_are_judged() -> None:
    """C is right for the first query; the second, without candidates, counts as unanswered."""

    class Tired(Sure):
        def rank(self, query: Query, k: int) -> list[Candidate]:
            return super().rank(query, k) if query.id == "first" else []

    answers = collect(Tired("ABC", 0.6, 0.2, 0.0), TOPICS[:2], depth=9)
    found = judge("x", answers, TOPICS[:2], ["RR"], "queries", seed=7).calibration
    assert found is not None
    assert (found.queries, found.pairs, found.silence[0].answered) == (2, 3, 0.5)
    assert found.brier == pytest.approx((0.4**2 + 0.2**2 + 0) / 3)
    plain = collect(Alphabet("ABC"), TOPICS, depth=9)
    assert judge("x", plain, TOPICS, ["RR"], "queries", seed=7).calibration is None


@pytest.mark.parametrize(
    ("sure", "message"),
    [
        ((0.5, None), "query first: some candidates have a probability, and others none"),
        ((1.5, 0.5), "query first: 1.5 is no probability"),
        ((0.5, math.nan), "query first: nan is no probability"),
    ],
)
def test_what_is_no_probability(sure: tuple[float | None, ...], message: str) -> None:
    """A ranker that calls something else a probability is not measured."""
    with pytest.raises(ValueError, match=message):
        collect(Sure("CD", *sure), TOPICS[:1], depth=9)


def test_what_a_ranker_is_asked() -> None:
    """The query as it stands in the topic, every field of it: who asks, what it excludes, as of when."""

    heard: list[Query] = []

    class Listening(Alphabet):
        def rank(self, query: Query, k: int) -> list[Candidate]:
            heard.append(query)
            return super().rank(query, k)

    asked = replace(TOPICS[0].query, year=2003, known_ids=("A",), excluded_ids=("B",), authors=("Ann Lee",))
    collect(Listening("ABCD"), [Topic(asked, ("C",)), TOPICS[1]], depth=4)
    assert heard == [asked, TOPICS[1].query]


def test_a_leak_changes_nothing(tmp_path: Path) -> None:
    """The pipeline, asked for a paper whose own sentence is in the library, answers as if it were not; for
    another paper, or for nobody, the same sentence counts."""
    papers = [
        paper(name, title, year=2000) for name, title in (("a", "Tree"), ("b", "Bank"), ("c", "Trees, too"))
    ]
    papers += [paper("asks", "Horse", year=2003), paper("other", "Cow", year=2004)]
    leaked = context("leak", "asks", "b", "A tree TARGETCIT of errors.")

    def answers(name: str, records: list[Record], citing_id: str) -> object:
        with unsynced(), make(tmp_path / f"{name} {citing_id}", records) as library:
            ranker = Recommender(library, models=ModelSet(encoder=HashEncoder(), ranker=small_model()))
            query = Query("local", "A tree of errors", id="first", citing_id=citing_id, year=2005)
            return collect(ranker, [Topic(query, ("b",))], depth=10).run

    for citing_id, unseen in (("asks", True), ("other", False), ("", False)):
        clean = answers("clean", [*papers], citing_id)
        assert (answers("leaked", [*papers, leaked], citing_id) == clean) is unseen


def test_seconds() -> None:
    """Percentiles of the time for a query; none for a run that was read from a file."""
    answers = Answers({}, 0, tuple(float(n) for n in range(101)))
    column = judge("x", answers, TOPICS, ["RR"], "queries", seed=7)
    assert (column.seconds(50), column.seconds(95)) == (50, 95)
    unknown = judge("x", Answers({"first": Ranking(("C",), (1.0,))}), TOPICS, ["RR"], "queries", seed=7)
    assert unknown.seconds(50) is None


def test_measurable() -> None:
    """Measures that look deeper than the rankings go are set aside, in order; repeated ones are dropped."""
    assert measurable(["R@1000", "R@10", "RR", "R@10"], 100) == (["R@10", "RR"], ["R@1000"])
    assert measurable(["R@10"], 10) == (["R@10"], [])
    with pytest.raises(QueryError, match="no measure can be computed from 5 candidates; asked for: R@10"):
        measurable(["R@10"], 5)
    with pytest.raises(QueryError, match="there is no measure 'hits'"):
        measurable(["RR", "hits"], 5)

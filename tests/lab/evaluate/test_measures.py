"""Measures, with values that were worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping
from math import log2

import pytest

from citewhy.base.errors import QueryError
from citewhy.base.records import Candidate
from citewhy_lab.evaluate.measures import Average, cutoff, parse, score
from citewhy_lab.evaluate.runs import Ranking, Run


def answer(*papers: str, tied: bool = False) -> Ranking:
    """A ranking of these papers, with falling scores or all with the same."""
    return Ranking.of(Candidate(paper, 1.0 if tied else -float(rank)) for rank, paper in enumerate(papers))


def means(
    run: Run, gold: Mapping[str, tuple[str, ...]], names: list[str], average: Average
) -> dict[str, float]:
    return score(run, gold, names, average).means()


RUN = {
    "one": answer("A", "B", "C", "D"),
    "two": answer("X", "Y", "A"),
}
GOLD = {"one": ("B", "D"), "two": ("A",)}


def test_macro_average() -> None:
    """Over queries: each query counts once, however many relevant papers it has."""
    found = means(RUN, GOLD, ["R@2", "RR", "AP", "P@2", "Success@2"], "queries")
    assert found == pytest.approx(
        {
            "R@2": (1 / 2 + 0) / 2,
            "RR": (1 / 2 + 1 / 3) / 2,
            "AP": ((1 / 2 + 2 / 4) / 2 + 1 / 3) / 2,
            "P@2": (1 / 2 + 0) / 2,
            "Success@2": (1 + 0) / 2,
        }
    )


def test_f1() -> None:
    """The harmonic mean of precision and recall of each query: 1/2 and 1/2 in two places, 1/4 and 2/2 in
    four; 0 and 1/3 where one paper is third of three. Over judgements each has one relevant paper."""
    found = means(RUN, GOLD, ["F1@2", "F1@4"], "queries")
    assert found == pytest.approx({"F1@2": 1 / 4, "F1@4": (2 / 3 + 2 / 5) / 2})
    assert means(RUN, GOLD, ["F1@2"], "judgements")["F1@2"] == pytest.approx(2 / 3 / 3)
    assert means(RUN, GOLD, ["F1@4", "P@4", "R@4"], "judgements")["R@4"] == 1
    with pytest.raises(QueryError, match="measure F1 needs a depth"):
        parse("F1")


def test_ndcg() -> None:
    """nDCG@10 discounts by log2 of the rank plus one, against the best possible order."""
    ideal = 1 / log2(2) + 1 / log2(3)
    one = (1 / log2(3) + 1 / log2(5)) / ideal
    assert means(RUN, GOLD, ["nDCG@10"], "queries")["nDCG@10"] == pytest.approx((one + 1 / log2(4)) / 2)


def test_micro_average() -> None:
    """Over judgements: each relevant paper counts once, at its own rank; others keep their places."""
    found = means(RUN, GOLD, ["R@2", "RR"], "judgements")
    assert found == pytest.approx({"R@2": 1 / 3, "RR": (1 / 2 + 1 / 4 + 1 / 3) / 3})


def test_weights() -> None:
    """A query weighs as many units as it has judgements (micro), or one (macro)."""
    assert list(score(RUN, GOLD, ["RR"], "judgements").weights) == [2, 1]
    assert list(score(RUN, GOLD, ["RR"], "queries").weights) == [1, 1]
    assert list(score(RUN, GOLD, ["RR"], "judgements").sums["RR"]) == pytest.approx([3 / 4, 1 / 3])


@pytest.mark.parametrize("average", ["judgements", "queries"])
def test_missed_papers_stay_missed(average: Average) -> None:
    """A relevant paper that is in no ranking, an empty ranking and a query without an answer score zero."""
    run = {"found": answer("A"), "missed": answer("B"), "empty": answer()}
    gold = {"found": ("A",), "missed": ("Z",), "empty": ("A",), "absent": ("A",)}
    assert means(run, gold, ["R@10", "RR", "AP"], average) == {"R@10": 0.25, "RR": 0.25, "AP": 0.25}


def test_nothing_answered() -> None:
    """A run that answers nothing scores zero everywhere; it is not an error."""
    assert means({}, GOLD, ["R@10", "RR", "RR@5"], "queries") == {"R@10": 0, "RR": 0, "RR@5": 0}


def test_ties_follow_the_ranking() -> None:
    """Equal scores do not let the measuring library choose its own order."""
    names = [f"P{number:02}" for number in range(30)]
    run = {"q": answer(*names, tied=True)}
    for rank, paper in enumerate(names, start=1):
        assert means(run, {"q": (paper,)}, ["RR"], "queries")["RR"] == pytest.approx(1 / rank)


def test_scores_that_differ_less_than_a_float() -> None:
    """Ranks are exact where scores are closer than single precision, in which trec_eval compares."""
    run = {"q": Ranking.of([Candidate("A", 1 + 1e-12), Candidate("B", 1.0)])}
    assert means(run, {"q": ("A",)}, ["RR"], "queries")["RR"] == 1
    assert means(run, {"q": ("B",)}, ["RR"], "queries")["RR"] == 0.5


def test_duplicate_judgements_count_once() -> None:
    """A paper that is named twice among the relevant ones is one judgement."""
    found = score({"q": answer("A")}, {"q": ("A", "A")}, ["R@10"], "judgements")
    assert found.means() == {"R@10": 1}
    assert list(found.weights) == [1]


def test_queries_without_judgements_are_ignored() -> None:
    """What a run says to other queries changes nothing."""
    more = {**RUN, "three": answer("Q")}
    assert means(more, GOLD, ["RR"], "queries") == means(RUN, GOLD, ["RR"], "queries")


def test_many_queries() -> None:
    """Scoring in blocks mixes nothing up: every query has its relevant paper at a rank of its own."""
    names = [f"P{number:03}" for number in range(40)]
    run = {f"q{number}": answer(*names) for number in range(700)}
    gold = {f"q{number}": (names[number % 40],) for number in range(700)}
    found = score(run, gold, ["RR"], "judgements")
    assert list(found.sums["RR"]) == pytest.approx([1 / (number % 40 + 1) for number in range(700)])


def test_foreign_ids() -> None:
    """Ids may have any characters."""
    run = {"wer?": answer("Ärzte & Söhne", "論文")}
    assert means(run, {"wer?": ("論文",)}, ["RR"], "queries") == {"RR": 0.5}


@pytest.mark.parametrize(
    "name", ["R@10", "RR", "RR@5", "AP", "AP@10", "nDCG", "nDCG@10", "P@1", "Rprec", "Success@3"]
)
def test_known_names(name: str) -> None:
    """A measure prints as it is written."""
    assert [str(part) for part in parse(name)] == [name]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Hits@10",
        "R@0",
        "R@-1",
        "R@ten",
        "R@10@5",
        "r@10",
        "Rprec@3",
        "__class__",
        "R@1e3",
        "R@9999999999",
    ],
)
def test_unknown_names(name: str) -> None:
    """A measure that does not exist is refused, with the names of those that do."""
    with pytest.raises(QueryError, match=r"there is no measure .*known: R, RR, AP, nDCG"):
        parse(name)


def test_depth_is_needed() -> None:
    """Recall without a depth is refused, with the way to write it."""
    with pytest.raises(QueryError, match="measure R needs a depth; for instance R@10"):
        parse("R")


def test_cutoff() -> None:
    """The depth of a measure; 0 where it looks at everything."""
    assert [cutoff(name) for name in ("R@10", "nDCG@1000", "RR", "Rprec")] == [10, 1000, 0, 0]


@pytest.mark.parametrize("gold", [{}, {"q": ()}])
def test_nothing_to_score(gold: dict[str, tuple[str, ...]]) -> None:
    """Without judgements there is no average, and none is made up."""
    with pytest.raises(QueryError, match="nothing to score"):
        score(RUN, gold, ["RR"], "queries")

"""Measures of sets, worked out by hand."""

from __future__ import annotations

import math

import pytest

from citewhy.base.records import Query
from citewhy_lab.evaluate.sets import (
    AnsweredCitation,
    HiddenMember,
    best_fixed,
    comparisons,
    f1,
    intervals,
    with_members,
)

ONE = AnsweredCitation("1", "x", ("a",), ("b", "a"), ("b",), ("a", "c", "d"), ())
TWO = AnsweredCitation(
    "2",
    "y",
    ("a", "b"),
    ("a", "c"),
    ("a", "b", "c"),
    ("c", "a", "b"),
    (HiddenMember(1, 6, 5), HiddenMember(math.inf, 3, 2)),
    (1, 3),
)


def values() -> dict[str, float]:
    return {name: value for name, (value, _) in intervals([ONE, TWO], 7).items()}


def test_recall_and_precision_by_size() -> None:
    """The only paper of one place is second; of two, one is first and one is missed."""
    found = values()
    assert (found["R@10/=1"], found["AP@10/=1"]) == (1, 1 / 2)
    assert (found["R@10/>=2"], found["AP@10/>=2"]) == (1 / 2, 1 / 2)
    assert found["R@10/>=1"] == 3 / 4
    assert found["full-list@10"] == 0


def test_one_hidden() -> None:
    """Among the first five: one of two beside the members, one alone (the other is sixth), both if the
    members are struck out. One and three papers are proposed for one that is hidden: off by 1 on average."""
    found = values()
    assert (found["bracket-hit@5"], found["alone-hit@5"], found["struck-hit@5"]) == (1 / 2, 1 / 2, 1)
    assert found["bracket-size-error"] == 1


def test_all_hidden() -> None:
    """Nothing right of one, two right of three for two: F1 0 and 4/5; one too many on average a half."""
    found = values()
    assert found["set-F1"] == pytest.approx(2 / 5)
    assert found["set-F1/>=2"] == pytest.approx(4 / 5)
    assert (found["set-size"], found["true-size"], found["set-size-error"]) == (2, 3 / 2, 1 / 2)


def test_the_best_fixed_number() -> None:
    """BM25's first: 1 and 0; its first two: 2/3 and 1/2; its first three: 1/2 and 4/5, which is the most."""
    assert best_fixed([ONE, TWO]) == 3
    assert values()["BM25-F1 (first 3)"] == pytest.approx((1 / 2 + 4 / 5) / 2)


def test_sets_are_compared_on_the_same_places() -> None:
    """F1 .4 of the set against .65 of BM25; two places decide nothing."""
    times, found = comparisons([ONE, TWO], 7)["set-F1 − BM25-F1 (first 3)"]
    assert times == pytest.approx(0.4 / 0.65)
    assert found.value == pytest.approx(-0.25)
    assert found.p_randomisation > 0.05


def test_f1() -> None:
    """Of nothing it is 0; what is chosen twice counts once."""
    assert f1([], []) == 0
    assert f1(["a", "a", "b"], ["a"]) == pytest.approx(2 / 3)


def test_members_of_a_question() -> None:
    """They are known, and no longer excluded."""
    query = with_members(Query("local", "text", known_ids=("k",), excluded_ids=("m", "x")), ("m",))
    assert (query.kind, query.member_ids, query.known_ids, query.excluded_ids) == (
        "set",
        ("m",),
        ("k", "m"),
        ("x",),
    )

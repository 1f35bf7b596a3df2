"""Held-out papers: which they are, and the questions about them."""

from __future__ import annotations

import pytest

from citewhy.base.errors import QueryError
from citewhy.base.records import Query
from citewhy_lab.evaluate.datasets.held_out import SHARE, held_out
from citewhy_lab.evaluate.datasets.topics import Topic, hide_held_out

NAMES = [f"P{number:02d}-{place:04d}" for number in range(20) for place in range(100)]
OUT = [name for name in NAMES if held_out(name)]
IN = [name for name in NAMES if not held_out(name)]


def topic(name: str, *relevant: str) -> Topic:
    return Topic(Query("local", id=name), relevant)


def test_one_in_so_many() -> None:
    """One paper in `SHARE` is held out, whatever volume it is of; the choice never changes."""
    assert len(OUT) / len(NAMES) == pytest.approx(1 / SHARE, abs=0.03)
    assert [held_out(name) for name in ("P02-1040", "J93-2004", "P07-2045", "N03-1017")] == [
        True,
        False,
        False,
        False,
    ]


def test_questions_about_them() -> None:
    """They alone are hidden and asked for; a question about others is left out."""
    asked, hidden = hide_held_out(
        [topic("a", OUT[0], IN[0]), topic("b", IN[1]), topic("c", OUT[1]), topic("d", OUT[0])]
    )
    assert [(each.query.id, each.relevant) for each in asked] == [
        ("a", (OUT[0],)),
        ("c", (OUT[1],)),
        ("d", (OUT[0],)),
    ]
    assert hidden == {OUT[0], OUT[1]}


def test_none_of_them() -> None:
    """Where no question is about one, that is said."""
    with pytest.raises(QueryError, match="none of the cited papers is held out; hide any of them with"):
        hide_held_out([topic("a", IN[0])])

"""The finishing steps of an answer, one by one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from citewhy.base.records import Query
from citewhy.ranking.finishing import AnswerInProgress, Promote
from citewhy.ranking.rank.ranked import Ranked
from citewhy.ranking.recommender import _surest
from citewhy.search.index import Hits

RANKED = Ranked.by_score(Hits(np.arange(10, 16), -np.arange(6, dtype=np.float32)))
"""The rows 10, 11, …, 15, best first."""


def promoted(query: Query, k: int, **known: Any) -> list[int]:
    """The rows to suggest."""
    scoped: Any = SimpleNamespace(query=query)
    answer = Promote()(AnswerInProgress(scoped, RANKED, k, **known))
    return [int(RANKED.rows[position]) for position in answer.shown]


def test_proposed_papers_come_first_beside_members() -> None:
    """A citation that has papers is completed by those that belong to them, even the last of the ranking; at
    an empty citation, the order of the ranking stays."""
    beside = Query("set", "text", member_ids=("member",))
    assert promoted(beside, 4, proposed=(15, 13)) == [13, 15, 10, 11]
    assert promoted(Query("local", "text"), 4, proposed=(15, 13)) == [10, 11, 12, 13]


def test_named_papers_come_before_proposed_ones() -> None:
    """Whatever the caller puts first is first, in the order of the ranking."""
    beside = Query("set", "text", member_ids=("member",))
    found = promoted(beside, 5, proposed=(15, 13), named=frozenset({14, 12, 99}))
    assert found == [12, 14, 13, 15, 10]
    assert promoted(Query("local", "text"), 2, named=frozenset({15})) == [15, 10]


@pytest.mark.parametrize(("intent", "expected"), [(None, 0.001), ("method", 0.9)])
def test_whether_anything_fits_is_asked_of_the_most_probable_paper(intent: Any, expected: float) -> None:
    """An intent may put an improbable paper first: that nothing fits is not said for its sake. Without one,
    the first paper is asked."""
    probabilities = np.array([0.001, 0.9, 0.3])
    ranked = Ranked(np.arange(3), np.zeros(3, np.float32), np.zeros((3, 0), np.float32), probabilities)
    assert _surest(ranked, Query("local", "text", intent=intent)).probabilities[0] == expected

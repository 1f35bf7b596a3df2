"""Greedy selection with models that were written by hand."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from citewhy.ranking.sets.features import SET_FEATURES, CitationCandidates
from citewhy.ranking.sets.relations import RELATIONS
from citewhy.ranking.sets.selection import choose, most_useful

COSINE = RELATIONS.index("cosine")
TOGETHER = RELATIONS.index("papers_cosine")


class ByHand:
    """The ranker's probability, plus half of how often a paper is cited with a member or a chosen paper,
    minus the similarity to a chosen paper above .9."""

    name = "by hand"

    def __init__(self, thresholds: tuple[float, float] = (0.3, 0.3)) -> None:
        self.thresholds = thresholds

    def threshold(self, members: int) -> float:
        return self.thresholds[bool(members)]

    def probabilities(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        of = {name: table[:, place].astype(np.float64) for place, name in enumerate(SET_FEATURES)}
        fit = 1 / (1 + np.exp(-of["fit"]))
        beside = np.maximum(of["member_papers_cosine"], of["chosen_papers_cosine"])
        redundant = of["chosen_cosine"] > 0.9
        return np.where(redundant, 0.0, np.clip(fit + beside / 2, 0, 1))


def place(
    chances: list[float],
    together: Mapping[tuple[int, int], float] | None = None,
    alike: Mapping[tuple[int, int], float] | None = None,
    members: tuple[int, ...] = (),
) -> CitationCandidates:
    """Candidates 0, 1, … with the ranker's probabilities; `together` and `alike` by pairs of papers."""

    def relate(row: int) -> NDArray[np.float32]:
        table = np.zeros((len(chances), len(RELATIONS)), dtype=np.float32)
        for column, pairs in ((TOGETHER, together), (COSINE, alike)):
            for one, other in pairs or {}:
                if row in (one, other):
                    mate = other if row == one else one
                    if mate < len(chances):
                        table[mate, column] = (pairs or {})[one, other]
        return table

    context = dict.fromkeys(SET_FEATURES[-10:], 0.0)
    numbers = np.arange(len(chances))
    return CitationCandidates(numbers, np.array(chances), numbers, members, relate, context)


def test_it_stops_by_itself() -> None:
    """The best paper is chosen, and others as long as they reach the threshold."""
    choice = choose(ByHand(), place([0.5, 0.4, 0.2]))
    assert choice.positions == (0, 1)
    assert choice.gains == pytest.approx((0.5, 0.4), abs=1e-6)


def test_what_is_cited_with_a_chosen_paper_follows_it() -> None:
    """Paper 2 is improbable alone (.1), and probable beside paper 0 (.1 + .8 / 2)."""
    choice = choose(ByHand(), place([0.5, 0.2, 0.1], together={(0, 2): 0.8}))
    assert choice.positions == (0, 2)
    assert choice.probabilities == pytest.approx([0.5, 0.2, 0.1], abs=1e-6)


def test_what_is_cited_with_a_member_comes_first() -> None:
    """Member 7 is no candidate, and is cited with paper 2."""
    choice = choose(ByHand(), place([0.5, 0.2, 0.1], together={(7, 2): 0.9}, members=(7,)))
    assert choice.positions[0] == 2


def test_a_redundant_paper_is_left_out() -> None:
    """A paper that is nearly the same as a chosen one is not chosen, however probable."""
    assert choose(ByHand(), place([0.5, 0.45, 0.35], alike={(0, 1): 0.97})).positions == (0, 2)


def test_at_least_and_at_most() -> None:
    """One paper is chosen below the threshold, unless none need be, or there is none; where none need be, the
    first has to be more likely right than wrong; never more than the limit."""
    assert choose(ByHand(), place([0.1, 0.05])).positions == (0,)
    assert choose(ByHand(), place([0.1, 0.05]), at_least=0).positions == ()
    assert choose(ByHand(), place([])).positions == ()
    assert choose(ByHand(), place([0.45, 0.4]), at_least=0).positions == ()
    assert choose(ByHand(), place([0.55, 0.4]), at_least=0).positions == (0, 1)
    assert len(choose(ByHand((0.0, 0.0)), place([0.1] * 20), most=3).positions) == 3
    assert choose(ByHand((0.0, 0.0)), place([0.1] * 5)).positions == (0, 1, 2, 3, 4)


def test_the_threshold_depends_on_members() -> None:
    """A citation that has papers may ask for more certainty."""
    model = ByHand((0.2, 0.45))
    assert choose(model, place([0.5, 0.4])).positions == (0, 1)
    assert choose(model, place([0.5, 0.4], members=(7,))).positions == (0,)


@pytest.mark.parametrize(
    ("chances", "count"),
    [
        ([], 0),
        ([0.01, 0.001], 1),  # at least one
        ([0.9, 0.9, 0.1], 2),  # 2 · .9 / 2.9, 2 · 1.8 / 3.9, 2 · 1.9 / 4.9
        ([0.5, 0.5, 0.5, 0.5], 4),  # 2 · 2 / 6 is more than 2 · 1.5 / 5
        ([0.6, 0.1, 0.1, 0.1], 1),  # 2 · .6 / 1.9, 2 · .7 / 2.9
    ],
)
def test_the_number_of_papers_with_the_largest_expected_f1(chances: list[float], count: int) -> None:
    """Of papers that are right or wrong independently of each other."""
    assert most_useful(np.array(chances)) == count

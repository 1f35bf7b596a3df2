"""The ranker's model: linear first, trees for the best, probabilities that leave room for "none"."""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from small_ranker import document, small_model

from citewhy.ranking.rank.calibration import Calibration
from citewhy.ranking.rank.features import FEATURES
from citewhy.ranking.rank.linear import linear_scores
from citewhy.ranking.rank.linear_trees import FIRST, SEEN_BY_TREES, LinearTrees, tree_table
from citewhy.ranking.rank.model import Scored

IDS = np.arange(2 * FIRST, dtype=np.int32)


def by_text(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """A feature table whose column ``text`` has `values`, and which is zero elsewhere."""
    table = np.zeros((len(values), len(FEATURES)), dtype=np.float32)
    table[:, FEATURES.index("text")] = values
    return table


def check(scored: Scored, ids: NDArray[np.int32]) -> None:
    """What everybody relies on: each once, scores never rise, ties in order of ids."""
    assert sorted(scored.order.tolist()) == [*range(len(ids))]
    assert scored.scores.shape == scored.probabilities.shape == scored.order.shape
    pairs = list(zip((-scored.scores).tolist(), ids[scored.order].tolist(), strict=True))
    assert pairs == sorted(pairs)


# Calibration ------------------------------------------------------------------------------------------------


def test_calibration_by_hand() -> None:
    """A softmax over the scores and one more answer, "none of them"."""
    found = Calibration(slope=2.0, none=1.0).probabilities(np.array([1.0, 0.0, -3.0], np.float32))
    below = exp(1) + exp(2) + exp(0) + exp(-6)
    assert found == pytest.approx([exp(2) / below, exp(0) / below, exp(-6) / below])


@given(st.lists(st.floats(-20, 20, width=32), max_size=9), st.floats(0.01, 50), st.floats(-20, 20, width=32))
def test_probabilities(scores: list[float], slope: float, none: float) -> None:
    """They are in [0, 1], in the order of the scores, and together at most 1."""
    given_scores = np.array(scores, dtype=np.float32)
    found = Calibration(slope, none).probabilities(given_scores)
    assert np.isfinite(found).all()
    assert ((found >= 0) & (found <= 1)).all()
    assert found.sum() <= 1 + 1e-12
    order = np.argsort(-given_scores, kind="stable")
    assert (np.diff(found[order]) <= 0).all()


def test_several_may_be_right() -> None:
    """The odds are raised to the power, and lifted: two papers that share everything are each more probable
    than a half, and the first of unequal ones less sure."""
    three = np.log(np.array([6, 3, 1], np.float32))
    found = Calibration(1.0, -50.0, power=0.5, lift=1.0).probabilities(three)
    odds = [exp(1) * (share / (1 - share)) ** 0.5 for share in (0.6, 0.3, 0.1)]
    assert found == pytest.approx([each / (1 + each) for each in odds], rel=1e-5)
    assert Calibration(1.0, -50.0, lift=1.0).probabilities(np.zeros(2, np.float32)).min() > 0.7


def test_powers_keep_the_order_at_the_ends() -> None:
    """Shares of 0 and 1 have finite odds."""
    ends = np.array([900, 0, -900], dtype=np.float32)
    found = Calibration(1.0, -50.0, power=0.7, lift=-0.5).probabilities(ends)
    assert np.isfinite(found).all()
    assert (np.diff(found) <= 0).all()
    assert 0 <= found[-1] < 0.01 < 0.99 < found[0] <= 1


def test_room_for_none() -> None:
    """Of two equal ones each gets less than a half: the less, the more "none" weighs."""
    two = np.zeros(2, dtype=np.float32)
    likely, unlikely = Calibration(1.0, -2.0), Calibration(1.0, 2.0)
    assert likely.probabilities(two).sum() == pytest.approx(2 / (2 + exp(-2)))
    assert unlikely.probabilities(two).sum() == pytest.approx(2 / (2 + exp(2)))
    assert likely.probabilities(two[:0]).shape == (0,)


# Order ------------------------------------------------------------------------------------------------------


def test_trees_order_the_first_again() -> None:
    """A tree that likes what the linear model does not, among the first; where the trees are of one mind, the
    linear score has its share. Probabilities follow."""
    column = SEEN_BY_TREES.index("cited")
    tree = [[column, 0.5, 1, 2, 0.0], [-1, 0, 0, 0, -1.0], [-1, 0, 0, 0, 1.0]]
    model = small_model({"text": 1.0}, trees={"local": [tree], "global": []})
    table = by_text(np.array([3, 2, 1, 0.5], np.float32))
    table[[2, 3], FEATURES.index("cited")] = 1
    scored = model.order(table, IDS[[3, 2, 1, 0]], "local")
    assert scored.order.tolist() == [2, 3, 0, 1]
    assert scored.scores.tolist() == [1 - 2 / 4, 1 - 2.5 / 4, -1, -1 - 1 / 4]
    each = [exp(score) for score in scored.scores.tolist()]
    assert scored.probabilities == pytest.approx([one / (sum(each) + exp(1)) for one in each])
    check(scored, IDS[[3, 2, 1, 0]])


@pytest.mark.parametrize("count", [0, 1, FIRST, FIRST + 1, 2 * FIRST])
@pytest.mark.parametrize(("low", "high"), [(1.0, 9.0), (-9.0, -1.0), (-3.0, 3.0), (1e-7, 2e-7)])
@pytest.mark.parametrize("value", [-5.0, 0.1])
def test_the_tail(count: int, low: float, high: float, value: float) -> None:
    """Behind the first, the linear order holds, below all of them and without a probability, whatever the
    sizes of the scores."""
    chance = np.random.default_rng(7)
    values = chance.uniform(low, high, count).astype(np.float32)
    model = small_model({"text": 1.0}, trees={"local": [[[-1, 0, 0, 0, value]]], "global": []})
    ids = chance.permutation(IDS)[:count].astype(np.int32)
    scored = model.order(by_text(values), ids, "local")
    check(scored, ids)
    first, tail = scored.order[:FIRST], scored.order[FIRST:]
    assert (np.diff(values[tail]) <= 0).all() or low < 1e-6
    if len(tail):
        assert values[first].min() >= values[tail].max()
        assert scored.scores[FIRST] < scored.scores[FIRST - 1]
    assert (scored.probabilities[:FIRST] > 0).all()
    assert not scored.probabilities[FIRST:].any()


@given(st.lists(st.sampled_from([-7.3, 0.0, 0.1, 0.3, 1e-3, 12.7, 1e4]), min_size=1, max_size=20), st.data())
def test_ties(values: list[float], data: st.DataObject) -> None:
    """Whatever is equal, before the trees or because of them, stands in order of ids, also far behind."""
    repeated = np.array(values * 40, dtype=np.float32)
    noise = data.draw(st.sampled_from([0.0, 1e-6, 1e-3]))
    table = by_text(repeated + np.float32(noise) * np.arange(len(repeated), dtype=np.float32))
    ids = np.random.default_rng(len(repeated)).permutation(len(repeated)).astype(np.int32)
    check(small_model({"text": 1.0}).order(table, ids, "local"), ids)


def test_order_does_not_depend_on_places() -> None:
    """The same candidates in another order come to the same ranking."""
    chance = np.random.default_rng(7)
    table = chance.normal(size=(400, len(FEATURES))).astype(np.float32)
    model, ids = small_model(), IDS[:400]
    scored, other = model.order(table, ids, "global+known"), chance.permutation(400)
    again = model.order(table[other], ids[other], "global+known")
    assert ids[other][again.order].tolist() == ids[scored.order].tolist()
    assert np.array_equal(again.scores, scored.scores)


@pytest.mark.parametrize(
    ("name", "known"),
    [("local", 0), ("local+known", 1), ("global/no-contexts", 0), ("global+known/no-contexts", 1)],
)
def test_what_trees_see(name: str, known: int) -> None:
    """The features, how far behind the best and at which rank the linear model has it, and what is known."""
    table = by_text(np.array([4, 3, 1], np.float32))
    seen = tree_table(table, linear_scores(table, {"text": 0.5}), name)
    assert seen.shape == (3, len(SEEN_BY_TREES))
    assert np.array_equal(seen[:, : len(FEATURES)], table)
    columns = dict(zip(SEEN_BY_TREES, seen.T.tolist(), strict=True))
    assert columns["linear"] == [0, -0.5, -1.5]
    assert columns["linear_rank"] == pytest.approx([3 / 4, 3 / 5, 3 / 6])
    assert columns["has_known"] == [known] * 3


# Documents --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"columns": [*SEEN_BY_TREES[:-1]]}, "the trees were grown on other features"),
        ({"columns": [*SEEN_BY_TREES[::-1]]}, "the trees were grown on other features"),
        ({"calibration": {"local": {"slope": 1.0}}}, "missing 1 required positional argument"),
    ],
)
def test_documents_that_are_refused(change: dict[str, Any], error: str) -> None:
    """Trees for other columns would rank by nonsense."""
    with pytest.raises((ValueError, TypeError), match=error):
        LinearTrees.of(document() | change)


def test_trees_that_are_refused() -> None:
    """Nodes that are none are found before they decide anything."""
    with pytest.raises(ValueError, match="tree 0: node 0 leads to 0 and 0"):
        small_model(trees={"local": [[[0, 0.5, 0, 0, 0]]]}).forest("local")


def test_every_world_has_its_trees() -> None:
    """What one forest thinks does not count for a query from another world; what is known changes nothing."""
    one, two = [[[-1, 0, 0, 0, 1.0]]], [[[-1, 0, 0, 0, 2.0]]]
    model = small_model({"text": 1.0}, trees={"local": one, "local/old-evidence": two})
    table = by_text(np.array([1], np.float32))
    for name, score in (
        ("local", 1.0),
        ("local+known", 1.0),
        ("local/old-evidence", 2.0),
        ("local+known/old-evidence", 2.0),
    ):
        assert model.order(table, IDS[:1], name).scores.tolist() == [score]


@pytest.mark.parametrize("name", ["columns", "linear", "trees", "calibration", "threshold"])
def test_a_part_is_missing(name: str) -> None:
    """The part is named."""
    with pytest.raises(KeyError, match=name):
        LinearTrees.of({key: value for key, value in document().items() if key != name})

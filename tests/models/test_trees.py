"""Forests: scored as their trees are read, and as LightGBM scores those that it grew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from citewhy.models.trees import MOST_LEAVES, Forest
from citewhy.ranking.rank.linear_trees import SEEN_BY_TREES
from citewhy_lab.train.systems.ranker.data import Group
from citewhy_lab.train.systems.ranker.fit import fit_trees

Tree = list[list[float]]

COLUMNS = 4
NUMBERS = [-1.5, -1e-35, 0.0, 1e-35, 0.25, 1.0, 7.0]


def leaf(value: float) -> list[float]:
    return [-1, 0, 0, 0, value]


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """A tree of at most nine leaves, as lists of nodes in which children follow their parents."""
    tree = [leaf(0.0)]
    for _ in range(draw(st.integers(0, 8))):
        node = draw(st.sampled_from([place for place, each in enumerate(tree) if each[0] < 0]))
        column, threshold = draw(st.integers(0, COLUMNS - 1)), draw(st.sampled_from(NUMBERS))
        tree[node] = [column, threshold, len(tree), len(tree) + 1, 0.0]
        tree += [leaf(0.0), leaf(0.0)]
    return [leaf(draw(st.sampled_from(NUMBERS))) if each[0] < 0 else each for each in tree]


TABLES = st.lists(st.lists(st.sampled_from(NUMBERS), min_size=COLUMNS, max_size=COLUMNS), max_size=6)


def slowly(tree: Sequence[Sequence[float]], row: Sequence[float], node: int = 0) -> float:
    """The leaf that a row comes to, step by step."""
    column, threshold, left, right, value = tree[node]
    if column < 0:
        return value
    return slowly(tree, row, int(left if row[int(column)] <= np.float32(threshold) else right))


@given(st.lists(trees(), max_size=4), TABLES)
def test_as_trees_are_read(forest: list[Tree], rows: list[list[float]]) -> None:
    """The score of a row is the sum of the leaves that it comes to, a row at a threshold going left."""
    table = np.array(rows, dtype=np.float32).reshape(len(rows), COLUMNS)
    scores = Forest.of(forest).scores(table)
    assert scores.dtype == np.float32
    assert scores.tolist() == pytest.approx(
        [sum(slowly(tree, row) for tree in forest) for row in table.tolist()], rel=1e-6, abs=1e-6
    )


def test_by_hand() -> None:
    """Two trees, one a single leaf, at and around the threshold."""
    forest = Forest.of([[[1, 0.5, 1, 2, 0], leaf(-1), leaf(2)], [leaf(10)]])
    table = np.array([[9, 0.5], [9, 0.51], [-9, 0.49]], dtype=np.float32)
    assert forest.scores(table).tolist() == [9, 12, 9]


def test_as_many_leaves_as_bits() -> None:
    """A tree that goes left at 0, 1, 2 … has the leaf of each number, up to the last bit; one more is too
    many."""

    def ladder(leaves: int) -> Tree:
        """Rung i, node 2i, leads to leaf i at node 2i + 1, and to the next rung."""
        rungs: list[Tree] = [[[0, i, 2 * i + 1, 2 * i + 2, 0], leaf(10 * i)] for i in range(leaves - 1)]
        return [*chain.from_iterable(rungs), leaf(10 * (leaves - 1))]

    forest = Forest.of([ladder(MOST_LEAVES), ladder(3)])
    table = np.array([[0], [1], [2], [62], [63], [99]], dtype=np.float32)
    assert forest.scores(table).tolist() == [0 + 0, 10 + 10, 20 + 20, 620 + 20, 630 + 20, 630 + 20]
    with pytest.raises(ValueError, match="more than 64 leaves"):
        Forest.of([ladder(MOST_LEAVES + 1)])


def test_rows_in_parts() -> None:
    """More rows than are scored at once have the scores that they have alone."""
    forest = Forest.of([[[0, 0.5, 1, 2, 0], leaf(-1), leaf(2)], [[1, 0.25, 1, 2, 0], leaf(0.5), leaf(3)]])
    table = np.random.default_rng(7).random((1200, 2), dtype=np.float32)
    assert forest.scores(table).tolist() == [forest.scores(row[None])[0] for row in table]


def test_no_trees() -> None:
    """Every score is 0."""
    assert Forest.of([]).scores(np.ones((3, 2), dtype=np.float32)).tolist() == [0, 0, 0]


def test_equal_rows_have_equal_scores() -> None:
    """To the last bit, however many rows are scored together."""
    chance = np.random.default_rng(7)
    forest = Forest.of([[[0, 0.5, 1, 2, 0], *map(leaf, chance.normal(size=2).tolist())] for _ in range(99)])
    row = chance.random((1, 1), dtype=np.float32)
    scores = [score for count in range(1, 30) for score in forest.scores(row.repeat(count, axis=0)).tolist()]
    assert len(set(scores)) == 1


@pytest.mark.parametrize(
    "root",
    [
        [0, 0.5, 0, 1, 0],  # leads to itself
        [0, 0.5, 1, 3, 0],  # beyond the tree
        [0, 0.5, -1, 1, 0],
        [0, 0.5, 1, float("nan"), 0],
        [0, 0.5, 1, 1, 0],  # a leaf with two parents
        [float("nan"), 0.5, 1, 2, 0],  # compares no feature
        [0, 0.5, 1, 2],  # a number is missing
    ],
)
def test_bad_nodes(root: list[float]) -> None:
    """A node that leads nowhere, or in a circle, is refused: its scores would be nonsense."""
    with pytest.raises(ValueError, match=r"tree 1: node 0|two parents|not five numbers"):
        Forest.of([[leaf(1)], [root, leaf(1), leaf(2)]])


# Trees of LightGBM ------------------------------------------------------------------------------------------


def lists(chance: np.random.Generator, count: int) -> list[Group]:
    """Questions whose features are coarse, fine, constant, and so near each other that 32 bits just tell them
    apart; the right answers follow from some."""
    width, found = len(SEEN_BY_TREES), []
    one = np.float32(1)
    near = np.array([one, np.nextafter(one, one * 2), np.nextafter(one, one * 0)])
    for place in range(count):
        table = chance.normal(size=(40, width)).astype(np.float32)
        table[:, 0] = chance.integers(0, 3, 40)
        table[:, 1] = 0
        table[:, 2] = chance.choice(near, 40)
        table[:, 3] = np.log1p(chance.integers(0, 50, 40))
        wanted = table[:, 0] + 2 * (table[:, 2] > 1) + table[:, 3] / 2 + table[:, 5]
        right = wanted >= np.sort(wanted)[-3]
        weight = float(chance.choice([1.0, 0.3]))
        ids = np.arange(40)
        found.append(Group(table, right, ids, 0, weight, uncited=False, name="local", key=str(place)))
    return found


def test_as_lightgbm_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was grown says of every row, also of rows that it was not grown on, what LightGBM says: the same
    leaves, to six digits."""
    lightgbm = pytest.importorskip("lightgbm", reason="trees are grown where LightGBM is installed")
    chance, grown, train = np.random.default_rng(7), [], lightgbm.train

    def keep(*given: object, **named: object) -> object:
        grown.append(train(*given, **named))
        return grown[-1]

    monkeypatch.setattr(lightgbm, "train", keep)
    data = lists(chance, 25)
    forest = Forest.of(fit_trees(data, 12, seed=3))
    table = np.concatenate([each.table for each in data + lists(chance, 5)])
    theirs: NDArray[np.float64] = grown[0].predict(table)
    assert len(np.unique(theirs)) > 100
    used = {int(feature) for feature in np.unique(forest.features[forest.excluded > 0])}
    assert {0, 2, 3} <= used, "a kind of feature was not put to the test"
    assert forest.scores(table) == pytest.approx(theirs, abs=1e-4)


def test_the_same_seed_the_same_trees() -> None:
    """Two runs agree in every node; another seed grows others. Lists without a right answer teach nothing."""
    pytest.importorskip("lightgbm", reason="trees are grown where LightGBM is installed")
    data = lists(np.random.default_rng(7), 15)
    none = replace(data[0], right=np.zeros(40, dtype=np.bool_), missed=1, weight=1.0, key="none")
    first = fit_trees(data, 5, seed=1)
    assert fit_trees([*data, none], 5, seed=1) == first
    assert fit_trees(data, 5, seed=2) != first

"""Contract of all rankers (`citewhy.ranking.rank.model.RankerModel`)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from model_makers import in_threads, made, of_kind
from numpy.typing import NDArray

from citewhy.ranking.rank.features import FEATURES
from citewhy.ranking.rank.folder import SETS
from citewhy.ranking.rank.model import RankerModel, Scored
from citewhy.ranking.rank.opening import open_ranker

COUNT = 700
"""Number of candidates: more than the trees reorder."""


@pytest.fixture(scope="module", params=of_kind("ranker"))
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(request.param, tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def ranker(folder: Path) -> RankerModel:
    return open_ranker(folder)


def candidates(count: int = COUNT) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Features and ids; some candidates have the same features."""
    chance = np.random.default_rng(7)
    table = chance.normal(size=(count, len(FEATURES))).astype(np.float32)
    table[count // 2 : count // 2 + 20] = table[: min(20, count - count // 2)]
    return table, chance.permutation(count).astype(np.int32)


def same(one: Scored, other: Scored) -> bool:
    pairs = (
        (one.order, other.order),
        (one.scores, other.scores),
        (one.probabilities, other.probabilities),
    )
    return all(np.array_equal(*pair) for pair in pairs)


@pytest.mark.parametrize("name", SETS)
def test_an_order(ranker: RankerModel, name: str) -> None:
    """Each candidate occurs once, by descending score, ties by id; probabilities are in [0, 1]."""
    table, ids = candidates()
    found = ranker.order(table, ids, name)
    assert sorted(found.order.tolist()) == list(range(COUNT))
    assert np.isfinite(found.scores).all()
    keys = list(zip((-found.scores).tolist(), ids[found.order].tolist(), strict=True))
    assert keys == sorted(keys)
    assert found.probabilities.shape == (COUNT,)
    assert ((found.probabilities >= 0) & (found.probabilities <= 1)).all()
    if name.startswith("local"):  # the papers for one place compete
        assert found.probabilities.sum() <= 1 + 1e-9


@pytest.mark.parametrize("name", SETS)
def test_weights_that_give_reasons(ranker: RankerModel, name: str) -> None:
    """Weights are finite, and for existing features."""
    weights = ranker.weights[name]
    assert ranker.name.strip()
    assert weights
    assert set(weights) <= set(FEATURES)
    assert np.isfinite(list(weights.values())).all()
    assert 0 <= ranker.threshold <= 1


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_candidates(ranker: RankerModel, count: int) -> None:
    """Any small number of candidates is ordered, including 0."""
    table, ids = candidates(COUNT)
    found = ranker.order(table[:count], ids[:count], SETS[0])
    assert found.order.shape == found.scores.shape == found.probabilities.shape == (count,)


def test_places_do_not_matter(ranker: RankerModel) -> None:
    """The same candidates in other rows get the same order and bitwise the same scores, also when
    repeated."""
    table, ids = candidates()
    found = ranker.order(table, ids, SETS[0])
    assert same(found, ranker.order(table, ids, SETS[0]))
    other = np.random.default_rng(1).permutation(COUNT)
    moved = ranker.order(table[other], ids[other], SETS[0])
    assert ids[other][moved.order].tolist() == ids[found.order].tolist()
    assert np.array_equal(moved.scores, found.scores)


def test_opened_twice_and_by_many_threads(folder: Path, ranker: RankerModel) -> None:
    """Opened again, and in many threads, it gives the same order."""
    table, ids = candidates()
    alone = {name: ranker.order(table, ids, name) for name in SETS}
    again = open_ranker(folder)

    def agrees(time: int) -> bool:
        name = SETS[time % len(SETS)]
        return same(again.order(table, ids, name), alone[name])

    assert all(in_threads(agrees, range(3 * len(SETS))))

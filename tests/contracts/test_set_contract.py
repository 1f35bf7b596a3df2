"""Contract of all set models (`citewhy.ranking.sets.model.SetModel`)."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np
import pytest
from model_makers import in_threads, made, of_kind
from numpy.typing import NDArray

from citewhy.models import open_model
from citewhy.ranking.sets.features import SET_FEATURES
from citewhy.ranking.sets.model import SetModel

COUNT = 120


@pytest.fixture(scope="module", params=of_kind("set"))
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(request.param, tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def model(folder: Path) -> SetModel:
    return cast("SetModel", open_model(folder, "set"))


def candidates(count: int = COUNT) -> NDArray[np.float32]:
    """Features; the first ones twice."""
    table = np.random.default_rng(7).normal(size=(count, len(SET_FEATURES))).astype(np.float32)
    table[count // 2 : count // 2 + 10] = table[: min(10, count - count // 2)]
    return table


def test_probabilities_and_thresholds(model: SetModel) -> None:
    """All are in [0, 1]; equal candidates are equally probable."""
    found = model.probabilities(candidates())
    assert found.shape == (COUNT,)
    assert ((found >= 0) & (found <= 1)).all()
    assert np.array_equal(found[:10], found[COUNT // 2 : COUNT // 2 + 10])
    assert all(0 <= model.threshold(members) <= 1 for members in (0, 1, 2, 9))
    assert model.name.strip()


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_candidates_of_a_set(model: SetModel, count: int) -> None:
    """Any small number of candidates, including 0."""
    assert model.probabilities(candidates()[:count]).shape == (count,)


def test_a_set_model_opened_twice_and_by_many_threads(folder: Path, model: SetModel) -> None:
    """Opened again, and in many threads, it gives the same probabilities, wherever a candidate stands."""
    table = candidates()
    alone = model.probabilities(table)
    again = cast("SetModel", open_model(folder, "set"))
    order = np.random.default_rng(1).permutation(COUNT)

    def agrees(_: int) -> bool:
        return np.array_equal(again.probabilities(table[order]), alone[order])

    assert all(in_threads(agrees, range(12)))

"""Contract of all models of missing works (`citewhy.ranking.missing.model.MissingModel`)."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np
import pytest
from model_makers import in_threads, made, of_kind
from numpy.typing import NDArray

from citewhy.models import open_model
from citewhy.ranking.missing.evidence import EVIDENCE
from citewhy.ranking.missing.model import MissingModel

COUNT = 120


@pytest.fixture(scope="module", params=of_kind("missing"))
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(request.param, tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def model(folder: Path) -> MissingModel:
    return cast("MissingModel", open_model(folder, "missing"))


def evidence(count: int = COUNT) -> NDArray[np.float32]:
    """Evidence for works; the first ones twice."""
    table = np.random.default_rng(7).normal(size=(count, len(EVIDENCE))).astype(np.float32)
    table[count // 2 : count // 2 + 10] = table[: min(10, count - count // 2)]
    return table


def test_probabilities_and_the_threshold(model: MissingModel) -> None:
    """All are in [0, 1]; equal works are equally probable."""
    found = model.probabilities(evidence())
    assert found.shape == (COUNT,)
    assert ((found >= 0) & (found <= 1)).all()
    assert np.array_equal(found[:10], found[COUNT // 2 : COUNT // 2 + 10])
    assert 0 <= model.threshold <= 1
    assert model.name.strip()


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_works(model: MissingModel, count: int) -> None:
    """Any small number of works, including 0."""
    assert model.probabilities(evidence()[:count]).shape == (count,)


def test_opened_twice_and_used_by_many_threads(folder: Path, model: MissingModel) -> None:
    """Opened again, and in many threads, it gives the same probabilities, wherever a work stands."""
    table = evidence()
    alone = model.probabilities(table)
    again = cast("MissingModel", open_model(folder, "missing"))
    order = np.random.default_rng(1).permutation(COUNT)

    def agrees(_: int) -> bool:
        return np.array_equal(again.probabilities(table[order]), alone[order])

    assert all(in_threads(agrees, range(12)))

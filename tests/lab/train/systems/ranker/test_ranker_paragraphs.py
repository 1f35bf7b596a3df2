"""Probabilities for paragraphs: what they are fitted on, and that the parameters that made data are found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy", reason="calibrations are fitted where SciPy is installed")

from small_drafts import PARAGRAPH, write_drafts
from small_library import unsynced

from citewhy.models.trees import Forest
from citewhy.ranking.rank.calibration import RankCalibration
from citewhy.ranking.rank.last_step import REGIMES, LastStep
from citewhy.ranking.rank.last_step_features import LAST_STEP_FEATURES
from citewhy.ranking.rank.model import default_model
from citewhy.search.encode import default_encoder
from citewhy_lab.train.drafts import read_manifest
from citewhy_lab.train.systems.ranker.questions import (
    RankerQuestion,
    draft_paragraphs,
    fit_paragraphs,
    fit_rank_calibration,
)

DRAFT, PLAIN = LAST_STEP_FEATURES.index("has_draft"), LAST_STEP_FEATURES.index("base_rank")
STUMP = [[PLAIN, 0.5, 1, 2, 0.0], [-1, 0, 0, 0, 0.0], [-1, 0, 0, 0, 2.0]]


def test_the_probabilities_that_made_the_data_are_found() -> None:
    """From 2,000 lists. (Score and rank nearly say the same, so that the parameters are less certain.)"""
    made = RankCalibration(0.8, 0.4, 1.5)
    rng = np.random.default_rng(5)
    scores = [np.sort(rng.normal(size=50).astype(np.float32))[::-1] for _ in range(2000)]
    right = [rng.random(50) < made.probabilities(each) for each in scores]
    found = fit_rank_calibration(scores, right)
    given = scores[0]
    assert found.probabilities(given) == pytest.approx(made.probabilities(given), abs=0.03)


def test_scores_that_mislead_do_not_turn_the_order_around() -> None:
    """The worst papers are the right ones: no slope is found, and no negative one."""
    scores = [np.array([3.0, 2.0, 1.0], dtype=np.float32)] * 20
    found = fit_rank_calibration(scores, [np.array([False, False, True])] * 20)
    assert (found.slope, found.decline) == (0, 0)
    assert found.probabilities(scores[0]).tolist() == pytest.approx([1 / 3] * 3, abs=0.01)


def test_each_world_has_its_own() -> None:
    """With a draft every first paper is right, without one none is; a world without paragraphs has the
    parameters of all."""
    tables = np.zeros((2, 4, len(LAST_STEP_FEATURES)), dtype=np.float32)
    tables[:, 0, PLAIN] = 1
    tables[0, :, DRAFT] = 1
    right = np.array([True, False, False, False])
    asked = [
        RankerQuestion(tables[0], right, 0, "a", "w"),
        RankerQuestion(tables[1], right & False, 0, "b", "w"),
    ]
    step = LastStep(dict.fromkeys(REGIMES, Forest.of([STUMP])), {}, {})
    found = fit_paragraphs(asked * 5, step)
    assert list(found) == list(REGIMES)
    first = {
        world: RankCalibration(**found[world]).probabilities(step.scores(tables[0]))[0] for world in found
    }
    assert first["last/draft"] > 0.9 > 0.1 > first["last/plain"]
    assert 0.1 < first["last/contexts"] < 0.9


def test_a_paragraph_is_asked_twice(tmp_path: Path) -> None:
    """With what its draft says, and without the draft."""
    manifest = write_drafts(tmp_path / "documents", ["someone"], [PARAGRAPH])
    (draft,) = read_manifest(manifest, tmp_path / "documents")
    with unsynced():
        found = list(draft_paragraphs(draft, tmp_path / "library", default_encoder(), default_model(), 7))
    assert [each.source for each in found] == ["paragraphs", "paragraphs, alone"]
    assert [bool(each.table[:, DRAFT].any()) for each in found] == [True, False]
    assert [int(each.right.sum()) + each.missed for each in found] == [2, 2]

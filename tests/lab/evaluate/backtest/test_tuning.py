"""Fitting to the drafts of an author: what was planted is found, and else nothing changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from citewhy.base.errors import DamagedError
from citewhy.models.trees import Forest
from citewhy.ranking.rank.calibration import Calibration
from citewhy.ranking.rank.last_step import EVIDENCE, REGIMES, LastStep
from citewhy.ranking.rank.last_step_features import LAST_STEP_FEATURES
from citewhy.ranking.rank.tuning import FILE_NAME, Tuning, forget_tuning, read_tuning, write_tuning
from citewhy_lab.evaluate.backtest.tuning import HiddenCitation, fit

NAMED = list(EVIDENCE).index("named")
STUMP = [[0, 0.5, 1, 2, 0.0], [-1, 0, 0, 0, 0.0], [-1, 0, 0, 0, 1.0]]
MODEL = LastStep.of(
    LAST_STEP_FEATURES,
    {name: [STUMP] for name in REGIMES},
    {world: {"slope": 1.0, "decline": 0.0, "none": 0.0} for world in REGIMES},
    dict.fromkeys(REGIMES, Calibration(1.0, 0.0)),
)


def places(helps: bool) -> list[HiddenCitation]:
    """Where `helps`, names tell the right paper from one that scores a little more; else they mislead."""
    found = []
    for _ in range(60):
        contributions = np.zeros((3, len(EVIDENCE)), dtype=np.float32)
        contributions[0 if helps else 1, NAMED] = 1.0
        scores = np.array([1.0, 1.3, 0.0], dtype=np.float32)
        if not helps:
            scores = np.array([3.0, 1.3, 0.0], dtype=np.float32)
        found.append(HiddenCitation(scores, contributions, np.array([True, False, False]), 0))
    return found


def test_what_was_planted_is_found() -> None:
    """Names count more, and probabilities grow; both are judged on drafts that they were not fitted on."""
    found = fit(MODEL, places(helps=True), np.repeat(np.arange(3), 20), drafts=3)
    assert (found.before, found.after) == (0.5, 1.0)
    assert found.tuning.weights["named"] > 0.3
    assert found.tuning.weights["own-citation"] == 0
    assert found.tuning.calibration is not None
    assert found.tuning.facts == {"drafts": 3, "places": 60, "RR before": 0.5, "RR after": 1.0}
    tuned = MODEL.tuned(found.tuning)
    assert tuned.weights == found.tuning.weights
    assert tuned.in_drafts == found.tuning.calibration
    assert tuned.calibrations["last/plain"] == MODEL.calibrations["last/plain"]


def test_nothing_to_gain() -> None:
    """The right papers are first already: the weights stay as they are."""
    found = fit(MODEL, places(helps=False), np.repeat(np.arange(3), 20), drafts=3)
    assert (found.before, found.after) == (1.0, 1.0)
    assert found.tuning.weights == {}


def test_what_helps_one_draft_alone_is_not_used() -> None:
    """Each draft says the opposite of the others."""
    one = places(helps=True)[:1]
    contributions = one[0].contributions.copy()
    contributions[:, NAMED] = [0.0, 1.0, 0.0]
    other = [HiddenCitation(np.array([1.0, 0.9, 0.0], dtype=np.float32), contributions, one[0].right, 0)]
    found = fit(MODEL, [*one * 20, *other * 21], np.repeat([0, 1], [20, 21]), drafts=2)
    assert found.after <= found.before
    assert found.tuning.weights == {}


def test_another_ranker_is_not_tuned() -> None:
    """What was fitted to one forest says nothing of another."""
    tuning = Tuning(MODEL.fingerprint + 1, {"named": 1.0}, None, {})
    assert MODEL.tuned(tuning) is MODEL


def test_weights_count_in_drafts_alone() -> None:
    """A sentence without a draft is scored as before."""
    model = MODEL.tuned(Tuning(MODEL.fingerprint, {"named": 1.0, "paragraph": 0.0}, None, {}))
    stump = [[LAST_STEP_FEATURES.index("name_introduced"), 0.5, 1, 2, 0.0], *STUMP[1:]]
    forests = dict.fromkeys(REGIMES, Forest.of([stump]))
    model = LastStep(forests, MODEL.calibrations, MODEL.paragraphs, model.weights)
    table = np.zeros((2, len(LAST_STEP_FEATURES)), dtype=np.float32)
    table[0, LAST_STEP_FEATURES.index("name_introduced")] = 1
    assert model.scores(table).tolist() == [1, 0]
    table[:, LAST_STEP_FEATURES.index("has_draft")] = 1
    assert model.scores(table).tolist() == [2, 0]


def test_it_is_kept_as_it_was(tmp_path: Path) -> None:
    """In the library's folder; a changed byte is noticed, and it can be removed."""
    tuning = Tuning(7, {"named": 0.5}, Calibration(1.5, -0.25), {"drafts": 2})
    assert read_tuning(tmp_path) is None
    write_tuning(tmp_path, tuning)
    assert read_tuning(tmp_path) == tuning
    path = tmp_path / FILE_NAME
    path.write_bytes(path.read_bytes().replace(b"0.5", b"0.9"))
    with pytest.raises(DamagedError, match="the tuning of the library is damaged"):
        read_tuning(tmp_path)
    assert forget_tuning(tmp_path)
    assert not forget_tuning(tmp_path)

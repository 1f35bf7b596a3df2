"""`citewhy train drafts` from end to end: what is fitted again with the trees."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

for needed in ("lightgbm", "scipy"):
    pytest.importorskip(needed, reason="needs the extra lab")

from small_drafts import WORDS, authors_of, write_drafts  # noqa: E402

from citewhy.base.assets import ranker_folder  # noqa: E402
from citewhy.base.progress import silent  # noqa: E402
from citewhy.ranking.rank.calibration import Calibration  # noqa: E402
from citewhy.ranking.rank.folder import read_document, write_ranker  # noqa: E402
from citewhy.ranking.rank.last_step import OLD_CALIBRATION, OWN_CALIBRATION  # noqa: E402
from citewhy_lab.train.systems.ranker import last_step  # noqa: E402
from citewhy_lab.train.systems.ranker.last_step import train_last_step  # noqa: E402
from citewhy_lab.train.systems.ranker.settings import LastStepInputs, LastStepSettings  # noqa: E402


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_step, "ROUNDS", 5)


def test_probabilities_for_drafts_are_fitted_to_the_new_trees(tmp_path: Path) -> None:
    """On the places of the authors that the trees have not learned from."""
    manifest = write_drafts(tmp_path / "drafts", [*authors_of("encoder", 2), *authors_of("ranker", 3)])
    inputs = LastStepInputs(manifest, manifest.parent)
    train_last_step(inputs, LastStepSettings(), tmp_path / "ranker", silent)
    document, shipped = read_document(tmp_path / "ranker"), read_document(ranker_folder())
    assert document["calibration"][OWN_CALIBRATION] != shipped["calibration"][OWN_CALIBRATION]
    assert document["calibration"][OLD_CALIBRATION] == shipped["calibration"][OLD_CALIBRATION]
    assert document["making"]["last_step"]["calibrated"]["places"] == 2 * 2 * len(WORDS)


def test_without_other_authors(tmp_path: Path) -> None:
    """Probabilities that were fitted to other trees are not kept."""
    manifest = write_drafts(tmp_path / "drafts", authors_of("ranker", 2))
    base = read_document(ranker_folder())
    base["calibration"][OWN_CALIBRATION] = dataclasses.asdict(Calibration(1.0, -3.0))
    write_ranker(tmp_path / "base", "base", base)
    inputs = LastStepInputs(manifest, manifest.parent, ranker=tmp_path / "base")
    train_last_step(inputs, LastStepSettings(), tmp_path / "ranker", silent)
    document = read_document(tmp_path / "ranker")
    assert OWN_CALIBRATION not in document["calibration"]
    assert "calibrated" not in document["making"]["last_step"]

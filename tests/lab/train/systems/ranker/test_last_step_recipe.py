"""Fitting the last step: evidence never counts against a paper, and probabilities know of missing answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from citewhy.base.progress import silent
from citewhy.models.trees import Forest
from citewhy.ranking.rank.last_step import REGIMES
from citewhy.ranking.rank.last_step_features import CONTEXT, LAST_STEP_FEATURES
from citewhy_lab.train.kept import kept
from citewhy_lab.train.systems.ranker import last_step
from citewhy_lab.train.systems.ranker.last_step import fit_last_step
from citewhy_lab.train.systems.ranker.questions import RankerQuestion, packed, promise, unpacked

pytest.importorskip("lightgbm", reason="trees are grown where LightGBM is installed")

COSINE, PART = LAST_STEP_FEATURES.index("draft_cosine"), LAST_STEP_FEATURES.index("part_cosine")


def asked(place: int, *, draft: bool = True, contexts: bool = True) -> RankerQuestion:
    """The paper of the largest cosine is right; two worlds."""
    rng = np.random.default_rng(place)
    table = rng.random((30, len(LAST_STEP_FEATURES)), dtype=np.float32)
    table[:, LAST_STEP_FEATURES.index("has_draft")] = draft
    table[:, LAST_STEP_FEATURES.index("contexts_share")] = contexts
    column = COSINE if draft else PART
    right = table[:, column] == table[:, column].max()
    return RankerQuestion(table, right, 0, f"author {place % 7}", "even" if place % 2 == 0 else "odd")


@pytest.fixture(scope="module")
def fitted() -> dict[str, object]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(last_step, "ROUNDS", 60)
        return fit_last_step([asked(place) for place in range(80)], 7, silent)


def test_what_was_planted_is_learned(fitted: dict[str, object]) -> None:
    """By authors that the trees have not seen, and reported by world."""
    found = fitted["making"]["cross_fitted"]  # type: ignore[index]
    assert set(found) == {"even", "odd"}
    assert all(each["judgements"] == 40 and each["RR"] > 0.7 for each in found.values())


def test_more_evidence_is_never_worse(fitted: dict[str, object]) -> None:
    """Whatever feature is raised that is not the same for all candidates."""
    forest = Forest.of(fitted["last_step"]["trees"][REGIMES[0]])  # type: ignore[index]
    table = np.concatenate([asked(place).table for place in range(5)])
    before = forest.scores(table)
    for column, name in enumerate(LAST_STEP_FEATURES):
        if name not in CONTEXT:
            raised = table.copy()
            raised[:, column] += np.float32(0.5)
            assert (forest.scores(raised) >= before - 1e-6).all(), name


def test_a_forest_for_each_world() -> None:
    """Each learns what is planted; without draft and citing sentences, trees are smaller; where the
    steps before are added to, only what they lack is learned from."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(last_step, "ROUNDS", 40)
        questions = [asked(place) for place in range(40)]
        questions += [asked(place, draft=False) for place in range(40)]
        questions += [asked(place, draft=False, contexts=False) for place in range(40)]
        grown = fit_last_step(questions, 7, silent)["last_step"]["trees"]
    assert list(grown) == list(REGIMES)
    for world, facts in zip(REGIMES, ((True, True), (False, True), (False, False)), strict=True):
        forest = Forest.of(grown[world])
        fresh = [asked(place, draft=facts[0], contexts=facts[1]) for place in range(100, 130)]
        first = [each.right[forest.scores(each.table).argmax()] for each in fresh]
        assert np.mean(first) > 0.2, world  # one of thirty by chance
    added = {LAST_STEP_FEATURES[node[0]] for tree in grown[REGIMES[1]] for node in tree if node[0] >= 0}
    assert added <= last_step.ADDED_FEATURES
    assert max(map(len, grown[REGIMES[2]])) <= 2 * last_step.SMALL_TREES["num_leaves"] - 1


def test_what_was_asked_is_kept(tmp_path: Path) -> None:
    """Nobody is asked twice, unless what the questions are made of has changed."""
    questions, asked_for = [asked(place) for place in range(3)], []

    def ask() -> list[RankerQuestion]:
        asked_for.append(1)
        return questions

    for made_of in (["one"], ["one"], ["other"]):
        found = kept(tmp_path / "sub" / "questions.npz", made_of, ask, packed, unpacked)
        assert [each.author for each in found] == [each.author for each in questions]
        assert all((a.table == b.table).all() for a, b in zip(found, questions, strict=True))
        assert all((a.right == b.right).all() for a, b in zip(found, questions, strict=True))
    assert len(asked_for) == 2


def test_right_papers_come_first() -> None:
    """Then those that look best."""
    table = np.zeros((4, len(LAST_STEP_FEATURES)), dtype=np.float32)
    table[:, LAST_STEP_FEATURES.index("base_rank")] = [0.1, 0.9, 0.5, 0.2]
    assert promise(table, np.array([False, False, False, True])).tolist() == [3, 1, 2, 0]

"""The last step of ranking: what its score owes to which evidence."""

from __future__ import annotations

import numpy as np
import pytest
from last_step_tables import table

from citewhy.ranking.rank.calibration import Calibration
from citewhy.ranking.rank.last_step import (
    CITED_ELSEWHERE,
    EVIDENCE,
    OLD_CALIBRATION,
    OLD_EVIDENCE,
    OWN_CALIBRATION,
    REGIMES,
    LastStep,
    regime_of,
)
from citewhy.ranking.rank.last_step_features import CONTEXT, LAST_STEP_FEATURES, MONOTONE


def stump(feature: str, value: float) -> list[list[float]]:
    """A tree that gives `value` where the feature is above 1/2."""
    column = LAST_STEP_FEATURES.index(feature)
    return [[column, 0.5, 1, 2, 0.0], [-1, 0, 0, 0, 0.0], [-1, 0, 0, 0, value]]


TREES = [stump("draft_cosine", 3.0), stump("name_introduced", 1.0), stump("base_rank", 2.0)]
MODEL_PARAGRAPHS = {world: {"slope": 1.0, "decline": 2.0, "none": 0.0} for world in REGIMES}
MODEL = LastStep.of(
    LAST_STEP_FEATURES,
    dict.fromkeys(REGIMES, TREES),
    MODEL_PARAGRAPHS,
    dict.fromkeys(REGIMES, Calibration(1.0, 0.0)),
)


def test_shares_tell_what_a_score_rests_on() -> None:
    """What is lost without a kind of evidence, as a share of all such losses."""
    seen = table(draft_cosine=[1, 0, 0], name_introduced=[1, 1, 0], base_rank=[0, 1, 0])
    shares = MODEL.shares(seen)
    assert MODEL.scores(seen).tolist() == [4, 3, 0]
    assert shares["own-citation"].tolist() == pytest.approx([3 / 4, 0, 0])
    assert shares["named"].tolist() == pytest.approx([1 / 4, 1 / 3, 0])
    assert shares["paragraph"].tolist() == [0, 0, 0]
    assert shares["rest"].tolist() == pytest.approx([0, 2 / 3, 0])


def test_papers_of_a_paragraph_do_not_compete() -> None:
    """For a sentence the probabilities of all papers share 1 with "none of them"; for a paragraph each is by
    itself, and falls with its rank: by 1 / (1 + rank²) for equal scores of 0."""
    seen = table(cosine=[0.9, 0, 0])
    scores = np.array([np.log(4), 0, 0], dtype=np.float32)
    assert MODEL.probabilities(seen, scores).tolist() == pytest.approx([4 / 7, 1 / 7, 1 / 7])
    found = MODEL.probabilities(seen, scores, "paragraph").tolist()
    assert found == pytest.approx([4 / 5, 1 / 5, 1 / 5])  # ranks 1, 2, 2


def test_a_paper_that_the_draft_cites_elsewhere_is_never_sure() -> None:
    """Where it is the best, none is more probable than that; where another one is the best, that one is."""
    scores = np.array([3, 0], dtype=np.float32)
    elsewhere = table(cosine=[0.9, 0], has_draft=[1, 1], draft_times=[0.7, 0])
    other = table(cosine=[0.9, 0], has_draft=[1, 1], draft_times=[0, 0.7])
    alone = Calibration(1.0, 0.0).probabilities(scores)
    assert alone[0] > CITED_ELSEWHERE
    assert MODEL.probabilities(elsewhere, scores).tolist() == pytest.approx([CITED_ELSEWHERE, alone[1]])
    assert MODEL.probabilities(other, scores).tolist() == pytest.approx(alone)
    assert MODEL.competing(elsewhere, scores).tolist() == pytest.approx(alone)


def test_trees_of_other_features_are_refused() -> None:
    """Their columns would be read as others."""
    with pytest.raises(ValueError, match="other features"):
        LastStep.of(LAST_STEP_FEATURES[1:], {}, {}, {})


def test_every_feature_is_of_one_kind() -> None:
    """No name twice, none that does not exist; what is the same for all candidates has no direction."""
    named = [name for names in EVIDENCE.values() for name in names]
    assert len(set(named)) == len(named)
    assert set(named) < set(LAST_STEP_FEATURES)
    assert len(set(LAST_STEP_FEATURES)) == len(LAST_STEP_FEATURES)
    assert {name for name, way in zip(LAST_STEP_FEATURES, MONOTONE, strict=True) if not way} == set(CONTEXT)


def test_worlds_are_told_by_the_table() -> None:
    """With a draft whatever the library; else by its citing sentences."""
    assert regime_of(table(has_draft=[1, 1], contexts_share=[1, 1])) == "last/draft"
    assert regime_of(table(contexts_share=[1, 1])) == "last/contexts"
    assert regime_of(table(base_rank=[1.0])) == "last/plain"


def test_each_world_has_trees_of_its_own() -> None:
    """None is without: a world whose trees are missing is refused."""
    values = dict(zip(REGIMES, (3.0, 2.0, 1.0), strict=True))
    trees = {world: [stump("name_before", value)] for world, value in values.items()}
    calibrations = dict.fromkeys(REGIMES, Calibration(1.0, 0.0))
    model = LastStep.of(LAST_STEP_FEATURES, trees, MODEL_PARAGRAPHS, calibrations)
    facts: tuple[dict[str, list[float]], ...] = ({"has_draft": [1.0]}, {"contexts_share": [1.0]}, {})
    assert [model.scores(table(name_before=[1.0], **each)).tolist() for each in facts] == [[3], [2], [1]]
    with pytest.raises(KeyError):
        LastStep.of(LAST_STEP_FEATURES, {REGIMES[0]: TREES}, MODEL_PARAGRAPHS, calibrations)


def test_where_it_adds_to_the_steps_before() -> None:
    """For a sentence alone in a library with citing sentences; elsewhere their scores are a feature."""
    asked = table(base_gap=[0, -2], name_introduced=[0, 1])
    assert MODEL.scores(asked).tolist() == [0, 1]
    asked[:, LAST_STEP_FEATURES.index("contexts_share")] = 1
    assert MODEL.scores(asked).tolist() == [0, -1]


def test_old_citing_sentences_share_the_order() -> None:
    """Half of a score is by the trees for libraries without any; what evidence contributes as well."""
    trees = {
        world: [stump("name_introduced", value)] for world, value in zip(REGIMES, (0, 1, 3), strict=True)
    }
    model = LastStep.of(
        LAST_STEP_FEATURES, trees, MODEL_PARAGRAPHS, dict.fromkeys(REGIMES, Calibration(1, 0))
    )
    asked = table(base_gap=[0, -2], name_introduced=[0, 1], contexts_share=[0.5, 0.5])
    assert model.scores(asked).tolist() == [0, 1]  # (−2 + 1) / 2 + 3 / 2
    assert model.contributions(asked)["named"].tolist() == [0, 2]


def test_old_citing_sentences_have_probabilities_of_their_own() -> None:
    """They count the more, the older the sentences are; a ranker without them has one calibration."""
    trees = {world: [stump("name_introduced", 0.0)] for world in REGIMES}
    recent, old = Calibration(1, 0), Calibration(1, 0, lift=-2.0)
    both = dict.fromkeys(REGIMES, recent) | {OLD_CALIBRATION: old}
    model = LastStep.of(LAST_STEP_FEATURES, trees, MODEL_PARAGRAPHS, both)
    scores = np.array([1, 0], dtype=np.float32)
    first = {
        share: float(
            model.probabilities(
                table(cosine=[0.9, 0], contexts_share=[share] * 2, query_words=[3.0] * 2), scores
            )[0]
        )
        for share in (1, 0.75, 0.5)
    }
    ends = [float(one.probabilities(scores)[0]) for one in (recent, old)]
    assert list(first.values()) == pytest.approx([ends[0], sum(ends) / 2, ends[1]], rel=1e-6)
    alone = LastStep.of(LAST_STEP_FEATURES, trees, MODEL_PARAGRAPHS, dict.fromkeys(REGIMES, recent))
    asked = table(cosine=[0.9, 0], contexts_share=[0.5, 0.5])
    assert model.probabilities(asked, scores)[0] == pytest.approx(ends[0], rel=1e-6)  # a name, no sentence
    assert alone.probabilities(asked, scores)[0] == pytest.approx(ends[0], rel=1e-6)


def test_old_citing_sentences_make_nobody_sure() -> None:
    """The older they are, the lower is the largest probability; where the best paper is named, or the
    question is a name of few words, it is as high as ever."""
    trees = {world: [stump("name_introduced", 0.0)] for world in REGIMES}
    model = LastStep.of(
        LAST_STEP_FEATURES, trees, MODEL_PARAGRAPHS, dict.fromkeys(REGIMES, Calibration(1, 0))
    )
    scores = np.array([9, 0], dtype=np.float32)

    def first(share: float, words: float, named: float = 0) -> float:
        features = {"contexts_share": [share] * 2, "query_words": [words] * 2, "name_introduced": [named, 0]}
        return float(model.probabilities(table(cosine=[0.9, 0], **features), scores)[0])

    sure = float(Calibration(1, 0).probabilities(scores)[0])
    halfway = (1 + OLD_EVIDENCE) / 2
    assert sure > 0.99
    assert [first(share, 3.0) for share in (1, 0.75, 0.5)] == pytest.approx([sure, halfway, OLD_EVIDENCE])
    assert first(0.5, 1.0) == pytest.approx(sure)
    assert first(0.5, 3.0, named=1) == pytest.approx(sure)


def test_drafts_have_probabilities_of_their_own() -> None:
    """Other models see those that they were made with."""
    own = Calibration(1, -30, power=0.5, lift=1.0)
    both = dict.fromkeys(REGIMES, Calibration(1, 0)) | {OWN_CALIBRATION: own}
    trees = {world: [stump("name_introduced", 0.0)] for world in REGIMES}
    model = LastStep.of(LAST_STEP_FEATURES, trees, MODEL_PARAGRAPHS, both)
    asked, scores = table(has_draft=[1, 1], name_introduced=[1, 0]), np.array([1, 0], dtype=np.float32)
    assert model.probabilities(asked, scores).tolist() == own.probabilities(scores).tolist()
    assert model.competing(asked, scores).tolist() == Calibration(1, 0).probabilities(scores).tolist()


def test_shares_beside_the_previous_steps() -> None:
    """What a score owes to the previous steps is found in the same world."""
    asked = table(base_gap=[0, -2], contexts_share=[1, 1])
    shares = MODEL.shares(asked)
    assert shares["rest"].tolist() == [1, 0]
    assert shares["named"].tolist() == [0, 0]


def test_shares_do_not_depend_on_the_other_papers() -> None:
    """Evidence is taken away down to its absence, whatever the others have."""
    seen = table(draft_cosine=[1, 1, 0], name_introduced=[1, 0, 0])
    alone = MODEL.shares(seen[:1])
    assert {kind: values[0] for kind, values in MODEL.shares(seen).items()} == {
        kind: values[0] for kind, values in alone.items()
    }

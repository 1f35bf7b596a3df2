"""The classifier by trees over a linear one, by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import orjson
import pytest

from citewhy.base.errors import DamagedError
from citewhy.base.records import SentenceInContext, Surroundings
from citewhy.models import write_model
from citewhy.ranking.classify import open_classifier
from citewhy.ranking.classify.features import Features
from citewhy.ranking.classify.scored import DOCUMENT
from citewhy.ranking.classify.trees import TreesClassifier
from citewhy.text.surroundings import Stated, surroundings

LINEAR: dict[str, Any] = {
    "labels": ["cites", "plain"],
    "features": Features(words={"text": 1}, weighting="binary").document(),
    "vocabulary": ["text:studies"],
    "buckets": 0,
    "idf": None,
    "scaling": {"slope": 1.0, "shift": [0.0, 0.0]},
    "encoder": None,
    "weights": [[1.0, -1.0]],
    "bias": [0.0, 0.5],
}
"""The word "studies": 1 − (−1) − 0.5 = 1.5 more for ``cites``; without it, 0.5 less."""

TREE = [[0, 0.0, 1, 2, 0], [-1, 0, 1, 1, -3.0], [1, 1.0, 3, 4, 0], [-1, 0, 3, 3, 0.25], [-1, 0, 4, 4, 2.0]]
"""Without the word: −3. With it 0.25, or 2 where a citation is more than a sentence away."""


def document(**changes: Any) -> dict[str, Any]:
    beside = Features(words={}, surroundings=True, weighting="binary")
    scaling = {"slope": 2.0, "shift": [0.0, 1.0]}
    own = {"features": beside.document(), "vocabulary": ["around:until"], "scaling": scaling}
    return {**LINEAR, **own, "linear": LINEAR, "trees": [TREE]} | changes


def far(until: bool) -> Surroundings:
    """Of a sentence after which the next one cites, or one far away."""
    rows = [
        Stated("One.", False, 1, True),
        Stated("Two.", not until, 1, True),
        Stated("Three.", True, 1, True),
    ]
    return surroundings(rows, [0], least=1)[0]


ASKED = [
    SentenceInContext("Words", surroundings=far(True)),
    SentenceInContext("Studies", surroundings=far(False)),
    SentenceInContext("Studies", surroundings=far(True)),
    SentenceInContext("Studies"),
]


def test_scores_by_hand() -> None:
    """What the trees say; where nothing is known of the document, its features are 0."""
    classifier = TreesClassifier.of(document(), "needs")
    assert classifier.scores(ASKED).tolist() == [[-3, 0], [0.25, 0], [2, 0], [0.25, 0]]
    assert classifier.predict(ASKED) == ["plain", "cites", "cites", "cites"]
    chance = math.exp(2 * 2) / (math.exp(2 * 2) + math.exp(1))
    assert classifier.probabilities(ASKED)[2].tolist() == pytest.approx([chance, 1 - chance])


def test_a_sentence_is_scored_regardless_of_the_others() -> None:
    classifier = TreesClassifier.of(document(), "needs")
    alone = [classifier.scores([each])[0].tolist() for each in ASKED]
    assert classifier.scores(ASKED).tolist() == alone
    assert classifier.scores([]).shape == (0, 2)


def test_its_document_makes_it_again() -> None:
    classifier = TreesClassifier.of(document(), "needs")
    again = TreesClassifier.of(orjson.loads(orjson.dumps(classifier.document())), "needs")
    assert again.scores(ASKED).tolist() == classifier.scores(ASKED).tolist()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"trees": [[[2, 0.0, 1, 2, 0], *TREE[1:2], [-1, 0, 2, 2, 1.0]]]}, "among the 2"),
        ({"labels": ["plain", "cites"]}, "those of the linear classifier"),
        ({"vocabulary": None, "buckets": 4}, "features by name"),
    ],
)
def test_a_folder_with_other_parts(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    (tmp_path / DOCUMENT).write_bytes(orjson.dumps(document(**changes)))
    write_model(tmp_path, "classifier", "trees", "needs", {})
    with pytest.raises(DamagedError, match=said):
        open_classifier(tmp_path)

"""The linear classifier, by hand; and which encoder it may be opened with."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from hash_encoder import HashEncoder

from citewhy.base.errors import ModelError
from citewhy.base.records import SentenceInContext
from citewhy.models import write_model
from citewhy.ranking.classify import open_classifier
from citewhy.ranking.classify.features import Features
from citewhy.ranking.classify.linear import LinearClassifier
from citewhy.ranking.classify.scaling import Scaling
from citewhy.ranking.classify.scored import DOCUMENT


def document(**changes: Any) -> dict[str, Any]:
    """Word "cat": +2 for the first label; the position: +1 for the second."""
    found: dict[str, Any] = {
        "labels": ["first", "second"],
        "features": Features(words={"text": 1}, position=True, weighting="binary").document(),
        "vocabulary": ["text:cat", "position"],
        "buckets": 0,
        "idf": None,
        "scaling": {"slope": 1.0, "shift": [0.0, 0.0]},
        "encoder": None,
        "weights": [[2.0, 0.0], [0.0, 1.0]],
        "bias": [0.0, 0.5],
    }
    return found | changes


CAT = SentenceInContext("The cat", position=0.5)


def test_scores_by_hand() -> None:
    """2 for the cat; 0.5 and the position for the second label; the bias alone for nothing."""
    classifier = LinearClassifier.of(document(), "cats")
    assert classifier.scores([CAT, SentenceInContext("")]).tolist() == [[2.0, 1.0], [0.0, 0.5]]
    assert classifier.predict([CAT, SentenceInContext("")]) == ["first", "second"]
    wanted = math.e / (math.e + 1)
    assert classifier.probabilities([CAT])[0] == pytest.approx([wanted, 1 - wanted])


def test_probabilities_are_scaled() -> None:
    """Slope 2 and shifts of ∓ ln 3: e⁴ / 3 (18.2) against 3 e² (22.2). The answer is the higher score all the
    same: scaling is about probabilities."""
    scaling = {"slope": 2.0, "shift": [-math.log(3), math.log(3)]}
    classifier = LinearClassifier.of(document(scaling=scaling), "cats")
    first, second = math.exp(4) / 3, 3 * math.exp(2)
    assert classifier.probabilities([CAT])[0] == pytest.approx(np.array([first, second]) / (first + second))
    assert first < second
    assert classifier.predict([CAT]) == ["first"]


def test_large_scores() -> None:
    """Beyond what exp can hold."""
    found = Scaling(1000.0, [0.0, 0.0])(np.array([[1000.0, 0.0]]))
    assert found.tolist() == [[1.0, 0.0]]


def test_written_and_read() -> None:
    """What comes back gives the same answers."""
    classifier = LinearClassifier.of(document(), "cats")
    again = LinearClassifier.of(orjson.loads(orjson.dumps(classifier.document())), "cats")
    assert np.array_equal(again.probabilities([CAT]), classifier.probabilities([CAT]))


def test_with_an_encoder(tmp_path: Path) -> None:
    """The weights behind the names are those of the vector; another encoder than the one of the training,
    such as the package's own, is refused with both fingerprints."""
    encoder = HashEncoder()
    weights = np.random.default_rng(7).normal(size=(encoder.dimensions, 2)).round(3).tolist()
    found = document(
        features=Features(words={}, encoder=("text",), weighting="binary").document(),
        vocabulary=[],
        encoder=encoder.fingerprint,
        weights=weights,
    )
    (tmp_path / DOCUMENT).write_bytes(orjson.dumps(found))
    write_model(tmp_path, "classifier", "linear", "cats", {})
    classifier = open_classifier(tmp_path, encoder)
    assert isinstance(classifier, LinearClassifier)
    wanted = encoder.encode(["The cat"], "query").astype(float) @ np.array(weights) + [0, 0.5]
    assert classifier.scores([CAT])[0] == pytest.approx(wanted[0], abs=1e-6)
    with pytest.raises(ModelError, match=f"trained with the encoder {encoder.fingerprint}, not with"):
        open_classifier(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"labels": ["first", "first"]},
        {"labels": ["one"]},
        {"labels": "ab"},
        {"vocabulary": ["text:cat", "text:cat"]},
        {"vocabulary": None, "buckets": 0},
        {"weights": [[1.0, 2.0]]},
        {"weights": [[1.0, 2.0], [1.0, float("nan")]]},
        {"bias": [1e300, 0.0]},
        {"scaling": {"slope": -1.0, "shift": [0.0, 0.0]}},
        {"scaling": {"slope": 1.0, "shift": [0.0]}},
    ],
)
def test_documents_that_are_refused(change: dict[str, Any]) -> None:
    """Labels, names, weights and scaling that do not fit together."""
    with pytest.raises((ValueError, TypeError)):
        LinearClassifier.of(document(**change), "cats")

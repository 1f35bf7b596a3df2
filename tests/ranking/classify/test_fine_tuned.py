"""Classifiers with a fine-tuned encoder of their own."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import orjson
import pytest

from citewhy.base.artifact import MANIFEST
from citewhy.base.assets import intent_folder
from citewhy.base.errors import CiteWhyError, QueryError
from citewhy.base.records import SentenceInContext
from citewhy.models import write_model
from citewhy.ranking.classify import open_classifier
from citewhy.ranking.classify.features import Features
from citewhy.ranking.classify.fine_tuned import READER, FineTunedClassifier
from citewhy.ranking.classify.linear import LinearClassifier
from citewhy.ranking.classify.scaling import Scaling
from citewhy.ranking.classify.vectorizer import Vectorizer
from citewhy.ranking.intents.labels import INTENTS
from citewhy_lab.evaluate.datasets.intents import FUNCTIONS


def test_heads() -> None:
    """The first head has the intents, the other one the functions; another name is refused."""
    opened = open_classifier(intent_folder())
    assert isinstance(opened, FineTunedClassifier)
    assert set(opened.labels) == set(INTENTS)
    assert opened.head("function").labels == FUNCTIONS
    with pytest.raises(QueryError, match="its heads: intent, function"):
        opened.head("praise")


def test_plain_cases() -> None:
    """Sentences that say what they do are labelled so, with citations masked or as printed."""
    opened = open_classifier(intent_folder())
    sentences = [
        "We use the Moses toolkit TARGETCIT to train our systems.",
        "We used the Stanford parser (Klein and Manning, 2003) to parse the sentences.",
        "Our results are consistent with those of TARGETCIT.",
    ]
    answers = opened.predict([SentenceInContext(each) for each in sentences])
    assert answers == ["method", "method", "result"]


def test_labels_and_probabilities_take_one_reading() -> None:
    """Probabilities of the sentences that were labelled last need no network; others do, and what a caller
    does to the scores changes none."""
    opened = open_classifier(intent_folder())
    assert isinstance(opened, FineTunedClassifier)
    sentences = [SentenceInContext("We use Moses."), SentenceInContext("It is slow.")]
    wanted = open_classifier(intent_folder()).probabilities(sentences)
    opened.predict(sentences)
    opened.scores(sentences)[:] = 0
    network, opened._network = opened._network, None  # type: ignore[assignment]
    assert np.array_equal(opened.probabilities(sentences), wanted)
    opened._network = network
    assert np.array_equal(opened.probabilities(sentences[:1]), wanted[:1])


def test_words_are_added(tmp_path: Path) -> None:
    """With a linear classifier of one word beside it, which has a score of 8 for background, scores of
    sentences with the word rise by its weight times 8; labels in another order are refused."""
    shutil.copytree(intent_folder(), tmp_path / "model")
    document = orjson.loads((tmp_path / "model" / "classifier.json").read_bytes())
    labels = document["heads"]["intent"]["labels"]
    vectorizer = Vectorizer(Features(words={"text": 1}, weighting="binary"), ["text:moses"], 1, None, None)
    weights = np.array([[8.0 * (name == "background") for name in labels]], dtype=np.float32)
    scaling = Scaling(1.0, [0.0] * len(labels))
    parts = {"name": "w", "fingerprint": "", "vectorizer": vectorizer, "scaling": scaling}

    def written(order: list[str]) -> Path:
        linear = LinearClassifier(weights, np.zeros(3, dtype=np.float32), labels=order, **parts)
        document["heads"]["intent"]["words"] = {"weight": 0.5, "model": linear.document()}
        (tmp_path / "model" / "classifier.json").write_bytes(orjson.dumps(document))
        manifest = orjson.loads((tmp_path / "model" / MANIFEST).read_bytes())
        (tmp_path / "model" / MANIFEST).unlink()
        write_model(tmp_path / "model", "classifier", READER, manifest["name"], manifest["facts"])
        return tmp_path / "model"

    sentences = [SentenceInContext("We use Moses."), SentenceInContext("We use it.")]
    opened = open_classifier(written(labels))
    assert isinstance(opened, FineTunedClassifier)
    assert opened._words is not None
    added = opened._words[0] * opened._words[1].scores(sentences)
    assert added.tolist() == [[4.0 * (name == "background") for name in labels], [0.0] * 3]
    opened_words, opened._words = opened._words, None
    plain = opened.scores(sentences)
    opened._words = opened_words
    assert np.allclose(opened.scores(sentences) - plain, added)
    with pytest.raises(CiteWhyError):
        open_classifier(written(labels[::-1]))

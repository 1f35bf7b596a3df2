"""Contract of all classifiers (`citewhy.ranking.classify.Classifier`)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from model_makers import in_threads, made, of_kind

from citewhy.base.records import SentenceInContext
from citewhy.ranking.classify import Classifier, open_classifier

SENTENCES = [
    SentenceInContext("We show that zebras are counted by day, as in TARGETCIT and OTHERCIT.", position=0.5),
    SentenceInContext("we", section="5 Results", position=1.0, citing="They show zebras (Smith, 2001)."),
    SentenceInContext(
        "The results of (Lee, 2004) are better.", "We follow.", "It is fast.", "1 Introduction"
    ),
    SentenceInContext("", position=0.0),
    SentenceInContext("∑ 机器 \n\t"),
]


@pytest.fixture(scope="module", params=of_kind("classifier"))
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(request.param, tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def classifier(folder: Path) -> Classifier:
    return open_classifier(folder)


def test_what_it_is(classifier: Classifier, folder: Path) -> None:
    """There are two or more distinct labels, a name, and a fingerprint that is the same for the same
    folder."""
    assert len(classifier.labels) >= 2
    assert len(set(classifier.labels)) == len(classifier.labels)
    assert classifier.name
    assert int(classifier.fingerprint, 16) >= 0
    assert open_classifier(folder).fingerprint == classifier.fingerprint


def test_probabilities(classifier: Classifier) -> None:
    """[sentences, labels], 32 bits, between 0 and 1, with rows that sum to 1, for any sentence; the answers
    are not all the same."""
    found = classifier.probabilities(SENTENCES)
    assert found.shape == (len(SENTENCES), len(classifier.labels))
    assert found.dtype == np.float32
    assert (found >= 0).all()
    assert found.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert len(np.unique(found, axis=0)) > 1


def test_answers(classifier: Classifier) -> None:
    """Each sentence gets one of the labels."""
    answers = classifier.predict(SENTENCES)
    assert len(answers) == len(SENTENCES)
    assert set(answers) <= set(classifier.labels)


def test_a_row_is_that_of_its_sentence(classifier: Classifier) -> None:
    """A row is bitwise the same alone, among other sentences, in another order, again, and among
    thousands."""
    found, answers = classifier.probabilities(SENTENCES), classifier.predict(SENTENCES)
    alone = [classifier.probabilities([each]) for each in SENTENCES]
    assert np.array_equal(np.concatenate(alone), found)
    assert np.array_equal(classifier.probabilities(SENTENCES[::-1]), found[::-1])
    assert [classifier.predict([each])[0] for each in SENTENCES] == answers
    many = classifier.probabilities(SENTENCES * 500)
    assert np.array_equal(many, np.tile(found, (500, 1)))


def test_nothing_to_classify(classifier: Classifier) -> None:
    """Without sentences, the table is empty, with a column for each label."""
    assert classifier.probabilities([]).shape == (0, len(classifier.labels))
    assert classifier.predict([]) == []


def test_opened_twice_and_by_many_threads(classifier: Classifier, folder: Path) -> None:
    """Opened again, and in many threads, it gives the same answers."""
    found, again = classifier.probabilities(SENTENCES), open_classifier(folder)
    tables = in_threads(lambda _: again.probabilities(SENTENCES), range(16))
    assert all(np.array_equal(each, found) for each in tables)

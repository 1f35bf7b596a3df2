"""The recipe of classifiers from end to end: labelled sentences, a folder, answers."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs the extra lab")

from hash_encoder import HashEncoder
from labelled_sentences import examples

from citewhy.base.artifact import read_manifest
from citewhy.base.errors import InputError, QueryError
from citewhy.base.records import SentenceInContext
from citewhy.models import open_model
from citewhy.ranking.classify import open_classifier
from citewhy.ranking.classify.features import Features
from citewhy.search.encode.encoder import Encoder
from citewhy_lab.train.classifier.data import Data, Example, folds, importance
from citewhy_lab.train.classifier.linear import fit_linear
from citewhy_lab.train.classifier.recipe import write_classifier
from citewhy_lab.train.classifier.settings import RECIPE, ClassifierInputs, ClassifierSettings
from citewhy_lab.train.recipe import run

SETTINGS = ClassifierSettings(features=Features(words={"text": 1}), penalties=(1e-4, 1e-2), folds=3)

ASKED = [
    SentenceInContext("They propose a grammar."),
    SentenceInContext("We adopt trees"),
    SentenceInContext("It has a corpus"),
]


def silent(_what: str, _share: float | None) -> None:
    pass


def test_trained_opened_and_asked(tmp_path: Path) -> None:
    """What the word tells is learned; the folder is opened as any model and answers, with probabilities; its
    manifest says what was learned from what, and how well."""
    out = tmp_path / "model"
    report = write_classifier(
        examples(), SETTINGS, out, "verbs", silent, labels=("theirs", "ours", "other")
    ).facts
    classifier = open_model(out, "classifier")
    assert classifier.labels == ("theirs", "ours", "other")
    assert classifier.predict(ASKED) == ["ours", "theirs", "other"]
    assert classifier.probabilities(ASKED).max(axis=1).min() > 0.8
    facts = read_manifest(out)["facts"]
    assert facts["labels"] == {"theirs": 30, "ours": 45, "other": 15}
    assert (facts["examples"], facts["groups"], facts["cross_validated"]["folds"]) == (90, 9, 3)
    assert facts["cross_validated"]["macro-F1"] == report["cross_validated"]["macro-F1"] > 0.95
    assert set(facts["macro-F1 by penalty"]) == {"0.0001", "0.01"}
    assert facts["settings"]["features"]["words"] == {"text": 1}


def test_trees_learn_what_a_sum_cannot(tmp_path: Path) -> None:
    """What stands in the middle is "yes": a linear classifier finds no weight for the position, trees over it
    are right. The folder gives the answers of the model that was trained."""
    pytest.importorskip("lightgbm")

    def in_the_middle(each: Example) -> Example:
        middle = 0.3 <= (each.sentence.position or 0) < 0.7
        return dataclasses.replace(each, labels=("yes" if middle else "no",))

    told = [in_the_middle(each) for each in examples(600, 12)]
    beside = Features(words={}, position=True, weighting="binary")
    settings = dataclasses.replace(
        SETTINGS, model="trees", beside=beside, trees=60, least_in_leaf=5, tree_rate=0.2, leaves=4
    )
    linear = write_classifier(told, SETTINGS, tmp_path / "linear", "places", silent).facts
    report = write_classifier(told, settings, tmp_path / "trees", "places", silent).facts
    assert linear["cross_validated"]["accuracy"] < 0.75
    assert report["cross_validated"]["accuracy"] > 0.9
    classifier = open_model(tmp_path / "trees", "classifier")
    asked = [SentenceInContext("We follow trees", position=place) for place in (0.1, 0.5, 0.9)]
    assert classifier.predict(asked) == ["no", "yes", "no"]


def test_trees_are_for_two_labels(tmp_path: Path) -> None:
    settings = dataclasses.replace(SETTINGS, model="trees")
    with pytest.raises(QueryError, match="two labels"):
        write_classifier(examples(), settings, tmp_path / "model", "verbs", silent)


def test_a_network(tmp_path: Path) -> None:
    """It learns the same, is run by onnxruntime, and gives the scores of the network that was trained; in
    use, neither torch nor scikit-learn is loaded."""
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    pytest.importorskip("safetensors")
    import torch

    from citewhy.ranking.classify.onnx import OnnxClassifier
    from citewhy_lab.train.classifier.network import fit_network

    settings = dataclasses.replace(SETTINGS, model="network", hidden=16, batch=8, learning_rate=0.01)
    out = tmp_path / "model"
    told = examples(360, 18)
    report = write_classifier(told, settings, out, "verbs", silent).facts
    assert report["cross_validated"]["macro-F1"] > 0.9
    classifier = open_classifier(out)
    assert classifier.predict(ASKED) == ["ours", "theirs", "other"]
    data = Data.of(told, settings.features)
    held = folds(data, 3, settings.seed) == 0
    parts = (data.take(np.flatnonzero(~held)), data.take(np.flatnonzero(held)))
    head, vectorizer = fit_network(*parts, settings, silent)
    asked = [each.sentence for each in data.examples[:7]]
    rows = data.take(np.arange(7)).matrix(vectorizer).toarray().astype(np.float32)
    assert isinstance(classifier, OnnxClassifier)
    with torch.no_grad():
        assert classifier.scores(asked) == pytest.approx(head(torch.from_numpy(rows)).numpy(), abs=1e-5)
    code = (
        "import sys; from citewhy.ranking.classify import open_classifier\n"
        "from citewhy.base.records import SentenceInContext\n"
        f"print(open_classifier({str(out)!r}).predict([SentenceInContext('We present it.')]))\n"
        "print({'torch', 'sklearn', 'scipy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split("\n")[:2] == ["['ours']", "set()"]


def test_with_the_vectors_of_an_encoder(tmp_path: Path) -> None:
    """A label that no word of the vocabulary tells is told by the vector."""
    encoder: Encoder = HashEncoder()
    features = Features(words={}, encoder=("text",))
    told = [
        Example(SentenceInContext(text), (label,), str(number))
        for number in range(12)
        for text, label in (("a zebra", "zoo"), ("a parser", "tools"))
    ]
    settings = dataclasses.replace(SETTINGS, features=features, penalties=(1e-4,))
    write_classifier(told, settings, tmp_path / "model", "zoo", silent, encoder=encoder)
    classifier = open_classifier(tmp_path / "model", encoder)
    assert classifier.predict([told[0].sentence, told[1].sentence]) == ["zoo", "tools"]


def test_groups_stay_together() -> None:
    """Every group is in one part, and every part has every label."""
    data = Data.of(examples(), SETTINGS.features)
    parts = folds(data, 3, 7)
    by_group: dict[str, set[int]] = {}
    for each, part in zip(data.examples, parts.tolist(), strict=True):
        by_group.setdefault(each.group, set()).add(part)
    assert {len(found) for found in by_group.values()} == {1}
    for part in range(3):
        assert {each.labels[0] for each, p in zip(data.examples, parts, strict=True) if p == part} == {
            "ours",
            "theirs",
            "other",
        }
    assert folds(data, 20, 7).max() == 8  # as many parts as groups


def test_what_a_group_gives_away(tmp_path: Path) -> None:
    """Labels that are the group's own, told by its name in each sentence, cannot be told of another group:
    the figures are those of chance. By single sentences they would be perfect."""
    told = [
        Example(SentenceInContext(f"name{number % 12}"), ("a" if number % 12 < 6 else "b",), str(number % 12))
        for number in range(120)
    ]
    report = write_classifier(told, SETTINGS, tmp_path / "grouped", "names", silent).facts
    alone = [dataclasses.replace(each, group=str(number)) for number, each in enumerate(told)]
    single = write_classifier(alone, SETTINGS, tmp_path / "single", "names", silent).facts
    assert single["cross_validated"]["macro-F1"] == 1
    assert report["cross_validated"]["macro-F1"] < 0.7


def test_noisy_labels_make_modest_probabilities(tmp_path: Path) -> None:
    """Where a third of the labels is drawn at random, the classifier is not sure, and says how unsure: mean
    probability and share of right answers are near to each other."""
    out = tmp_path / "model"
    report = write_classifier(examples(600, 60, wrong=0.33), SETTINGS, out, "verbs", silent).facts
    assert report["cross_validated"]["probabilities"]["calibration error"] < 0.1
    sure = open_classifier(out).probabilities(ASKED).max(axis=1)
    assert 0.5 < sure.min() <= sure.max() < 0.95


def test_examples_are_weighed() -> None:
    """Shares ½, ⅓ and ⅙ with balance 1: weights as 2 : 3 : 6, and of mean 1; with 0, all the same; an example
    with two labels weighs as much as the mean of theirs."""
    truth = np.repeat(np.eye(3), [3, 2, 1], axis=0)
    assert importance(truth, 1.0) == pytest.approx(np.array([2, 2, 2, 3, 3, 6]) / 3)
    assert importance(truth, 0.0) == pytest.approx(1)
    both = importance(np.array([[1, 0], [0, 1], [0.5, 0.5]]), 1.0)
    assert both == pytest.approx(1)


def test_the_weights_are_those_of_the_minimum() -> None:
    """At the fitted weights, no step in any direction makes the objective of the docstring smaller."""
    data = Data.of(examples(60, 6, wrong=0.2), SETTINGS.features)
    penalty = 0.01
    classifier = fit_linear(data, SETTINGS, penalty)
    rows = data.matrix(classifier.vectorizer).toarray()
    weights = importance(data.truth, SETTINGS.balance)

    def objective(table: np.ndarray, bias: np.ndarray) -> float:
        scores = rows @ table + bias
        likely = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        loss = -(weights * (data.truth * likely).sum(axis=1)).mean()
        return float(loss + penalty * (table**2).sum())

    table, bias = classifier.weights.astype(float), classifier.bias.astype(float)
    least = objective(table, bias)
    draw = np.random.default_rng(7)
    for _ in range(20):
        step = 0.05 * draw.normal(size=table.shape), 0.05 * draw.normal(size=bias.shape)
        assert objective(table + step[0], bias + step[1]) > least


def test_a_label_that_is_missing_in_training() -> None:
    """It is never the answer, and has no probability to speak of."""
    some = [each for each in examples() if each.labels != ("other",)]
    data = Data.of(some, SETTINGS.features, labels=("ours", "other", "theirs"))
    classifier = fit_linear(data, SETTINGS, 1e-3)
    assert classifier.predict(ASKED)[:2] == ["ours", "theirs"]
    assert classifier.probabilities(ASKED)[:, 1].max() < 1e-6


def test_what_cannot_be_learned_from(tmp_path: Path) -> None:
    """One label, one group, or a place that is taken."""
    same = [dataclasses.replace(each, labels=("ours",)) for each in examples()]
    with pytest.raises(QueryError, match="needs two labels or more, these examples have 1"):
        write_classifier(same, SETTINGS, tmp_path / "model", "verbs", silent)
    together = [dataclasses.replace(each, group="all") for each in examples()]
    with pytest.raises(QueryError, match="all examples are of one group"):
        write_classifier(together, SETTINGS, tmp_path / "model", "verbs", silent)
    with pytest.raises(InputError, match="it already exists"):
        run(RECIPE, ClassifierInputs(tmp_path, "group"), SETTINGS, tmp_path)

"""The recipe of the classifier of intents, with a tiny network."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tiny_bert import WORDS, tiny_bert

from citewhy.base.progress import silent
from citewhy.base.records import SentenceInContext
from citewhy.ranking.classify import open_classifier
from citewhy.ranking.classify.fine_tuned import FineTunedClassifier
from citewhy.ranking.intents.labels import INTENTS
from citewhy_lab.evaluate.datasets.aspects import seen_mark
from citewhy_lab.evaluate.datasets.intents import FUNCTIONS
from citewhy_lab.train.systems.intent.data import multicite
from citewhy_lab.train.systems.intent.settings import OTHER_TOKEN, TARGET_TOKEN, IntentInputs, IntentSettings

SETTINGS = IntentSettings(layers=2, epochs=1, batch=16, warm_up=2, folds=3)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Each label has a word of its own."""
    words = WORDS.split()
    rows = []
    for source, labels in (("scicite", INTENTS), ("acl-arc", FUNCTIONS)):
        for number in range(120):
            label = labels[number % len(labels)]
            text = f"the {words[20 + labels.index(label)]} model TARGETCIT was {words[number % 12]}"
            rows.append({"text": text, "label": label, "source": source, "citing_id": f"p{number}"})
    path = tmp_path / "intents.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_from_citations_to_a_folder(data: Path, tmp_path: Path) -> None:
    """The folder opens with both heads; its manifest names the data, and the quality in cross-validation; one
    linear classifier stands beside the network for each head."""
    for needed in ("torch", "onnx", "transformers", "sklearn"):
        pytest.importorskip(needed, reason="needs the extra lab")
    from citewhy_lab.train.systems.intent.recipe import train_intent

    start = tiny_bert(tmp_path / "start", more=(TARGET_TOKEN, OTHER_TOKEN))
    facts = train_intent(IntentInputs(data, start=start), SETTINGS, tmp_path / "out", silent).facts
    assert facts["examples"] == {"intent": 120, "function": 120}
    assert facts["data"][0]["file"] == "intents.jsonl"
    assert [facts["quality"][head]["folds"] for head in ("intent", "function")] == [3, 3]
    assert 0 <= facts["quality"]["intent"]["macro-F1"] <= 1
    classifier = open_classifier(tmp_path / "out")
    assert set(classifier.labels) == set(INTENTS)
    assert facts["papers"] == sorted({seen_mark(f"p{number}") for number in range(120)})
    heads = json.loads((tmp_path / "out" / "classifier.json").read_text())["heads"]
    assert {name: each["words"]["weight"] for name, each in heads.items()} == {"intent": 0.5, "function": 1}
    found = classifier.probabilities([SentenceInContext("the model TARGETCIT was in")])
    assert found.sum() == pytest.approx(1, abs=1e-5)


def test_scaffolds_and_the_sentences_around(data: Path, tmp_path: Path) -> None:
    """Full texts are learned from first, and named in the manifest; the functions are read with the sentences
    around a citation, the intents without."""
    for needed in ("torch", "onnx", "transformers", "sklearn"):
        pytest.importorskip(needed, reason="needs the extra lab")
    from citewhy_lab.train.systems.intent.recipe import train_intent

    parts = ["the model was trained on the score (Och, 2003).", "the error rate of the model was that of it."]
    rows = [{"sid": n, "section": "2 Method", "text": parts[n % 2]} for n in range(9)]
    texts = tmp_path / "texts.jsonl"
    texts.write_text(json.dumps({"id": "P03-1021", "sentences": rows}) + "\n")
    start = tiny_bert(tmp_path / "start", more=(TARGET_TOKEN, OTHER_TOKEN))
    settings = replace(SETTINGS, context=4)
    facts = train_intent(
        IntentInputs(data, start=start, texts=(texts,)), settings, tmp_path / "out", silent
    ).facts
    assert facts["scaffolds"][0]["file"] == "texts.jsonl"
    assert facts["examples"]["section"] == 4
    opened = open_classifier(tmp_path / "out")
    assert isinstance(opened, FineTunedClassifier)
    text = "the model TARGETCIT was in"
    alone, around = SentenceInContext(text), SentenceInContext(text, "the bleu score", "a translation error")
    for head, differ in (("intent", False), ("function", True)):
        one, other = opened.head(head).scores([alone, around])
        assert (abs(one - other).max() > 1e-3) == differ


def test_labels_of_multicite(tmp_path: Path) -> None:
    """They stand for functions, several of them if several are given; sentences of one paper are a group."""
    path = tmp_path / "multicite.jsonl"
    rows = [
        {"context_id": "a_0", "text": "We follow TARGETCIT.", "labels": ["uses", "similarities"]},
        {"context_id": "a_1", "text": "Others TARGETCIT.", "labels": ["praise"]},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (found,) = multicite(path, 0.5)
    assert found.example.labels == ("CompareOrContrast", "Uses")
    assert (found.example.group, found.head, found.weight) == ("a", "function", 0.5)

"""The recipe of the discourse tagger, with a tiny network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiny_bert import tiny_bert

from citewhy.base.errors import InputError, QueryError
from citewhy.base.progress import silent
from citewhy.base.records import SentenceInContext
from citewhy.ranking.classify import open_classifier
from citewhy.ranking.classify.discourse import in_context
from citewhy.ranking.classify.own_encoder import CITATION
from citewhy_lab.train.recipe import run
from citewhy_lab.train.systems.discourse.settings import RECIPE, DiscourseInputs, DiscourseSettings

SETTINGS = DiscourseSettings(
    layers=2,
    trained=1,
    hidden=8,
    units=8,
    dropout=0.0,
    batch=4,
    epochs=12,
    learning_rate=0.02,
    folds=2,
    least=2,
)
FIRST = {"Transition": "machine translation is noisy", "Reflection": "we translate a phrase in english"}


@pytest.fixture(autouse=True)
def _train() -> None:
    for needed in ("torch", "onnx", "transformers", "sklearn"):
        pytest.importorskip(needed, reason="needs the extra lab")


def corwa(path: Path, papers: int) -> Path:
    """Paragraphs of three sentences: the first alone tells the tag of all of them."""
    lines = []
    for number in range(papers):
        tag, first = list(FIRST.items())[number % 2]
        sentences = [first, "the model of Och (2003) is a channel model", "that is that"]
        line = {"id": f"p{number}_1", "paper": f"p{number}", "sentences": sentences, "tags": [tag] * 3}
        lines.append(line)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_from_paragraphs_to_a_folder(tmp_path: Path) -> None:
    """What a sentence alone does not tell is told by another one of its paragraph; the folder's answers for a
    sentence are the same whatever else is asked."""
    from citewhy_lab.train.systems.discourse.recipe import train_discourse

    start = tiny_bert(tmp_path / "start", more=(CITATION,))
    data = corwa(tmp_path / "corwa.jsonl", 40)
    facts = train_discourse(DiscourseInputs(data, start=start), SETTINGS, tmp_path / "out", silent).facts
    assert facts["labels"] == {"Transition": 60, "Reflection": 60}
    assert facts["groups"] == 40
    assert facts["cross_validated"]["accuracy"] > 0.9
    classifier = open_classifier(tmp_path / "out")
    asked = in_context([FIRST["Reflection"], "the model of Och (2003) is a channel model", "that is that"])
    assert classifier.predict(asked) == ["Reflection"] * 3
    assert classifier.probabilities(asked)[1].tolist() == classifier.probabilities([asked[1]])[0].tolist()


def test_the_folder_scores_as_the_network(tmp_path: Path) -> None:
    """Up to the 8 bits of the encoder's weights, whose vectors enter with the gain of the training."""
    import numpy as np
    import torch

    from citewhy.ranking.classify.discourse import TAGS
    from citewhy_lab.train.classifier.data import Data
    from citewhy_lab.train.systems.discourse.recipe import Tokens, fit, tagged_sentences, train_discourse

    start = tiny_bert(tmp_path / "start", more=(CITATION,))
    data = corwa(tmp_path / "corwa.jsonl", 12)
    train_discourse(DiscourseInputs(data, start=start), SETTINGS, tmp_path / "out", silent)
    given = Data.of(tagged_sentences(data), SETTINGS.features, TAGS)
    network, vectorizer = fit(given, start, SETTINGS, silent)
    asked = in_context([FIRST["Transition"], "the model of Och (2003) is a channel model", "that is that"])
    ids = Tokens(start / "tokenizer.json", SETTINGS.tokens).ids([each.text for each in asked])
    columns = given.take(np.arange(3)).matrix(vectorizer).toarray().astype(np.float32)
    with torch.inference_mode():
        expected = network([torch.from_numpy(columns)], [ids])[0].numpy()
    found = open_classifier(tmp_path / "out").scores(asked)  # type: ignore[attr-defined]
    assert found == pytest.approx(expected, abs=0.7)
    assert np.corrcoef(found.ravel(), expected.ravel())[0, 1] > 0.99


def test_refused(tmp_path: Path) -> None:
    """Paragraphs of one paper leave none to test on; sentences without their paragraph cannot be read in its
    order; nothing is overwritten."""
    from citewhy_lab.train.classifier.data import Data, Example
    from citewhy_lab.train.systems.discourse.recipe import paragraphs, train_discourse

    data = corwa(tmp_path / "corwa.jsonl", 1)
    with pytest.raises(QueryError, match="all paragraphs are of one paper"):
        train_discourse(DiscourseInputs(data, start=tmp_path), SETTINGS, tmp_path / "out", silent)
    with pytest.raises(InputError, match="it already exists"):
        run(RECIPE, DiscourseInputs(data, start=tmp_path), SETTINGS, tmp_path)
    alone = [Example(SentenceInContext("We parse.", next="More."), ("Other",), str(n)) for n in range(6)]
    with pytest.raises(QueryError, match="all sentences of each paragraph"):
        paragraphs(Data.of(alone, SETTINGS.features))

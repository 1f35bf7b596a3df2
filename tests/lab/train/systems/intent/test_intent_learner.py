"""What the learner of intents does beside the loop: the labels of a batch, and averaged weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra lab")
pytest.importorskip("transformers", reason="needs the extra lab")

from tiny_bert import tiny_bert  # noqa: E402

from citewhy.base.records import SentenceInContext  # noqa: E402
from citewhy_lab.train.classifier.data import Example  # noqa: E402
from citewhy_lab.train.systems.intent.data import Labelled  # noqa: E402
from citewhy_lab.train.systems.intent.network import IntentNetwork, Tokens  # noqa: E402
from citewhy_lab.train.systems.intent.recipe import IntentLearner, truth  # noqa: E402
from citewhy_lab.train.systems.intent.settings import OTHER_TOKEN, TARGET_TOKEN, IntentSettings  # noqa: E402

LABELS = {"one": ("a", "b"), "two": ("Uses", "Extends", "Future")}


def labelled(head: str, *labels: str, weight: float = 1.0) -> Labelled:
    return Labelled(Example(SentenceInContext("the model was TARGETCIT"), labels, "p"), head, weight)


def test_labels_share_the_weight_of_an_example() -> None:
    """Labels of other heads have none; that of a rare label is doubled; an example of half the weight with
    two labels has a quarter for each."""
    assert truth(labelled("one", "b"), LABELS).tolist() == [0, 1, 0, 0, 0]
    assert truth(labelled("two", "Extends"), LABELS).tolist() == [0, 0, 0, 2, 0]
    assert truth(labelled("two", "Uses", "Future", weight=0.5), LABELS).tolist() == [0, 0, 0.25, 0, 0.25]


def test_weights_are_averaged(tmp_path: Path) -> None:
    """With decay .5, the weights 0 after the first step, 4 after the second and 8 after the third average to
    ((0 + 4) / 2 + 8) / 2 = 5; the state of the learner holds the average between them."""
    start = tiny_bert(tmp_path / "start", more=(TARGET_TOKEN, OTHER_TOKEN))
    settings = IntentSettings(layers=2, average=0.5)

    def learner() -> IntentLearner:
        network = IntentNetwork(start, 5, settings)
        tokens = Tokens(start / "tokenizer.json", 16, 0)
        return IntentLearner(network, tokens, [labelled("one", "a")], LABELS, settings)

    def put(made: IntentLearner, value: float) -> None:
        with torch.no_grad():
            made.network.head.bias.fill_(value)

    first = learner()
    first.prepare(0)
    assert first.state() == {}
    for step, value in enumerate((0.0, 4.0), start=1):
        put(first, value)
        first.prepare(step)
    resumed = learner()
    resumed.load_state(first.state())
    put(resumed, 8.0)
    resumed.take_average()
    assert np.allclose(resumed.network.head.bias.detach().numpy(), 5)

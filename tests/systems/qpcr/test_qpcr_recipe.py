"""QPCR from end to end, with a network of three layers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

for needed in ("torch", "transformers", "onnx", "safetensors"):
    pytest.importorskip(needed, reason="needs the extra train")

import torch  # noqa: E402

from citewhy.artifact import read_manifest  # noqa: E402
from citewhy.encode import CachedEncoder, open_encoder  # noqa: E402
from citewhy.encode.encoder import query_input  # noqa: E402
from citewhy.errors import InputError  # noqa: E402
from citewhy.records import Query  # noqa: E402
from citewhy.systems.encoder.network import TextModel  # noqa: E402
from citewhy.systems.qpcr.network import LastLayers  # noqa: E402
from citewhy.systems.qpcr.recipe import Paragraphs, train_qpcr  # noqa: E402
from citewhy.systems.qpcr.settings import Settings, Variant  # noqa: E402
from citewhy.systems.qpcr.validation import SHARES, Quality, between, quality  # noqa: E402
from small_collection import SHOWN, lines, write  # noqa: E402
from tiny_bert import tiny_bert  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # those of the exporters are not ours

SETTINGS = Settings(epochs=2, paragraphs=2, pool=5)
TOPICS = ("machine translation", "language model", "error rate", "noisy channel")
QUERY = Query("paragraph", "the noisy channel", "a method", "we translation")


def silent(_what: str, _share: float | None) -> None:
    pass


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_bert(tmp_path_factory.mktemp("start"), 3, ("[unused1]",))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight papers on each of four topics; two paragraphs on each."""
    folder = tmp_path_factory.mktemp("data")
    papers = [
        {"id": SHOWN[number], "title": f"{TOPICS[number % 4]} {number}", "abstract": "we", "year": 2000}
        for number in range(32)
    ]
    rows = [
        {
            "query_id": f"q{number}",
            "paper": f"q{number}",
            "topic_sentence": f"the {TOPICS[number % 4]} of a",
            "title": "a method",
            "cited_ids": [SHOWN[number], SHOWN[number + 4], SHOWN[number + 8]],
            "related_ids": [SHOWN[number + 1]],
        }
        for number in range(8)
    ]
    (folder / "rows.jsonl").write_bytes(lines(rows))
    return write(folder, papers, citations=[(SHOWN[0], SHOWN[13])])


def train(data: Path, start: Path, out: Path, settings: Settings = SETTINGS) -> dict[str, Any]:
    rows = data / "rows.jsonl"
    return train_qpcr(data, Paragraphs((rows,), (rows,)), start, out, settings, silent)


@pytest.mark.parametrize("variant", ["qpcr", "tri", "aclrw"])
def test_only_the_last_layers_are_trained(variant: Variant, data: Path, start: Path, tmp_path: Path) -> None:
    """An encoder is written whose vectors differ from those of the start encoder, and which says how it was
    made."""
    settings = dataclasses.replace(SETTINGS, variant=variant)
    made = train(data, start, tmp_path / "model", settings)
    assert len(made["by epoch"]) == 2
    train(data, start, tmp_path / "start", dataclasses.replace(SETTINGS, variant="ts"))
    trained, before = open_encoder(tmp_path / "model"), open_encoder(tmp_path / "start")
    assert trained.fingerprint != before.fingerprint
    vectors = trained.encode(["machine translation"], "paper")
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-4)
    facts = read_manifest(tmp_path / "model")["facts"]
    assert (facts["settings"]["variant"], facts["paragraphs"]) == (variant, "topic")
    assert facts["examples"] == {"train": 8, "val": 8}


def test_frozen_layers(start: Path) -> None:
    """Vectors from kept states are those of the whole network, gradients reach the last layers and no
    others."""
    model = TextModel(start)
    texts = ["machine translation", "a method and the model of that language , error rate"]
    whole = model.vectors(texts, 96, exact=True)
    last = LastLayers(model, 2)
    for _ in range(2):  # computed, then kept; in half precision
        assert torch.allclose(last(texts, "paper"), whole, atol=2e-2)
    last(texts, "paper").sum().backward()
    layers = model.network.encoder.layer
    assert layers[1].output.dense.weight.grad is not None
    assert layers[0].output.dense.weight.grad is None
    assert model.network.embeddings.word_embeddings.weight.grad is None
    with pytest.raises(ValueError, match="3 layers, 4"):
        LastLayers(model, 4)


def test_forms_of_queries(data: Path, start: Path, tmp_path: Path) -> None:
    """A paragraph is asked by title, abstract, [TS] and topic sentence, by ``base`` without the last two; if
    nothing else is known, and for other kinds, a query is as for any encoder. A cache changes nothing."""
    for variant in ("ts", "base"):
        train(data, start, tmp_path / variant, dataclasses.replace(SETTINGS, variant=variant))
    topic, whole = (open_encoder(tmp_path / variant) for variant in ("ts", "base"))
    text = "a method. we translation"
    assert query_input(topic, QUERY) == (f"{text} [TS] the noisy channel", "query")
    assert query_input(CachedEncoder(topic), QUERY) == query_input(topic, QUERY)
    assert query_input(whole, QUERY) == (text, "query")
    assert query_input(whole, Query("paragraph", "the noisy channel")) == ("the noisy channel", "query")
    local = dataclasses.replace(QUERY, kind="local")
    assert query_input(topic, local) == ("the noisy channel a method", "query")
    # The mark is one token of its own: it is not "unknown".
    one, other = topic.encode(["a [TS] a", "a zebra a"], "query")
    assert not np.allclose(one, other)


def test_a_vocabulary_without_an_unused_entry(data: Path, tmp_path: Path) -> None:
    """It is refused before anything is trained."""
    with pytest.raises(InputError, match=r"\[unused1\]"):
        train(data, tiny_bert(tmp_path / "plain"), tmp_path / "model")


def test_quality_by_hand() -> None:
    """Two of the first two; ranks 2 and 3 of one query and 2 of another, where equal scores keep their order.
    Of seven papers, ranks 2 and 7 are one among the first five and two among the first ten."""
    scores = torch.tensor([[0.9, 0.1, 0.8], [0.5, 0.5, 0.1]])
    assert quality(scores, [{0, 2}, {0}]) == Quality(1, 1, 1, 1)
    assert quality(scores, [{1, 2}, {1}]) == Quality(0.25, 1, 1, 0.5)
    seven = quality(torch.arange(7.0).flip(0)[None], [{1, 6}])
    assert seven == Quality(0.5, 0.5, 1, 0.5)
    assert seven.mean == 0.625


def test_weights_between_start_and_training(start: Path) -> None:
    """The best share is kept: weights from 1 to 5 that are best at 3, half the way. Of equally good shares it
    is the smallest."""
    network = LastLayers(TextModel(start), 1)
    ones = {name: np.ones_like(each) for name, each in network.weights().items()}

    def weight() -> float:
        (value,) = {float(each) for weights in network.weights().values() for each in np.unique(weights)}
        return value

    def trained(judged: Callable[[], float]) -> dict[float, float]:
        network.put({name: 5 * each for name, each in ones.items()})
        return between(network, ones, judged)

    assert trained(lambda: -abs(weight() - 3)) == dict(zip(SHARES, (-1, 0, -1, -2), strict=True))
    assert weight() == 3
    trained(lambda: 0.5)
    assert weight() == 2


def test_interpolation_in_training(data: Path, start: Path, tmp_path: Path) -> None:
    """The folder says how good each share is; it is another encoder than without, unless all of the trained
    weights are best."""
    settings = dataclasses.replace(SETTINGS, interpolate=True, stop_by="mean", learning_rate=1e-3)
    made = train(data, start, tmp_path / "model", settings)
    assert [float(share) for share in made["by share"]] == [*SHARES]
    plain = train(data, start, tmp_path / "plain", dataclasses.replace(settings, interpolate=False))
    assert made["by epoch"] == plain["by epoch"]
    same = open_encoder(tmp_path / "model").fingerprint == open_encoder(tmp_path / "plain").fingerprint
    best = max(made["by share"].values())
    assert same == all(mean < best for share, mean in made["by share"].items() if float(share) < 1)
    assert read_manifest(tmp_path / "model")["facts"]["by share"] == made["by share"]

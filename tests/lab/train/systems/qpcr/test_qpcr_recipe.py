"""QPCR from end to end, with a network of three layers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

for needed in ("torch", "transformers", "onnx", "safetensors"):
    pytest.importorskip(needed, reason="needs the extra lab")

import torch  # noqa: E402
from small_collection import SHOWN, lines, write  # noqa: E402
from tiny_bert import tiny_bert  # noqa: E402

from citewhy.base.artifact import read_manifest  # noqa: E402
from citewhy.base.errors import InputError, QueryError  # noqa: E402
from citewhy.base.records import Query  # noqa: E402
from citewhy.search.encode import CachedEncoder, open_encoder  # noqa: E402
from citewhy.search.encode.encoder import query_input  # noqa: E402
from citewhy_lab.train.systems.encoder.network import TextModel  # noqa: E402
from citewhy_lab.train.systems.qpcr.network import LastLayers  # noqa: E402
from citewhy_lab.train.systems.qpcr.recipe import r_precision, train_qpcr  # noqa: E402
from citewhy_lab.train.systems.qpcr.settings import QpcrInputs, QpcrSettings, Variant  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # those of the exporters are not ours

SETTINGS = QpcrSettings(epochs=2, paragraphs=2, pool=5)
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


def train(data: Path, start: Path, out: Path, settings: QpcrSettings = SETTINGS) -> Mapping[str, Any]:
    rows = data / "rows.jsonl"
    return train_qpcr(QpcrInputs(data, (rows,), (rows,), start), settings, out, silent).facts


@pytest.mark.parametrize("variant", ["qpcr", "tri", "aclrw"])
def test_only_the_last_layers_are_trained(variant: Variant, data: Path, start: Path, tmp_path: Path) -> None:
    """An encoder is written whose vectors differ from those of the start encoder, and which says how it was
    made."""
    settings = dataclasses.replace(SETTINGS, variant=variant)
    made = train(data, start, tmp_path / "model", settings)
    assert len(made["R-precision by epoch"]) == 2
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


def test_embeddings_and_dropout(start: Path) -> None:
    """With trained embeddings gradients reach them and the last layers, through the frozen layer between, and
    dropout is on while training alone. Vectors of any length are ranked by distance; [CLS] is the state of
    the first token."""
    model = TextModel(start, pooling="cls", dropout=0.5)
    last = LastLayers(model, 1, embedded=True, scaled=False, tokens=512)
    texts = ["machine translation", "a method and the model of that language , error rate"]
    assert last.tokens == dict.fromkeys(("query", "paper"), model.network.config.max_position_embeddings)
    last.train()
    assert not torch.allclose(last(texts, "paper"), last(texts, "paper"))
    encoded = last.encode(texts, "paper")
    assert torch.equal(encoded, last.encode(texts, "paper"))
    assert last.training
    last(texts, "paper").sum().backward()
    layers, words = model.network.encoder.layer, model.network.embeddings.word_embeddings
    assert words.weight.grad is not None
    assert layers[-1].output.dense.weight.grad is not None
    assert layers[0].output.dense.weight.grad is None
    ids, mask = model.tokens(texts, 96)
    model.network.eval()
    with torch.no_grad():
        states = model.network(input_ids=ids, attention_mask=mask).last_hidden_state
    assert torch.cosine_similarity(encoded, states[:, 0]).min() > 0.999
    near, far = torch.tensor([[1.0, 0.0]]), torch.tensor([[9.0, 0.0]])
    assert last.scores(near, torch.cat([near, far])).tolist() == [[0.0, -8.0]]
    assert LastLayers(model, 1).scores(near, torch.cat([near, far])).tolist() == [[1.0, 9.0]]


def test_the_code_of_the_authors(data: Path, start: Path, tmp_path: Path) -> None:
    """An encoder of it is written, and agrees with the network; embeddings have changed."""
    settings = dataclasses.replace(
        SETTINGS, as_published=True, pooling="cls", unscaled=True, tokens=512, variant="tri"
    )
    train(data, start, tmp_path / "model", settings)
    facts = read_manifest(tmp_path / "model")["facts"]
    assert facts["settings"]["as_published"]
    assert len(facts["R-precision by epoch"]) == 2
    assert facts["agreement"]["mean"] > 0.99
    encoder = open_encoder(tmp_path / "model")
    vectors = encoder.encode(["machine translation"], "paper")
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-4)
    assert facts["cut"] == "tokens"
    read, _ = query_input(encoder, dataclasses.replace(QUERY, abstract="we translation " * 400))
    assert 20 < len(read.split()) < 512
    assert read.endswith("translation [TS] the noisy channel") or read.endswith("we [TS] the noisy channel")


def test_a_start_for_cls(data: Path, tmp_path: Path) -> None:
    """Without a folder to start from, [CLS] is refused before any work: that of the default start was never
    trained."""
    rows = data / "rows.jsonl"
    settings = dataclasses.replace(SETTINGS, pooling="cls")
    with pytest.raises(QueryError, match=r"has no meaning at \[CLS\]") as error:
        train_qpcr(QpcrInputs(data, (rows,), (rows,)), settings, tmp_path / "model", silent)
    assert "--start" in (error.value.hint or "")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("as_published", [False, True])
def test_on_a_gpu(as_published: bool, data: Path, start: Path, tmp_path: Path) -> None:
    """A training on a graphics card writes an encoder for the processor."""
    rows = data / "rows.jsonl"
    settings = dataclasses.replace(SETTINGS, as_published=as_published)
    train_qpcr(QpcrInputs(data, (rows,), (rows,), start), settings, tmp_path / "model", silent, "cuda")
    assert open_encoder(tmp_path / "model").encode(["machine"], "paper").shape[0] == 1


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


def test_r_precision() -> None:
    """Two of the first two; none of the first one, where equal scores keep their order."""
    scores = torch.tensor([[0.9, 0.1, 0.8], [0.5, 0.5, 0.1]])
    assert r_precision(scores, [{0, 2}, {0}]) == 1
    assert r_precision(scores, [{0, 1}, {1}]) == 0.25


def test_nearest_papers_in_training(data: Path, start: Path, tmp_path: Path) -> None:
    """With other negatives, another encoder."""
    for name, nearest in (("pools", 0), ("nearest", 5)):
        train(data, start, tmp_path / name, dataclasses.replace(SETTINGS, nearest=nearest))
    pools, near = (open_encoder(tmp_path / name) for name in ("pools", "nearest"))
    assert pools.fingerprint != near.fingerprint
    assert read_manifest(tmp_path / "nearest")["facts"]["settings"]["nearest"] == 5

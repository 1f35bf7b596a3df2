"""The encoder that ships, and what its folder promises."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citewhy.base.artifact import read_manifest
from citewhy.base.assets import encoder_folder
from citewhy.base.errors import DamagedError, ModelError
from citewhy.models import networks, write_model
from citewhy.models.manifest import read_model
from citewhy.search.encode import Encoder, OnnxEncoder, open_encoder
from citewhy.search.encode.encoder import TextKind
from citewhy.session.session import Session

FOLDER = encoder_folder()

TEXTS = [
    "BLEU: a Method for Automatic Evaluation of Machine Translation",
    "A parser reads a sentence and writes a tree.",
    "Minimum error rate training. " * 12,
    "ü 机器翻译 ∑",
    "x",
]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return open_encoder(FOLDER)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The shipped folder, to damage."""
    return Path(shutil.copytree(FOLDER, tmp_path / "encoder"))


def rewritten(folder: Path, name: str = "", **facts: Any) -> Path:
    """The folder, with a manifest of other facts for whatever files it has now."""
    model = json.loads((folder / "manifest.json").read_text())
    shapes = {"model.onnx": model["files"]["model.onnx"]["shapes"]}
    write_model(folder, "encoder", "onnx", name or model["name"], {**model["facts"], **facts}, shapes)
    return folder


def test_what_ships(encoder: Encoder) -> None:
    """Its files are as they were written, and it is what training makes."""
    facts = read_manifest(FOLDER, verify=True)
    assert set(facts["files"]) == {"model.onnx", "tokenizer.json"}
    assert {path.name for path in FOLDER.iterdir()} == {*facts["files"], "manifest.json"}
    assert (encoder.dimensions, facts["facts"]["tokens"]) == (384, {"query": 72, "paper": 128})
    assert encoder.name == facts["name"]
    assert facts["files"]["model.onnx"]["shapes"] == {
        "input_ids": ["n", "t"],
        "attention_mask": ["n", "t"],
        "vectors": ["n", 384],
    }


def test_the_fingerprint_of_what_ships(encoder: Encoder) -> None:
    """Vectors that users have stored are still this encoder's."""
    assert encoder.fingerprint == "6112b2d1d6bc628a"


@pytest.mark.parametrize("kind", ["query", "paper"])
def test_vectors_are_of_length_one(encoder: Encoder, kind: TextKind) -> None:
    """Whatever the text; a text without words has no direction."""
    vectors = encoder.encode([*TEXTS, "", " \n"], kind)
    assert vectors.dtype == np.float32
    assert vectors.shape == (7, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1, 1, 1, 0, 0], abs=1e-5)


def test_nothing_to_encode(encoder: Encoder) -> None:
    """No texts, no vectors, of the right width."""
    assert encoder.encode([], "query").shape == (0, 384)


def test_a_vector_depends_on_its_text_alone(encoder: Encoder) -> None:
    """Neither order nor company changes a bit of it.

    In a batch they would: 8-bit activations are scaled by the largest of all texts, so texts are run alone.
    """
    together = encoder.encode(TEXTS, "paper")
    assert np.array_equal(encoder.encode(TEXTS[::-1], "paper"), together[::-1])
    assert np.array_equal(np.concatenate([encoder.encode([text], "paper") for text in TEXTS]), together)
    assert np.array_equal(
        OnnxEncoder(read_model(FOLDER, "encoder"), threads=1).encode(TEXTS, "paper"), together
    )


@pytest.mark.parametrize(("kind", "tokens"), [("query", 72), ("paper", 128)])
def test_the_end_of_a_long_text_is_not_read(encoder: Encoder, kind: TextKind, tokens: int) -> None:
    """Of a query 72 tokens are read and of a paper 128, a mark at each end included."""
    last = tokens - 3
    words = ["tree"] * 300
    whole, changed, changed_behind = encoder.encode(
        [
            " ".join(words),
            " ".join(words[:last] + ["speech"] * (300 - last)),
            " ".join(words[: last + 1] + ["speech"] * (299 - last)),
        ],
        kind,
    )
    assert np.array_equal(whole, changed_behind)
    assert not np.array_equal(whole, changed)


def test_what_means_the_same_is_near(encoder: Encoder) -> None:
    """A sentence is nearer to the paper that it is about than to others."""
    papers = [
        "Bleu: a Method for Automatic Evaluation of Machine Translation",
        "Accurate Unlexicalized Parsing",
        "A Maximum Entropy Model for Part-Of-Speech Tagging",
    ]
    asked = ["We score translations against references.", "Treebank grammars parse well without words."]
    cosines = encoder.encode(asked, "query") @ encoder.encode(papers, "paper").T
    assert cosines.argmax(axis=1).tolist() == [0, 1]


def test_the_fingerprint_is_that_of_the_vectors(encoder: Encoder, copy: Path) -> None:
    """A copy under another name has the same; other limits, other vectors, another one."""
    assert open_encoder(rewritten(copy, name="another")).fingerprint == encoder.fingerprint
    limits = {"query": 72, "paper": 64}
    assert open_encoder(rewritten(copy, tokens=limits)).fingerprint != encoder.fingerprint


def test_a_model_that_is_none(copy: Path) -> None:
    """What onnxruntime says about a file that it cannot load comes as a DamagedError with the file's name."""
    (copy / "model.onnx").write_bytes(b"no model")
    with pytest.raises(DamagedError, match=r"model\.onnx: the model cannot be loaded"):
        open_encoder(rewritten(copy))


@pytest.mark.parametrize(
    ("facts", "problem"),
    [
        ({"dimensions": 383}, r"one output \[n, 383\]"),
        ({"dimensions": "384"}, "expected a value of type int"),
        ({"tokens": {"query": 72}}, "expected numbers of tokens for query and paper"),
        ({"tokens": {"query": 72, "paper": 2}}, "each from 3 to 8192"),
        ({"tokens": {"query": 72, "paper": 513}}, "the network fails"),
    ],
)
def test_facts_that_are_not_those_of_the_network(copy: Path, facts: dict[str, Any], problem: str) -> None:
    """Sizes that the network does not have are found at opening: it has 512 positions."""
    with pytest.raises(DamagedError, match=problem):
        open_encoder(rewritten(copy, **facts))


def without_card(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Lets networks for a graphics card run on the processor, and lists the devices that are asked for."""
    original, asked = networks._session, list[str]()

    def session(content: bytes, *, exact: bool, device: str = "cpu") -> Any:
        asked.append(device)
        return original(content, exact=exact)

    monkeypatch.setattr(networks, "_session", session)
    return asked


def test_batches_of_one_length(encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A graphics card gets texts of one length together, and each text its own vector, or nearly: an 8-bit
    network scales what flows through it by the largest of the batch."""
    asked = without_card(monkeypatch)
    monkeypatch.setattr(networks, "_CUDA", "CPUExecutionProvider")
    assert isinstance(encoder, OnnxEncoder)
    card = encoder.on("cuda")
    assert asked == ["cuda"]
    texts = [*TEXTS, "", *(f"A parser reads a {noun} and writes it." for noun in ("word", "book", "line"))]
    usual, runs, run = encoder.encode(texts, "paper"), list[int](), networks.Network.__call__

    def counted(self: networks.Network, given: Mapping[str, Any]) -> Any:
        runs.append(len(given["input_ids"]))
        return run(self, given)

    monkeypatch.setattr(networks.Network, "__call__", counted)
    vectors = card.encode(texts, "paper")
    assert sorted(runs) == [1, 1, 1, 1, 1, 3]
    assert not vectors[len(TEXTS)].any()
    worded = [position for position, text in enumerate(texts) if text]
    assert (vectors * usual).sum(1)[worded].min() > 0.9


@pytest.mark.skipif(
    "CUDAExecutionProvider" in networks.onnxruntime().get_available_providers(), reason="has CUDA"
)
def test_without_a_graphics_card() -> None:
    with pytest.raises(ModelError, match="cannot use a graphics card") as raised:
        open_encoder(None, "cuda")
    assert "onnxruntime-gpu" in str(raised.value)
    with pytest.raises(ModelError, match="cannot use a graphics card"):
        Session("starter", device="cuda")


def test_the_card_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The build for CUDA runs networks on the processor then, and says so only in a warning."""
    without_card(monkeypatch)
    with pytest.raises(ModelError, match="cannot use a graphics card"):
        open_encoder(None, "cuda")

"""The encoder that ships, and what its folder promises."""

from __future__ import annotations

import shutil
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from citewhy.artifact import read_manifest, write_manifest
from citewhy.encode import OnnxEncoder
from citewhy.encode.encoder import TextKind
from citewhy.errors import DamagedError

FOLDER = Path(str(resources.files("citewhy.assets") / "encoder"))

TEXTS = [
    "BLEU: a Method for Automatic Evaluation of Machine Translation",
    "A parser reads a sentence and writes a tree.",
    "Minimum error rate training. " * 12,
    "ü 机器翻译 ∑",
    "x",
]


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(FOLDER)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The shipped folder, to damage."""
    return Path(shutil.copytree(FOLDER, tmp_path / "encoder"))


def test_what_ships(encoder: OnnxEncoder) -> None:
    """Its files are as they were written, and it is what training makes."""
    facts = read_manifest(FOLDER, verify=True)
    assert set(facts["files"]) == {"model.onnx", "tokenizer.json"}
    assert {path.name for path in FOLDER.iterdir()} == {*facts["files"], "manifest.json"}
    assert (encoder.dimensions, facts["tokens"]) == (384, {"query": 72, "paper": 128})
    assert encoder.name


@pytest.mark.parametrize("kind", ["query", "paper"])
def test_vectors_are_of_length_one(encoder: OnnxEncoder, kind: TextKind) -> None:
    """Whatever the text; a text without words has no direction."""
    vectors = encoder.encode([*TEXTS, "", " \n"], kind)
    assert vectors.dtype == np.float32
    assert vectors.shape == (7, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1, 1, 1, 0, 0], abs=1e-5)


def test_nothing_to_encode(encoder: OnnxEncoder) -> None:
    """No texts, no vectors, of the right width."""
    assert encoder.encode([], "query").shape == (0, 384)


def test_a_vector_depends_on_its_text_alone(encoder: OnnxEncoder) -> None:
    """Neither order nor company changes a bit of it.

    In a batch they would: 8-bit activations are scaled by the largest of all texts, so texts are run alone.
    """
    together = encoder.encode(TEXTS, "paper")
    assert np.array_equal(encoder.encode(TEXTS[::-1], "paper"), together[::-1])
    assert np.array_equal(np.concatenate([encoder.encode([text], "paper") for text in TEXTS]), together)
    assert np.array_equal(OnnxEncoder(FOLDER, threads=1).encode(TEXTS, "paper"), together)


@pytest.mark.parametrize(("kind", "tokens"), [("query", 72), ("paper", 128)])
def test_the_end_of_a_long_text_is_not_read(encoder: OnnxEncoder, kind: TextKind, tokens: int) -> None:
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


def test_what_means_the_same_is_near(encoder: OnnxEncoder) -> None:
    """A sentence is nearer to the paper that it is about than to others."""
    papers = [
        "Bleu: a Method for Automatic Evaluation of Machine Translation",
        "Accurate Unlexicalized Parsing",
        "A Maximum Entropy Model for Part-Of-Speech Tagging",
    ]
    asked = ["We score translations against references.", "Treebank grammars parse well without words."]
    cosines = encoder.encode(asked, "query") @ encoder.encode(papers, "paper").T
    assert cosines.argmax(axis=1).tolist() == [0, 1]


def test_the_fingerprint_is_that_of_the_vectors(encoder: OnnxEncoder, copy: Path) -> None:
    """A copy under another name has the same; other limits, other vectors, another one."""
    facts = read_manifest(copy)
    write_manifest(copy, {**facts, "name": "another"})
    assert OnnxEncoder(copy).fingerprint == encoder.fingerprint
    write_manifest(copy, {**facts, "tokens": {"query": 72, "paper": 64}})
    assert OnnxEncoder(copy).fingerprint != encoder.fingerprint


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_one_changed_bit_is_noticed(copy: Path, name: str) -> None:
    """Opening says which file is not as it was written."""
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)
    with pytest.raises(DamagedError, match=rf"{name}: a file is not as it was written"):
        OnnxEncoder(copy)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "manifest.json"])
def test_a_missing_file_is_noticed(copy: Path, name: str) -> None:
    """A folder that was not finished, or has lost a file, is not opened."""
    (copy / name).unlink()
    with pytest.raises(DamagedError, match=r"no complete manifest"):
        OnnxEncoder(copy)


def test_a_model_that_is_none(copy: Path) -> None:
    """What onnxruntime says about a file that it cannot load comes as a DamagedError with the file's name."""
    facts = read_manifest(copy)
    (copy / "model.onnx").write_bytes(b"no model")
    write_manifest(copy, facts)
    with pytest.raises(DamagedError, match=r"model\.onnx: the model cannot be loaded"):
        OnnxEncoder(copy).encode(["a"], "query")

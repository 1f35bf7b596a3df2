"""Networks in ONNX files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from citewhy.base.assets import encoder_folder
from citewhy.models import networks
from citewhy.models.networks import Network
from citewhy.search.encode import open_encoder


def product(weights: np.ndarray) -> bytes:
    """A network that multiplies a row by 8-bit weights, as exported encoders do: its input in 8 bits, too."""
    onnx = pytest.importorskip("onnx", reason="needs the extra `lab`")
    helper, kinds = onnx.helper, onnx.TensorProto
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["levels", "scale", "zero"]),
        helper.make_node("MatMulInteger", ["levels", "weights", "zero"], ["sums"]),
        helper.make_node("Cast", ["sums"], ["whole"], to=kinds.FLOAT),
        helper.make_node("Mul", ["whole", "scale"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "product",
        [helper.make_tensor_value_info("x", kinds.FLOAT, ["n", len(weights)])],
        [helper.make_tensor_value_info("y", kinds.FLOAT, ["n", weights.shape[1]])],
        [onnx.numpy_helper.from_array(weights, "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    content: bytes = model.SerializeToString()
    return content


def test_sums_of_8_bit_products_are_exact(tmp_path: Path) -> None:
    """On every processor: some add pairs of products in 16 bits, where 2 · 255 · 127 does not fit."""
    weights = np.full((64, 8), 127, dtype=np.int8)
    sums = Network(product(weights), tmp_path)({"x": np.ones((1, 64), dtype=np.float32)})
    assert sums == pytest.approx(np.full((1, 8), 64 * 127.0), rel=1e-4)


def test_the_largest_sums_are_exact(tmp_path: Path) -> None:
    """Whether the processor's own are, or the runtime had to be asked."""
    network = Network(networks._LARGEST_SUMS, tmp_path)
    assert network({"a": np.full((1, 8), 255, dtype=np.uint8)}).tolist() == [[8 * 255 * 127] * 8]


def test_asking_for_exact_sums_changes_no_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where sums are exact anyway, the runtime is not asked, and vectors are the same to the last bit."""
    texts = ["Attention is all you need", "A survey of trees and of what grows in their shade"]
    as_here = open_encoder(encoder_folder()).encode(texts, "paper")
    monkeypatch.setattr(networks, "sums_are_exact", lambda: False)
    assert np.array_equal(open_encoder(encoder_folder()).encode(texts, "paper"), as_here)


def test_the_runtime_records_nothing(tmp_path: Path) -> None:
    """Official builds of onnxruntime write events into the user's cache, and send them, unless they are told
    not to before the import."""
    code = "from citewhy.search.encode import open_encoder; open_encoder(None).encode(['a tree'], 'paper')"
    places = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment = {key: value for key, value in os.environ.items() if key != "ORT_DISABLE_TELEMETRY"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment | places, check=True, capture_output=True
    )
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not done.stderr

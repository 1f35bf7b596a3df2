"""A trained network becomes the folder that `citewhy.search.encode.open_encoder` opens.

The graph is fused as transformers can be (attention, layer norms, GELU), and the weights of its products are
quantised to 8 bits, each column with a scale of its own; what flows between is quantised as it comes. The
model becomes a quarter as large and several times as fast. How far its vectors are from those of the network
is measured, not assumed.
"""

from __future__ import annotations

import contextlib
import logging
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from citewhy.base.artifact import folder_aside
from citewhy.base.errors import CiteWhyError
from citewhy.models.networks import onnxruntime
from citewhy.search.encode import Encoder, open_encoder
from citewhy.search.encode.encoder import Vectors
from citewhy.search.encode.onnx import MODEL, READER, TOKENIZER, describe_encoder
from citewhy_lab.train.systems.encoder.network import Pooling, TextModel, pooled
from citewhy_lab.train.systems.encoder.settings import TOKENS

LEAST_AGREEMENT = 0.99
"""Mean cosine between the network's vectors and those of the exported model; below, nothing is written."""

OPSET = 17
"""The version of the ONNX operators in exported graphs."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A trained network, as it is to be served."""

    graph: torch.nn.Module
    """Token ids and mask [n, t] → vectors [n, dimensions] of length 1: nothing is left to do outside."""
    config: Any
    """The configuration of the transformer in it."""
    dimensions: int
    tokenizer: bytes
    """JSON of the `tokenizers` library."""
    tokens: Mapping[str, int]
    """Maximum number of tokens of a ``query`` and of a ``paper``."""
    exact: Callable[[str], Vectors]
    """A paper's text → [dimensions] in 32 bits, on the processor and in evaluation mode."""
    reader: str = READER
    """The reader that opens the folder (`models.registry`)."""


def sentence_encoder(
    model: TextModel, tokenizer: Path, tokens: Mapping[str, int] = TOKENS, reader: str = READER
) -> Exported:
    """CiteWhy's own encoder, or another one with its pooling; `tokenizer` is its file."""

    def exact(text: str) -> Vectors:
        with torch.inference_mode():
            return np.asarray(model.vectors([text], tokens["paper"], exact=True)[0].numpy())

    config = model.network.config
    return Exported(
        Pooled(model.network, model.pooling),
        config,
        config.hidden_size,
        tokenizer.read_bytes(),
        tokens,
        exact,
        reader,
    )


class Pooled(torch.nn.Module):  # type: ignore[misc,unused-ignore] # without torch, its class is Any
    """Token ids and mask [n, t] → vectors of length 1 by a BERT network of transformers."""

    def __init__(self, network: Any, pooling: Pooling = "mean") -> None:
        super().__init__()
        self.network = network
        self.pooling = pooling

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        states = self.network(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        return pooled(states, attention_mask, self.pooling)


def export(model: Exported, target: Path, name: str, facts: Mapping[str, Any], texts: Sequence[str]) -> float:
    """Writes the encoder `target` with `facts` in its manifest, and returns the agreement on `texts`.

    Raises CiteWhyError where it is below `LEAST_AGREEMENT`, StorageError where nothing can be written.
    """
    with folder_aside(target) as folder:
        with tempfile.TemporaryDirectory(prefix="citewhy-") as scratch, quietly():
            write_graph(model.graph, Path(scratch) / "plain.onnx")
            quantised(model.config, Path(scratch) / "plain.onnx", folder / MODEL)
        (folder / TOKENIZER).write_bytes(model.tokenizer)
        describe_encoder(folder, name, model.dimensions, model.tokens, facts, model.reader)
        cosines = agreement(model, open_encoder(folder), texts)
        if cosines.mean() < LEAST_AGREEMENT:
            raise CiteWhyError(
                f"the exported model's vectors are not those of the trained network: mean cosine "
                f"{cosines.mean():.4f} on {len(texts)} texts, expected {LEAST_AGREEMENT} or more",
                hint="the trained weights are kept; export again with other versions of onnx and onnxruntime",
            )
        agreed = {"texts": len(texts), "mean": float(cosines.mean()), "least": float(cosines.min())}
        describe_encoder(
            folder, name, model.dimensions, model.tokens, {**facts, "agreement": agreed}, model.reader
        )
    return float(cosines.mean())


def agreement(model: Exported, encoder: Encoder, texts: Sequence[str]) -> np.ndarray[Any, Any]:
    """Cosines [len(texts)] between the vectors of the network in full precision and those of the encoder."""
    model.graph.eval()
    trained = np.stack([model.exact(text) for text in texts])
    return np.asarray((trained * encoder.encode(texts, "paper")).sum(1))


def write_graph(graph: torch.nn.Module, path: Path) -> None:
    """Token ids and mask [n, t] → vectors, as ONNX."""
    example = torch.ones((2, 16), dtype=torch.int64)
    torch.onnx.export(
        graph.eval(),
        (example, example),
        str(path),
        input_names=["input_ids", "attention_mask"],
        output_names=["vectors"],
        dynamic_axes={
            "input_ids": {0: "n", 1: "t"},
            "attention_mask": {0: "n", 1: "t"},
            "vectors": {0: "n"},
        },
        opset_version=OPSET,
        dynamo=False,  # the graph that the optimiser below knows
    )


def quantised(config: Any, path: Path, target: Path) -> None:
    """Fuses the graph of a BERT network with the configuration `config`, and quantises its weights."""
    fused = path.with_name(f"fused-{path.name}")
    _fuse(config, path, fused)
    _quantise(fused, target)


def _fuse(config: Any, path: Path, target: Path) -> None:
    onnxruntime()
    from onnxruntime.transformers import optimizer

    fused = optimizer.optimize_model(
        str(path),
        model_type="bert",
        num_heads=config.num_attention_heads,
        hidden_size=config.hidden_size,
        opt_level=1,
        use_gpu=False,
    )
    fused.save_model_to_file(str(target))


def _quantise(path: Path, target: Path) -> None:
    onnxruntime()
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        path,
        target,
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=False,
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """The exporters warn of what is meant: the old exporter, no inference of shapes before."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)

"""From a trained network to a model folder of the kind ``classifier``: ONNX, with weights of 8 bits.

Only the tokens that the training data or the given texts have keep an embedding (`train.vocabulary`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson
import torch
from torch import Tensor

from citewhy.ranking.classify.fine_tuned import INPUTS, MODEL, OUTPUT, TOKENIZER
from citewhy.ranking.classify.linear import LinearClassifier
from citewhy.ranking.classify.scaling import Scaling
from citewhy.ranking.classify.scored import DOCUMENT
from citewhy_lab.train.systems.encoder.export import quantised, quietly
from citewhy_lab.train.systems.intent.network import IntentNetwork
from citewhy_lab.train.systems.intent.settings import OTHER_TOKEN, TARGET_TOKEN

__all__ = ["write_files"]

_OPSET = 17


def write_files(
    folder: Path,
    network: IntentNetwork,
    tokenizer: bytes,
    longest: int,
    heads: Mapping[str, tuple[Sequence[str], Scaling]],
    marked: Collection[str] = (),
    context: Mapping[str, int] = MappingProxyType({}),
    words: Mapping[str, tuple[float, LinearClassifier]] = MappingProxyType({}),
) -> None:
    """Writes the files of `classify.fine_tuned` in `folder`; `marked` are the heads whose training data say
    which citation of a sentence is meant, `context` the numbers of tokens of the sentences around it that
    heads read, `words` the linear classifiers beside the network, with the weight of their scores."""
    (folder / TOKENIZER).write_bytes(tokenizer)
    with tempfile.TemporaryDirectory(prefix="citewhy-") as scratch, quietly():
        plain = Path(scratch) / "plain.onnx"
        torch.onnx.export(
            _Served(network),
            (torch.ones((1, 16), dtype=torch.int64), *(torch.full((1, 16), 1 / 16),) * 2),
            str(plain),
            input_names=list(INPUTS),
            output_names=[OUTPUT],
            dynamic_axes={**{name: {0: "n", 1: "t"} for name in INPUTS}, OUTPUT: {0: "n"}},
            opset_version=_OPSET,
            dynamo=False,
        )
        quantised(network.encoder.config, plain, folder / MODEL)
    document: dict[str, Any] = {
        "tokens": longest,
        "target": TARGET_TOKEN,
        "other": OTHER_TOKEN,
        "heads": {
            name: {
                "labels": list(labels),
                "scaling": {"slope": scaling.slope, "shift": list(scaling.shift)},
                "target": name in marked,
                "context": context.get(name, 0),
                "words": {"weight": words[name][0], "model": words[name][1].document()}
                if name in words
                else None,
            }
            for name, (labels, scaling) in heads.items()
        },
    }
    (folder / DOCUMENT).write_bytes(orjson.dumps(document))


class _Served(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    """Without padding: all tokens are there."""

    def __init__(self, network: IntentNetwork) -> None:
        super().__init__()
        self.network = network.eval()

    def forward(self, input_ids: Tensor, sentence: Tensor, targets: Tensor) -> Tensor:
        scores: Tensor = self.network(input_ids, torch.ones_like(targets), sentence, targets)
        return scores

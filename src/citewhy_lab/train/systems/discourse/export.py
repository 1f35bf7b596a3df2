"""From a trained tagger to the files of a classifier that reads paragraphs (`classify.sequence`)."""

from __future__ import annotations

import tempfile
from pathlib import Path

import torch
from torch import Tensor

from citewhy.ranking.classify.onnx import INPUT, OUTPUT
from citewhy.ranking.classify.sequence import NETWORK
from citewhy.search.encode.onnx import MODEL, TOKENIZER
from citewhy_lab.train.systems.discourse.network import ParagraphNetwork, TaggerNetwork
from citewhy_lab.train.systems.encoder.export import Pooled, quantised, quietly, write_graph

__all__ = ["write_networks", "write_paragraph_network"]

_OPSET = 17


def write_networks(folder: Path, network: TaggerNetwork, tokenizer: bytes) -> None:
    """Writes the encoder with weights of 8 bits, its tokenizer, and the network over paragraphs. Changes
    `network`, which scores the same."""
    network.eval().absorb_gain()
    (folder / TOKENIZER).write_bytes(tokenizer)
    with tempfile.TemporaryDirectory(prefix="citewhy-") as scratch, quietly():
        write_graph(Pooled(network.encoder), Path(scratch) / "plain.onnx")
        quantised(network.encoder.config, Path(scratch) / "plain.onnx", folder / MODEL)
    write_paragraph_network(folder / NETWORK, network.paragraph)


def write_paragraph_network(path: Path, network: ParagraphNetwork) -> None:
    """Writes the network over paragraphs as ONNX."""
    with quietly():
        torch.onnx.export(
            _Paragraph(network.eval()),
            (torch.zeros(3, network.first.in_features),),
            str(path),
            input_names=[INPUT],
            output_names=[OUTPUT],
            dynamic_axes={INPUT: {0: "t"}, OUTPUT: {0: "t"}},
            opset_version=_OPSET,
            dynamo=False,  # the older exporter, which LSTMs need
        )


class _Paragraph(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    """The scores [t, labels] of the sentences of one paragraph."""

    def __init__(self, network: ParagraphNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, features: Tensor) -> Tensor:
        hidden = torch.relu(self.network.first(features))
        read = self.network.recurrent(hidden[:, None])[0][:, 0]
        scores: Tensor = self.network.last(torch.cat([read, hidden], dim=1))
        return scores

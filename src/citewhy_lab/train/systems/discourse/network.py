"""The tagger's network: a BERT encoder reads each sentence, a recurrent network the paragraph; and the files
of a classifier that reads paragraphs (`classify.sequence`).

The vector of a sentence and its other features go through a layer of rectified units; a bidirectional LSTM
reads these in the order of the paragraph; the scores of a sentence are a linear function of both.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tokenizers
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_sequence, pad_sequence, unpack_sequence

from citewhy.ranking.classify.onnx import INPUT, OUTPUT
from citewhy.ranking.classify.own_encoder import marked
from citewhy.ranking.classify.sequence import NETWORK
from citewhy.search.encode.onnx import MODEL, TOKENIZER
from citewhy_lab.train.bert import open_bert
from citewhy_lab.train.devices import fast_products
from citewhy_lab.train.systems.discourse.settings import DiscourseSettings
from citewhy_lab.train.systems.encoder.export import OPSET, Pooled, quantised, quietly, write_graph
from citewhy_lab.train.systems.encoder.network import pooled

Ids = Sequence[int]

_AT_ONCE = 16
"""Sentences that the encoder reads at once; they are of similar length, so that little is padding."""


class Tokens:
    """Sentences as token ids, with one token for each printed citation."""

    def __init__(self, file: Path, longest: int) -> None:
        reader: Any = tokenizers.Tokenizer
        self._tokenizer = reader.from_file(str(file))
        self._tokenizer.enable_truncation(longest)
        self._tokenizer.no_padding()

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The token ids of each text."""
        return [each.ids for each in self._tokenizer.encode_batch([marked(text) for text in texts])]


class ParagraphNetwork(nn.Module):  # type: ignore[misc, unused-ignore]
    """The features [t, width] of the sentences of each paragraph → their scores [t, labels]."""

    def __init__(self, width: int, labels: int, settings: DiscourseSettings) -> None:
        super().__init__()
        self.first = nn.Linear(width, settings.hidden)
        self.dropout = nn.Dropout(settings.dropout)
        self.recurrent = nn.LSTM(settings.hidden, settings.units, bidirectional=True)
        self.last = nn.Linear(settings.hidden + 2 * settings.units, labels)

    def forward(self, paragraphs: Sequence[Tensor]) -> list[Tensor]:
        hidden = [self.dropout(torch.relu(self.first(each))) for each in paragraphs]
        read = unpack_sequence(self.recurrent(pack_sequence(hidden, enforce_sorted=False))[0])
        return [
            self.last(self.dropout(torch.cat([one, other], dim=1)))
            for one, other in zip(read, hidden, strict=True)
        ]


class TaggerNetwork(nn.Module):  # type: ignore[misc, unused-ignore]
    """`columns` named features of a sentence and its tokens → its scores [labels], a paragraph at a time."""

    def __init__(self, start: Path, columns: int, labels: int, settings: DiscourseSettings) -> None:
        super().__init__()
        dropout = settings.encoder_dropout
        self.encoder: Any = open_bert(start, settings.layers, settings.trained, dropout, dropout)
        self.paragraph = ParagraphNetwork(columns + self.encoder.config.hidden_size, labels, settings)
        self._gain = settings.gain

    def forward(self, columns: Sequence[Tensor], rows: Sequence[Sequence[Ids]]) -> list[Tensor]:
        """For each paragraph of t sentences, [t, columns] and t rows of token ids → [t, labels]."""
        vectors = self._vectors([row for paragraph in rows for row in paragraph])
        parts = torch.split(self._gain * vectors, [len(paragraph) for paragraph in rows])
        features = [torch.cat([one, other], dim=1) for one, other in zip(columns, parts, strict=True)]
        scores: list[Tensor] = self.paragraph(features)
        return scores

    def absorb_gain(self) -> None:
        """Puts the gain into the weights that read the vectors, as they are served."""
        with torch.no_grad():
            self.paragraph.first.weight[:, -self.encoder.config.hidden_size :] *= self._gain
        self._gain = 1.0

    def _vectors(self, rows: Sequence[Ids]) -> Tensor:
        """[rows, d] of length 1."""
        order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
        vectors: dict[int, Tensor] = {}
        for start in range(0, len(order), _AT_ONCE):
            chosen = order[start : start + _AT_ONCE]
            ids = pad_sequence([torch.tensor(rows[number]) for number in chosen], batch_first=True)
            lengths = torch.tensor([len(rows[number]) for number in chosen])
            there = (torch.arange(ids.shape[1]) < lengths[:, None]).long()
            with fast_products(ids.device, enabled=self.training):
                states = self.encoder(input_ids=ids, attention_mask=there).last_hidden_state.float()
            vectors |= zip(chosen, pooled(states, there), strict=True)
        return torch.stack([vectors[number] for number in range(len(rows))])


# The model folder ------------------------------------------------------------------------------------------


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
            opset_version=OPSET,
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

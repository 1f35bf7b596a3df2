"""The network: the first layers of a BERT encoder, the mean state of a sentence's tokens beside that of its
citation's tokens, and a linear head for each set of labels. It is written to a model folder of the kind
``classifier`` as ONNX, with weights of 8 bits.

Only the tokens that the training data or the given texts have keep an embedding (`train.bert`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import orjson
import tokenizers
import torch
from torch import Tensor, nn
from torch.nn import functional

from citewhy.base.records import SentenceInContext
from citewhy.ranking.classify.fine_tuned import INPUTS, MODEL, OUTPUT, TOKENIZER
from citewhy.ranking.classify.linear import LinearClassifier
from citewhy.ranking.classify.reading import Layout, Reading
from citewhy.ranking.classify.scaling import Scaling
from citewhy.ranking.classify.scored import DOCUMENT
from citewhy.text.markers import OTHER, TARGET, mask
from citewhy_lab.train.bert import open_bert
from citewhy_lab.train.devices import fast_products
from citewhy_lab.train.systems.encoder.export import OPSET, quantised, quietly
from citewhy_lab.train.systems.intent.settings import OTHER_TOKEN, TARGET_TOKEN, IntentSettings

_LONGEST = 512
"""Tokens of a text that are looked at."""


class Tokens:
    """Sentences as token ids, read with the sentences around them where these are known."""

    def __init__(self, file: Path, longest: int, context: int) -> None:
        """At most `longest` tokens of a sentence, and `context` of the one before and of the one after."""
        reader: Any = tokenizers.Tokenizer
        self.tokenizer = reader.from_file(str(file))
        self.tokenizer.enable_truncation(_LONGEST)
        self.tokenizer.no_padding()
        marks = self._number(TARGET_TOKEN), self._number(OTHER_TOKEN)
        self._layout = Layout(longest, *marks, context=context)

    def _number(self, token: str) -> int:
        number: int = self.tokenizer.token_to_id(token)
        return number

    def ids(self, text: str) -> list[int]:
        marked = mask(text).replace(TARGET, TARGET_TOKEN).replace(OTHER, OTHER_TOKEN)
        ids: list[int] = self.tokenizer.encode(marked).ids
        return ids

    def reading(self, sentence: SentenceInContext) -> Reading:
        return self._layout(self.ids(sentence.text), self.ids(sentence.previous), self.ids(sentence.next))


def padded(readings: Sequence[Reading]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Ids, mask, and weights of the sentence and of the citation, [n, t] each."""
    longest = max(len(reading.ids) for reading in readings)

    def table(rows: Sequence[np.ndarray[Any, Any]]) -> Tensor:
        return torch.from_numpy(np.stack([np.pad(row, (0, longest - len(row))) for row in rows]))

    return (
        table([reading.ids for reading in readings]),
        table([np.ones(len(reading.ids), dtype=np.float32) for reading in readings]),
        table([reading.sentence for reading in readings]),
        table([reading.targets for reading in readings]),
    )


class IntentNetwork(nn.Module):  # type: ignore[misc, unused-ignore]
    """Token ids to the scores of all labels of all heads."""

    def __init__(self, start: Path, labels: int, settings: IntentSettings) -> None:
        super().__init__()
        # Drawing the dropout of the attention took a tenth of the time.
        self.encoder: Any = open_bert(start, settings.layers, settings.layers - 1, settings.dropout, 0.0)
        self.head = nn.Linear(2 * self.encoder.config.hidden_size, labels)
        self._dropout = settings.dropout
        self._gain = settings.head_gain
        with torch.no_grad():  # the gain changes the learning rate of the head only (Adam has no scale)
            for weights in self.head.parameters():
                weights /= self._gain

    def forward(self, input_ids: Tensor, there: Tensor, sentence: Tensor, targets: Tensor) -> Tensor:
        """[n, t] each → [n, labels]."""
        with fast_products(input_ids.device, enabled=self.training):
            states = self.encoder(input_ids=input_ids, attention_mask=there).last_hidden_state.float()
        parts = [(states * weights.unsqueeze(-1)).sum(1) for weights in (sentence, targets)]
        features = functional.dropout(torch.cat(parts, 1), self._dropout, self.training)
        scores: Tensor = self.head(features) * self._gain
        return scores

    def shift(self, columns: slice, shifts: np.ndarray[Any, Any]) -> None:
        """Adds `shifts` to the scores of the labels in `columns`."""
        with torch.no_grad():
            self.head.bias[columns] += torch.from_numpy(shifts.astype(np.float32)) / self._gain


def scores(
    network: IntentNetwork, tokens: Tokens, sentences: Sequence[SentenceInContext]
) -> np.ndarray[Any, Any]:
    """[n, all labels], in full precision."""
    network.eval()
    with torch.inference_mode():
        rows = [network(*padded([tokens.reading(sentence)])).numpy() for sentence in sentences]
    return np.concatenate(rows).astype(np.float64)


# The model folder ------------------------------------------------------------------------------------------


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
            opset_version=OPSET,
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
    """The network without padding: all tokens are there."""

    def __init__(self, network: IntentNetwork) -> None:
        super().__init__()
        self.network = network.eval()

    def forward(self, input_ids: Tensor, sentence: Tensor, targets: Tensor) -> Tensor:
        scores: Tensor = self.network(input_ids, torch.ones_like(targets), sentence, targets)
        return scores

"""From a trained network to a model folder of the kind ``classifier``: ONNX, with weights of 8 bits.

Only the tokens that the training data or the given texts have keep an embedding; other words are read as the
pieces that are left, down to single letters.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson
import torch
from torch import Tensor

from citewhy.classify.fine_tuned import INPUTS, MODEL, OUTPUT, TOKENIZER
from citewhy.classify.linear import LinearClassifier
from citewhy.classify.scaling import Scaling
from citewhy.classify.scored import DOCUMENT
from citewhy.systems.encoder.export import quantised, quietly
from citewhy.systems.intent.network import IntentNetwork, Tokens
from citewhy.systems.intent.settings import OTHER_TOKEN, TARGET_TOKEN

__all__ = ["keep_tokens", "write_files"]

_OPSET = 17

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", TARGET_TOKEN, OTHER_TOKEN)


def keep_tokens(network: IntentNetwork, file: Path, texts: Iterable[str], least: int) -> bytes:
    """Drops the embeddings of tokens that occur fewer than `least` times in `texts`, and returns a tokenizer
    without them. Special tokens and single characters stay. Changes `network`."""
    tokens = Tokens(file, 512)
    counts: Counter[int] = Counter()
    for text in texts:
        counts.update(tokens.ids(text))
    document = orjson.loads(file.read_bytes())
    vocabulary: dict[str, int] = document["model"]["vocab"]
    kept = [
        name
        for name, number in sorted(vocabulary.items(), key=lambda item: item[1])
        if counts[number] >= least or name in _SPECIAL or len(name.removeprefix("##")) == 1
    ]
    places = {name: place for place, name in enumerate(kept)}
    for added in document.get("added_tokens", []):
        if added["content"] in places:
            added["id"] = places[added["content"]]
    document["added_tokens"] = [
        each for each in document.get("added_tokens", []) if each["content"] in places
    ]
    for special in document.get("post_processor", {}).get("special_tokens", {}).values():
        special["ids"] = [places[name] for name in special["tokens"]]
    for side in ("sep", "cls"):
        if side in (document.get("post_processor") or {}):
            name, _ = document["post_processor"][side]
            document["post_processor"][side] = [name, places[name]]
    document["model"]["vocab"] = places
    document["padding"], document["truncation"] = None, None
    table = network.encoder.embeddings.word_embeddings
    with torch.no_grad():
        rows = table.weight[[vocabulary[name] for name in kept]].clone()
    network.encoder.embeddings.word_embeddings = torch.nn.Embedding.from_pretrained(rows)
    return orjson.dumps(document)


def write_files(
    folder: Path,
    network: IntentNetwork,
    tokenizer: bytes,
    longest: int,
    heads: Mapping[str, tuple[Sequence[str], Scaling]],
    marked: Collection[str] = (),
    words: Mapping[str, tuple[float, LinearClassifier]] = MappingProxyType({}),
) -> None:
    """Writes the files of `classify.fine_tuned` in `folder`; `marked` are the heads whose training data say
    which citation of a sentence is meant, `words` the linear classifiers beside the network, with the weight
    of their scores."""
    (folder / TOKENIZER).write_bytes(tokenizer)
    with tempfile.TemporaryDirectory(prefix="citewhy-") as scratch, quietly():
        plain = Path(scratch) / "plain.onnx"
        torch.onnx.export(
            _Served(network),
            (torch.ones((1, 16), dtype=torch.int64), torch.full((1, 16), 1 / 16)),
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

    def forward(self, input_ids: Tensor, targets: Tensor) -> Tensor:
        scores: Tensor = self.network(input_ids, torch.ones_like(targets), targets)
        return scores

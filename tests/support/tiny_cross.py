"""Makes a tiny cross-encoder with a vocabulary of a few words, as ONNX written by hand, without any extra.

The score of a pair is the sum of its words' values, of the paper once, of the citing sentence twice.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
from tiny_onnx import FLOAT, INT64, field, node, tensor, value
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

from citewhy.ranking.rank.cross_encoder import (
    INPUTS,
    MODEL,
    OUTPUT,
    TOKENIZER,
    Limits,
    describe_cross_encoder,
)

WORDS = ("[UNK]", "[CLS]", "[SEP]", "[MASK]", "parsing", "trees", "words", "tagging", "we")

VALUES = (0.0, 0.0, 0.0, 0.0, 1.0, 10.0, 100.0, -1.0, 0.0)
"""The values of the words."""


def tiny_cross(folder: Path, depth: int = 4, weight: float = 0.0, limits: Limits | None = None) -> Path:
    """Fills a folder with the cross-encoder."""
    (folder / MODEL).write_bytes(network())
    tokenizer = tokenizers.Tokenizer(WordLevel({word: row for row, word in enumerate(WORDS)}, "[UNK]"))
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.add_special_tokens(["[CLS]", "[SEP]", "[MASK]"])
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.save(str(folder / TOKENIZER))
    weights: list[dict[str, Any]] = [{"pipeline": "full", "weight": weight, "mrr": 0.5, "before": 0.4}]
    describe_cross_encoder(folder, "tiny", depth, limits or Limits(12, 16, 8), {"weights": weights})
    return folder


def network(output: str = OUTPUT) -> bytes:
    """An ONNX model with the `VALUES` of the words."""
    ids, blocks, positions = INPUTS
    nodes = [
        node("Gather", ["values", ids], "each"),
        node("Cast", [blocks], "times", to=FLOAT),
        node("Cast", [positions], "places", to=FLOAT),
        node("Mul", ["places", "zero"], "nothing"),
        node("Mul", ["each", "times"], "counted"),
        node("Add", ["counted", "nothing"], "together"),
        node("ReduceSum", ["together", "second"], output, keepdims=0),
    ]
    tensors = [
        tensor("values", np.array(VALUES, dtype=np.float32)),
        tensor("zero", np.zeros(1, dtype=np.float32)),
        tensor("second", np.array([1])),
    ]
    graph = b"".join(
        [
            *(field(1, each) for each in nodes),
            field(2, b"tiny"),
            *(field(5, each) for each in tensors),
            *(field(11, value(name, INT64, ["n", "t"])) for name in INPUTS),
            field(12, value(output, FLOAT, ["n"])),
        ]
    )
    return field(1, 8) + field(8, field(2, 13)) + field(7, graph)

"""Makes a tiny encoder with a vocabulary of a few words, as ONNX written by hand, without any extra.

The vector of a text is the sum of its words' vectors, scaled to length 1. The field numbers are those of
https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import tokenizers
from numpy.typing import NDArray
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

from citewhy.search.encode.onnx import MODEL, TOKENIZER, describe_encoder

WORDS = (
    "[UNK]",
    "[CLS]",
    "[SEP]",
    *["a", "of", "we", "the", "bleu", "model", "words", "parsing", "translation", "trees"],
)

INT64, FLOAT = 7, 1


def word_vectors(size: int = 8) -> NDArray[np.float32]:
    """[words, size] the vectors of the words."""
    return np.random.default_rng(7).normal(size=(len(WORDS), size)).astype(np.float32)


def tiny_onnx(folder: Path, vectors: NDArray[np.float32] | None = None) -> Path:
    """Fills a folder with an encoder with the given `vectors`, by default `word_vectors`."""
    vectors = word_vectors() if vectors is None else vectors
    (folder / MODEL).write_bytes(network(vectors.shape[1], tensor("words", vectors)))
    tokenizer = tokenizers.Tokenizer(WordLevel({word: row for row, word in enumerate(WORDS)}, "[UNK]"))
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.save(str(folder / TOKENIZER))
    describe_encoder(folder, "tiny", vectors.shape[1], {"query": 16, "paper": 32}, {})
    return folder


def network(size: int, words: bytes) -> bytes:
    """An ONNX model with the tensor `words` [v, `size`] as its table of word vectors."""
    nodes = [
        node("Gather", ["words", "input_ids"], "each"),
        node("Cast", ["attention_mask"], "mask", to=FLOAT),
        node("Unsqueeze", ["mask", "last"], "weights"),
        node("Mul", ["each", "weights"], "there"),
        node("ReduceSum", ["there", "second"], "sum", keepdims=0),
        node("LpNormalization", ["sum"], "vectors", axis=1, p=2),
    ]
    tensors = [words, tensor("last", np.array([2])), tensor("second", np.array([1]))]
    inputs = [value(name, INT64, ["n", "t"]) for name in ("input_ids", "attention_mask")]
    graph = b"".join(
        [
            *(field(1, each) for each in nodes),
            field(2, b"tiny"),
            *(field(5, each) for each in tensors),
            *(field(11, each) for each in inputs),
            field(12, value("vectors", FLOAT, ["n", size])),
        ]
    )
    return field(1, 8) + field(8, field(2, 13)) + field(7, graph)


def tensor(name: str, array: NDArray[np.float32] | NDArray[np.int64]) -> bytes:
    kind = FLOAT if array.dtype == np.float32 else INT64
    dims = b"".join(field(1, size) for size in array.shape)
    return dims + field(2, kind) + field(8, name.encode()) + field(9, array.tobytes())


def tensor_elsewhere(name: str, shape: Sequence[int], location: str) -> bytes:
    """A tensor of 32-bit numbers that refers to another file."""
    where = field(1, b"location") + field(2, location.encode())
    dims = b"".join(field(1, size) for size in shape)
    return dims + field(2, FLOAT) + field(8, name.encode()) + field(13, where) + field(14, 1)


def node(kind: str, inputs: Sequence[str], output: str, **attributes: int) -> bytes:
    given = [
        field(5, field(1, name.encode()) + field(3, number) + field(20, 2))
        for name, number in attributes.items()
    ]
    taken = [field(1, each.encode()) for each in inputs]
    return b"".join([*taken, field(2, output.encode()), field(4, kind.encode()), *given])


def value(name: str, kind: int, sizes: Sequence[int | str]) -> bytes:
    dims = b"".join(
        field(1, field(2, size.encode()) if isinstance(size, str) else field(1, size)) for size in sizes
    )
    return field(1, name.encode()) + field(2, field(1, field(1, kind) + field(2, dims)))


def field(number: int, content: int | bytes) -> bytes:
    """A field of a protocol buffer: a number, or content with a length."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(number: int) -> bytes:
    rest, last = number >> 7, number & 127
    return bytes([last | 128]) + varint(rest) if rest else bytes([last])

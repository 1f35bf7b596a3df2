"""A classifier with a network over its features, which `onnxruntime` runs.

head.onnx         ``features`` [n, columns + encoder's dimensions] in, ``scores`` [n, labels] out
classifier.json   as in `scored`
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import SentenceInContext
from citewhy.models import ModelFolder
from citewhy.models.networks import Network
from citewhy.ranking.classify.scored import DOCUMENT, ScoredClassifier, fingerprint, read_parts
from citewhy.search.encode.encoder import Encoder

READER, HEAD = "onnx", "head.onnx"

INPUT, OUTPUT = "features", "scores"


class OnnxClassifier(ScoredClassifier):
    """`head` is the content of the ONNX file, `path` its folder, for error messages."""

    def __init__(self, head: bytes, path: Path, **parts: Any) -> None:
        super().__init__(**parts)
        self._network = open_network(head, path, self.vectorizer.width, len(self.labels))

    def _scores(self, sentences: Sequence[SentenceInContext]) -> NDArray[np.float64]:
        rows, vectors = self.vectorizer.sparse(sentences), self.vectorizer.dense(sentences)
        scores = np.zeros((len(sentences), len(self.labels)))
        # One at a time: the last bits of a matrix product can depend on the number of rows.
        for position, vector in enumerate(vectors):
            row = np.zeros((1, self.vectorizer.width), dtype=np.float32)
            part = slice(rows.starts[position], rows.starts[position + 1])
            np.add.at(row[0], rows.columns[part], rows.values[part])
            row[0, self.vectorizer.columns :] = vector
            scores[position] = self._network({INPUT: row})[0]
        return scores


def open_network(content: bytes, path: Path, width: int, labels: int) -> Network:
    """A network with an input [n, width] and an output [n, labels]. Raises ValueError for another network,
    and what onnxruntime raises for one that it cannot load."""
    network = Network(content, path)
    ((given, wide),), ((wanted, high),) = network.inputs.items(), network.outputs.items()
    if (given, wide[1:]) != (INPUT, (width,)):
        raise ValueError(f"expected an input {INPUT} of {width} numbers")
    if (wanted, high[1:]) != (OUTPUT, (labels,)):
        raise ValueError(f"expected an output {OUTPUT} of {labels} numbers")
    return network


def read_onnx(folder: ModelFolder, encoder: Encoder | None = None) -> OnnxClassifier:
    """Raises what `scored.read_parts` raises, and what onnxruntime raises for a network that it cannot
    load."""
    parts = read_parts(folder.json(DOCUMENT), encoder, folder.path)
    mark = fingerprint(folder)
    return OnnxClassifier(folder.read(HEAD), folder.path, name=folder.name, fingerprint=mark, **parts)

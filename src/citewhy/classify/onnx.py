"""A classifier with a network over its features, which `onnxruntime` runs.

head.onnx         ``features`` [n, columns + encoder's dimensions] in, ``scores`` [n, labels] out
classifier.json   as in `scored`
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.classify.scored import DOCUMENT, ScoredClassifier, fingerprint, read_parts
from citewhy.encode.encoder import Encoder
from citewhy.models import ModelFolder
from citewhy.models.networks import open_network
from citewhy.records import SentenceInContext

__all__ = ["HEAD", "INPUT", "OUTPUT", "READER", "OnnxClassifier", "network_session", "read_onnx"]

READER, HEAD = "onnx", "head.onnx"

INPUT, OUTPUT = "features", "scores"


class OnnxClassifier(ScoredClassifier):
    """`head` is the content of the ONNX file."""

    def __init__(self, head: bytes, **parts: Any) -> None:
        super().__init__(**parts)
        self._session = network_session(head, self.vectorizer.width, len(self.labels))

    def _scores(self, sentences: Sequence[SentenceInContext]) -> NDArray[np.float64]:
        rows, vectors = self.vectorizer.sparse(sentences), self.vectorizer.dense(sentences)
        scores = np.zeros((len(sentences), len(self.labels)))
        # One at a time: the last bits of a matrix product can depend on the number of rows.
        for place, vector in enumerate(vectors):
            row = np.zeros((1, self.vectorizer.width), dtype=np.float32)
            part = slice(rows.starts[place], rows.starts[place + 1])
            np.add.at(row[0], rows.columns[part], rows.values[part])
            row[0, self.vectorizer.columns :] = vector
            scores[place] = self._session.run([OUTPUT], {INPUT: row})[0][0]
        return scores


def network_session(network: bytes, width: int, labels: int) -> Any:
    """The session of a network with an input [n, width] and an output [n, labels]. Raises ValueError for
    another network, and what onnxruntime raises for one that it cannot load."""
    session = open_network(network)
    (given,), (wanted,) = session.get_inputs(), session.get_outputs()
    if (given.name, given.shape[1:]) != (INPUT, [width]):
        raise ValueError(f"expected an input {INPUT} of {width} numbers")
    if (wanted.name, wanted.shape[1:]) != (OUTPUT, [labels]):
        raise ValueError(f"expected an output {OUTPUT} of {labels} numbers")
    return session


def read_onnx(folder: ModelFolder, encoder: Encoder | None = None) -> OnnxClassifier:
    """Raises what `scored.read_parts` raises, and what onnxruntime raises for a network that it cannot
    load."""
    parts = read_parts(folder.json(DOCUMENT), encoder, folder.path)
    return OnnxClassifier(folder.read(HEAD), name=folder.name, fingerprint=fingerprint(folder), **parts)

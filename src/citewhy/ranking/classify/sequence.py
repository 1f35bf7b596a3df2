"""A classifier that reads whole paragraphs: a recurrent network over the features of their sentences, which
`onnxruntime` runs.

network.onnx      ``features`` [t, columns + encoder's dimensions] of the t sentences of a paragraph in,
                  ``scores`` [t, labels] out
classifier.json   as in `scored`; the features are those of a sentence alone, with its position; the encoder
                  is that of the folder (`own_encoder`)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import SentenceInContext
from citewhy.models import ModelFolder
from citewhy.ranking.classify.onnx import INPUT, open_network
from citewhy.ranking.classify.own_encoder import OwnEncoder
from citewhy.ranking.classify.scored import DOCUMENT, ScoredClassifier, fingerprint, read_parts
from citewhy.ranking.classify.vectorizer import Vectorizer

READER, NETWORK = "sequence", "network.onnx"


class SequenceClassifier(ScoredClassifier):
    """`network` is the content of the ONNX file, `path` its folder, for error messages.

    The answer for a sentence depends on its paragraph (`SentenceInContext.paragraph`; without one, on the
    sentence and its neighbours). The sentences of a paragraph that are asked together are computed together.
    """

    def __init__(self, network: bytes, path: Path, **parts: Any) -> None:
        super().__init__(**parts)
        self._network = open_network(network, path, self.vectorizer.width, len(self.labels))

    def _scores(self, sentences: Sequence[SentenceInContext]) -> NDArray[np.float64]:
        by_paragraph: dict[tuple[str, ...], NDArray[np.float32]] = {}
        scores = np.zeros((len(sentences), len(self.labels)))
        for row, sentence in enumerate(sentences):
            texts, position = paragraph_of(sentence)
            if texts not in by_paragraph:
                rows = dense(self.vectorizer, positioned(texts))
                by_paragraph[texts] = self._network({INPUT: rows})
            scores[row] = by_paragraph[texts][position]
        return scores


def paragraph_of(sentence: SentenceInContext) -> tuple[tuple[str, ...], int]:
    """Returns the sentences of its paragraph, and its position among them; if the paragraph is unknown, the
    sentence with its neighbours."""
    if sentence.paragraph:
        return sentence.paragraph, sentence.place
    texts = (sentence.previous, sentence.text, sentence.next)
    return tuple(text for position, text in enumerate(texts) if text or position == 1), int(
        bool(sentence.previous)
    )


def positioned(texts: Iterable[str]) -> list[SentenceInContext]:
    """The sentences of a paragraph, each alone, with its position in [0, 1] (0 if it is the only one)."""
    listed = list(texts)
    last = max(len(listed) - 1, 1)
    return [SentenceInContext(text, position=number / last) for number, text in enumerate(listed)]


def dense(vectorizer: Vectorizer, sentences: Sequence[SentenceInContext]) -> NDArray[np.float32]:
    """[len(sentences), width] all features."""
    rows, table = vectorizer.sparse(sentences), np.zeros((len(sentences), vectorizer.width), dtype=np.float32)
    positions = np.repeat(np.arange(len(sentences)), np.diff(rows.starts))
    np.add.at(table, (positions, rows.columns), rows.values)
    table[:, vectorizer.columns :] = vectorizer.dense(sentences)
    return table


def read_sequence(folder: ModelFolder, encoder: object = None) -> SequenceClassifier:
    """`encoder` is ignored: the classifier has its own. Raises what `scored.read_parts` and `OwnEncoder`
    raise, and what onnxruntime raises for a network that it cannot load."""
    own = OwnEncoder(folder)
    parts = read_parts({**folder.json(DOCUMENT), "encoder": own.fingerprint}, own, folder.path)
    mark = fingerprint(folder)
    return SequenceClassifier(folder.read(NETWORK), folder.path, name=folder.name, fingerprint=mark, **parts)

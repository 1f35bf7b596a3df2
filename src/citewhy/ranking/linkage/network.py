"""Networks as linkers: the reader ``network`` of the kind ``linker``.

    model.json     words, idf (of each word; null: bags are binary), joint
    weights.npy    [words, units] what a word of a pair adds to each unit
    bias.npy       [units]

A sentence s of the cited paper is scored for a citing sentence c by the sum of a layer of rectified units
over features of the pair (Nomoto 2018, formula 7):

    G1(c, s) = max(0, f(ψ(c), ψ(s)) W + b)

ψ makes a bag of stems, f is the elementwise product (``mul``) or the squared difference (``sqrd``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import orjson
from numpy.typing import NDArray

from citewhy.base.artifact import folder_aside
from citewhy.base.errors import DamagedError
from citewhy.base.records import FullText
from citewhy.models import ModelFolder, write_model
from citewhy.models.numbers import bounded
from citewhy.ranking.linkage.linker import Link
from citewhy.text.tokens import stems

READER = "network"

_MODEL, _WEIGHTS, _BIAS = "model.json", "weights.npy", "bias.npy"

Joint = Literal["mul", "sqrd"]

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class NetworkLinker:
    """Scores the sentences of papers for citing sentences; predicts no facets. Thread-safe."""

    words: Mapping[str, int]
    """Stem → row of `weights`; other stems count nowhere."""
    idf: Floats | None
    """[words] factors of the frequencies of stems; None: a stem is there or not."""
    joint: Joint
    weights: Floats
    bias: Floats

    def __call__(self, citances: Sequence[str], text: FullText, /) -> Floats:
        """[citances, sentences of text], at least 0: higher is a more likely target. The row of a citing
        sentence does not depend on the others."""
        sentences = [self._bag(sentence.text) for sentence in text.sentences]
        scores = np.zeros((len(citances), len(sentences)), dtype=np.float32)
        if scores.size:
            for row, citance in enumerate(citances):
                scores[row] = self._scores(self._bag(citance), sentences)
        return scores

    def links(self, citance: str, text: FullText, k: int = 1) -> list[Link]:
        """The best `k` sentences, best first; fewer if fewer have a stem in common with the citing sentence.
        Titles are excluded."""
        scores, asked = self([citance], text)[0], set(stems(citance))
        free = np.array(
            [
                sentence.section != "title" and not asked.isdisjoint(stems(sentence.text))
                for sentence in text.sentences
            ],
            dtype=np.bool_,
        )
        return [
            Link(best, best, best, float(scores[best]), "")
            for best in np.argsort(-scores, kind="stable").tolist()
            if free[best]
        ][:k]

    def _bag(self, text: str) -> dict[int, float]:
        """The rows of a sentence's words, with their values."""
        counts = Counter(self.words[stem] for stem in stems(text) if stem in self.words)
        if self.idf is None:
            return dict.fromkeys(counts, 1.0)
        return {row: count * float(self.idf[row]) for row, count in counts.items()}

    def _scores(self, asked: Mapping[int, float], sentences: Sequence[Mapping[int, float]]) -> Floats:
        """[sentences] sums of the units."""
        rows = sorted({*asked, *(row for sentence in sentences for row in sentence)})
        column = {row: number for number, row in enumerate(rows)}
        first = np.zeros(len(rows), dtype=np.float32)
        second = np.zeros((len(sentences), len(rows)), dtype=np.float32)
        for row, value in asked.items():
            first[column[row]] = value
        for table, sentence in zip(second, sentences, strict=True):
            for row, value in sentence.items():
                table[column[row]] = value
        features = first * second if self.joint == "mul" else (first - second) ** 2
        units = np.maximum(features @ self.weights[rows] + self.bias, 0)
        summed: Floats = units.sum(axis=1)
        return summed


def read_network(folder: ModelFolder) -> NetworkLinker:
    """Raises DamagedError for files that are not those of a network."""
    try:
        document = folder.json(_MODEL)
        weights, bias = (_floats(folder, name) for name in (_WEIGHTS, _BIAS))
        words = {str(word): row for row, word in enumerate(document["words"])}
        idf = None if document["idf"] is None else np.array(document["idf"], dtype=np.float32)
        fits = weights.ndim == 2 and bias.shape == weights.shape[1:]
        if not fits or len(weights) != len(document["words"]) or len(words) != len(weights):
            raise ValueError(f"weights of shape {weights.shape} for {len(words)} words")
        if idf is not None and (idf.shape != (len(words),) or not bounded(idf)):
            raise ValueError("the factors of words are not one number each")
        if document["joint"] not in get_args(Joint):
            raise ValueError(f"pairs are joined by {document['joint']!r}")
    except (KeyError, TypeError, ValueError, OSError, OverflowError) as error:
        raise DamagedError(
            f"this is no linkage network ({type(error).__name__}: {error})",
            path=folder.path / _MODEL,
            hint="make it with: citewhy train linkage-network",
        ) from error
    return NetworkLinker(words, idf, document["joint"], weights, bias)


def _floats(folder: ModelFolder, name: str) -> Floats:
    """Raises ValueError for what is no array of bounded numbers in 32 bits."""
    array: NDArray[Any] = np.load(folder.file(name), allow_pickle=False)
    if array.dtype != np.float32 or not bounded(array):
        raise ValueError(f"{name} does not have bounded numbers of 32 bits")
    return array


def write_network(
    out: Path,
    name: str,
    words: Sequence[str],
    idf: Floats | None,
    joint: Joint,
    weights: Floats,
    bias: Floats,
    facts: Mapping[str, Any],
) -> None:
    """Writes the model folder `out`; parameters as those of `NetworkLinker`. Raises StorageError."""
    document = {"words": list(words), "idf": None if idf is None else idf.tolist(), "joint": joint}
    with folder_aside(out) as aside:
        (aside / _MODEL).write_bytes(orjson.dumps(document) + b"\n")
        np.save(aside / _WEIGHTS, weights.astype(np.float32))
        np.save(aside / _BIAS, bias.astype(np.float32))
        write_model(aside, "linker", READER, name, facts)

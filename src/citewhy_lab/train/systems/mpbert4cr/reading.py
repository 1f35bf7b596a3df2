"""Sentences as the inputs of the network: numbers of words, or the vectors of a ready encoder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from citewhy.base.progress import Progress
from citewhy.search.encode import Encoder
from citewhy_lab.train.reranking.words import TARGET, tokens
from citewhy_lab.train.systems.mpbert4cr.network import END, FIRST_WORD, PADDING, UNKNOWN
from citewhy_lab.train.systems.mpbert4cr.settings import MpBertShape

__all__ = ["Reader", "ReadyVectors", "Vocabulary"]

_ENCODED = 256
"""Sentences that are encoded at a time."""


class Reader(Protocol):
    """Makes the tensors of documents."""

    def documents(self, texts: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
        """[b, s, w] words or [b, s, d] vectors, and [b, s] which sentences there are, at least one each."""
        ...


class Vocabulary:
    """Words by number, from `FIRST_WORD`."""

    def __init__(self, names: Sequence[str], shape: MpBertShape) -> None:
        self.names = list(names)
        self._shape = shape
        self._numbers = {name: number for number, name in enumerate(self.names, FIRST_WORD)}

    @classmethod
    def of(cls, sentences: Iterable[str], shape: MpBertShape) -> Vocabulary:
        """The most frequent words, ties in alphabetical order; the placeholder of the citation is always one
        of them."""
        counts = Counter(word for sentence in sentences for word in _words(sentence) if word != TARGET)
        ranked = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
        return cls([TARGET, *(word for word, _ in ranked[: shape.words])], shape)

    def __len__(self) -> int:
        """Rows of an embedding table."""
        return FIRST_WORD + len(self.names)

    def numbers(self, sentence: str) -> list[int]:
        """The first words of a sentence, and its end."""
        known = [self._numbers.get(each, UNKNOWN) for each in _words(sentence)]
        return [*known[: self._shape.sentence - 1], END]

    def documents(self, texts: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
        """As `Reader.documents`."""
        read = [[self.numbers(each) for each in text[: self._shape.sentences]] for text in texts]
        longest, widest = max(map(len, read)), max(len(each) for text in read for each in text)
        found = torch.full((len(read), longest, widest), PADDING)
        for place, text in enumerate(read):
            for number, sentence in enumerate(text):
                found[place, number, : len(sentence)] = torch.tensor(sentence)
        return found, (found != PADDING).any(dim=2)


class ReadyVectors:
    """The sentence vectors of a ready encoder, which is not trained. Each sentence is encoded once."""

    def __init__(self, encoder: Encoder, shape: MpBertShape) -> None:
        self._encoder = encoder
        self._shape = shape
        self._number: dict[str, int] = {}
        self._table = torch.zeros(0, encoder.dimensions)

    def learn(self, sentences: Iterable[str], progress: Progress | None = None) -> None:
        """Encodes those that are new."""
        new = list(dict.fromkeys(each for each in sentences if each not in self._number))
        parts = []
        for start in range(0, len(new), _ENCODED):
            if progress is not None:
                progress(f"encoding {len(new):,} sentences", start / len(new))
            parts.append(self._encoder.encode(new[start : start + _ENCODED], "query"))
        if parts:
            self.keep(new, np.concatenate(parts))

    def keep(self, sentences: Sequence[str], vectors: np.typing.NDArray[np.float32]) -> None:
        """Vectors [n, dimensions] of sentences that are new."""
        first = len(self._number)
        self._number |= {each: number for number, each in enumerate(sentences, first)}
        if len(self._number) > len(self._table):  # twice the room, so that rows are rarely copied
            room = torch.zeros(2 * len(self._number) - first, self._table.shape[1])
            self._table = torch.cat([self._table[:first], room])
        self._table[first : len(self._number)] = torch.from_numpy(np.ascontiguousarray(vectors))

    def documents(self, texts: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
        """As `Reader.documents`."""
        read = [text[: self._shape.sentences] for text in texts]
        self.learn(each for text in read for each in text)
        rows = torch.full((len(read), max(map(len, read))), -1)
        for place, text in enumerate(read):
            rows[place, : len(text)] = torch.tensor([self._number[each] for each in text])
        there = rows >= 0
        return self._table[rows.clamp(min=0)] * there[:, :, None], there


def _words(sentence: str) -> list[str]:
    return tokens(sentence, function_words=True)

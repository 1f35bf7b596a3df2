"""Inference with an NCN network: the scores of a query's candidates, in validation and in use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from citewhy.base.records import Paper, Query
from citewhy.text.tokens import STOP_WORDS
from citewhy_lab.train.systems.ncn.network import Ncn
from citewhy_lab.train.systems.ncn.reading import Reader

__all__ = ["Scorer"]


class Scorer:
    """Not to be shared between threads."""

    def __init__(self, network: Ncn, reader: Reader) -> None:
        self._network = network.eval()
        self._device = network.embedding.weight.device
        self._reader = reader

    def scores(self, query: Query, papers: Sequence[Paper]) -> NDArray[np.float32]:
        """[n] mean log-probabilities of the titles of n ≥ 1 papers, at most 0."""
        contexts, titles = self._reader.contexts([query]), self._reader.candidates(papers, _all(papers))
        with torch.inference_mode():
            found = self._network.scores(contexts.to(self._device), titles.to(self._device))
        scores: NDArray[np.float32] = found.cpu().numpy()
        return scores

    def likely(self, query: Query, paper: Paper, most: int) -> list[tuple[str, float]]:
        """The `most` most probable words of the paper's title that are no function words, with their
        probabilities."""
        contexts, titles = self._reader.contexts([query]), self._reader.candidates([paper], _all([paper]))
        with torch.inference_mode():
            chances = self._network(contexts.to(self._device), titles.to(self._device))[0].exp().tolist()
        words = [
            self._reader.titles.names[number - 1] if number else "" for number in self._reader.title(paper)
        ]
        each = sorted(zip(words, chances, strict=False), key=lambda pair: pair[1])
        found = {word: chance for word, chance in each if word and word not in STOP_WORDS}
        return sorted(found.items(), key=lambda each: (-each[1], each[0]))[:most]


def _all(papers: Sequence[Paper]) -> torch.Tensor:
    """All are asked about the one context."""
    return torch.zeros(len(papers), dtype=torch.long)

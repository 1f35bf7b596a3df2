"""A trained NCN network in use: its model folder (`train.reranking.folder`), the scores of a query's
candidates, and the `Reranker`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from citewhy.base.records import Paper, Query, Reason
from citewhy.models import ModelFolder
from citewhy.models.networks import finite
from citewhy.ranking.rank.reranker import ChosenWeight, RerankRequest
from citewhy.text.tokens import STOP_WORDS
from citewhy_lab.train.reranking.folder import (
    NetworkReranker,
    chosen_weights,
    read_network,
    read_vocabulary,
    save_network,
)
from citewhy_lab.train.systems.ncn.network import Ncn, Reader
from citewhy_lab.train.systems.ncn.settings import NcnShape

DEPTH = 200
"""The number of candidates that are reranked, as many as in training: the decoder reads each title word by
word."""

_WORDS_SHOWN = 3

_WIDTHS = ("widths", "author_widths")


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
            mean = self._network.scores(contexts.to(self._device), titles.to(self._device))
        scores: NDArray[np.float32] = mean.cpu().numpy()
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
        pairs = sorted(zip(words, chances, strict=False), key=lambda pair: pair[1])
        likely = {word: chance for word, chance in pairs if word and word not in STOP_WORDS}
        return sorted(likely.items(), key=lambda pair: (-pair[1], pair[0]))[:most]


def _all(papers: Sequence[Paper]) -> torch.Tensor:
    """All are asked about the one context."""
    return torch.zeros(len(papers), dtype=torch.long)


class NcnReranker(NetworkReranker):
    """A trained network, for citing sentences."""

    depth = DEPTH

    def __init__(self, scorer: Scorer, chosen_weights: Sequence[ChosenWeight], path: Path) -> None:
        super().__init__("NCN", chosen_weights, path)
        self._scorer = scorer

    def scores(self, request: RerankRequest) -> NDArray[np.float32]:
        """[n] mean log-probabilities of the words of the candidates' titles, at most 0. Raises ModelError if
        one is not finite."""
        if not request.papers:
            return np.zeros(0, dtype=np.float32)
        with self._lock:
            return finite(self._scorer.scores(request.query, request.papers), self._path)

    def reasons(self, request: RerankRequest, place: int) -> tuple[Reason, ...]:
        """The mean probability of a word of the title, and the most probable words."""
        paper = request.papers[place]
        with self._lock:
            (mean,) = self._scorer.scores(request.query, [paper]).tolist()
            likely = self._scorer.likely(request.query, paper, _WORDS_SHOWN)
        words = ", ".join(f"“{word}” {chance:.2g}" for word, chance in likely)
        most = f"; most probable: {words}" if words else ""
        text = f"after the sentence, a word of the title has probability {np.exp(mean):.2g} on average{most}"
        return (Reason("text", text, 1.0),)


# The model folder ------------------------------------------------------------------------------------------


def save(out: Path, network: Ncn, reader: Reader, facts: Mapping[str, Any]) -> None:
    """Writes `out` aside and renames it. Raises StorageError."""
    names = {
        "words": reader.words.names,
        "titles": reader.titles.names,
        "authors": reader.authors.names,
    }
    save_network(out, network, names, "ncn", "NCN", network.shape, facts)


def open_ncn(folder: ModelFolder) -> NcnReranker:
    """The reranker in a model folder. Raises DamagedError for files that do not hold a network, its words and
    its authors."""
    readers: list[Reader] = []

    def make() -> Ncn:
        reader = _reader(folder)
        readers.append(reader)
        return Ncn(len(reader.words), len(reader.titles), len(reader.authors), reader.shape)

    network = read_network(folder, make)
    return NcnReranker(Scorer(network, readers[0]), chosen_weights(folder), folder.path)


def _reader(folder: ModelFolder) -> Reader:
    """Raises TypeError, KeyError or ValueError for what is no vocabulary, or no shape."""
    sizes = dict(folder.fact("shape", dict))
    widths: dict[str, Any] = {name: tuple(sizes.pop(name)) for name in _WIDTHS}
    every = [*sizes.values(), *(width for each in widths.values() for width in each)]
    shape = NcnShape(**sizes, **widths)
    if not all(type(size) is int and size > 0 for size in every) or not all(widths.values()):
        raise ValueError(f"the shape is {folder.facts['shape']}")
    if max(shape.widths) > shape.context_tokens or max(shape.author_widths) > shape.authors:
        raise ValueError("a convolution is wider than what it reads")
    words, titles, authors = read_vocabulary(folder, "words", "titles", "authors")
    return Reader(words, titles, authors, shape)

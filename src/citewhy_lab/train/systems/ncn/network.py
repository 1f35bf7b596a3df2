"""The NCN network (Ebesu and Fang 2017): an encoder of a citing sentence and of the authors on both sides,
and a decoder that gives the words of a title their probabilities; and its inputs, numbers of words and
authors.

Shapes: p contexts, m pairs of a context and a candidate, F = `NcnShape.filters`, T = `NcnShape.title_tokens`.
All numbers of words and authors are padded at their ends with -1 to the fixed lengths of the shape, so that a
score does not depend on what else is in a batch.

A trained NCN network in use: its model folder (`train.reranking.folder`), the scores of a query's
candidates, and the `Reranker`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import log_softmax

from citewhy.base.records import Paper, Query, Reason
from citewhy.models import ModelFolder
from citewhy.ranking.rank.chosen_weights import chosen_weights
from citewhy.ranking.rank.reranker import ChosenWeight, RerankRequest
from citewhy.text.tokens import STOP_WORDS
from citewhy_lab.train.reranking.folder import (
    NetworkReranker,
    read_network,
    read_vocabulary,
    save_network,
)
from citewhy_lab.train.reranking.words import OTHER, TARGET, UNKNOWN, Numbered, author_keys, padded, tokens
from citewhy_lab.train.systems.ncn.settings import NcnShape

_AT_ONCE = 1024
"""Words whose probabilities are computed at once: each takes as many numbers as there are words."""


@dataclass(frozen=True, slots=True)
class Contexts:
    """p citing sentences."""

    words: Tensor
    """[p, `NcnShape.context_tokens`]."""
    authors: Tensor
    """[p, `NcnShape.authors`] of the citing papers."""

    def to(self, device: torch.device) -> Contexts:
        return Contexts(self.words.to(device), self.authors.to(device))


@dataclass(frozen=True, slots=True)
class Titles:
    """m pairs of a context and a candidate."""

    words: Tensor
    """[m, T], at least one word each."""
    authors: Tensor
    """[m, `NcnShape.authors`] of the candidates."""
    context: Tensor
    """[m] places in the contexts."""

    def to(self, device: torch.device) -> Titles:
        return Titles(self.words.to(device), self.authors.to(device), self.context.to(device))


class Convolutions(nn.Module):  # type: ignore[misc, unused-ignore]
    """A time-delay neural network: convolutions of several widths, each followed by ReLU and the maximum over
    time."""

    def __init__(self, size: int, filters: int, widths: Sequence[int]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv1d(size, filters, width) for width in widths)
        for layer in self.layers:
            nn.init.normal_(layer.weight, std=0.01)
            nn.init.constant_(layer.bias, 0.01)

    def forward(self, vectors: Tensor) -> Tensor:
        """[n, length, size] → [n, widths, F]."""
        across = vectors.transpose(1, 2)
        return torch.stack([torch.relu(layer(across)).amax(dim=2) for layer in self.layers], dim=1)


class Decoder(nn.Module):  # type: ignore[misc, unused-ignore]
    """A GRU over the words of a title, with additive attention on the outputs of the encoder."""

    def __init__(self, words: int, shape: NcnShape, dropout: float) -> None:
        super().__init__()
        self.start = words  # the row of the word before the first
        self.embedding = nn.Embedding(words + 1, shape.word)
        self.merge = nn.Linear(shape.word + shape.filters, shape.word)
        self.cell = nn.GRUCell(shape.word, shape.state)
        self.keys = nn.Linear(shape.filters, shape.filters, bias=False)
        self.query = nn.Linear(shape.state, shape.filters)
        self.v = nn.Linear(shape.filters, 1, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(shape.state + shape.filters, words)

    def forward(self, encoded: Tensor, titles: Tensor) -> Tensor:
        """Outputs of the encoder [m, e, F], titles [m, T] → log-probabilities [m, T], 0 for padding.

        The state of a word is computed from the word before it and from what the attention found then; the
        word's probability from its state and what the attention finds with it.
        """
        there = titles >= 0
        words = titles.clamp(min=0)
        before = torch.cat([words.new_full((len(words), 1), self.start), words[:, :-1]], dim=1)
        vectors, keys = self.embedding(before), self.keys(encoded)
        state = encoded.new_zeros(len(words), self.cell.hidden_size)
        attended = encoded.new_zeros(len(words), encoded.shape[2])
        steps = []
        for position in range(int(there.sum(dim=1).max())):
            read = self.dropout(self.merge(torch.cat([vectors[:, position], attended], dim=1)))
            state = self.cell(read, state)
            attended = self.attend(encoded, keys, state)
            steps.append(torch.cat([state, attended], dim=1))
        outputs = torch.stack(steps, dim=1)  # [m, longest, state + F]
        at = there[:, : outputs.shape[1]]
        chances = outputs.new_zeros(at.shape)
        return chances.masked_scatter(at, self.log_probabilities(outputs[at], words[:, : at.shape[1]][at]))

    def attend(self, encoded: Tensor, keys: Tensor, state: Tensor) -> Tensor:
        """Returns the mean of encoded [m, e, F], weighted by the softmax of v · tanh(W s_j + U h) over j."""
        scores = self.v(torch.tanh(keys + self.query(state)[:, None]))
        return (torch.softmax(scores, dim=1) * encoded).sum(dim=1)

    def log_probabilities(self, outputs: Tensor, words: Tensor) -> Tensor:
        """[n] of `words` [n] after `outputs` [n, state + F]."""
        return torch.cat(
            [
                log_softmax(self.output(part), dim=1).gather(1, target[:, None])[:, 0]
                for part, target in zip(outputs.split(_AT_ONCE), words.split(_AT_ONCE), strict=True)
            ]
        )


class Ncn(nn.Module):  # type: ignore[misc, unused-ignore]
    """`words`, `title_words` and `authors` are sizes of vocabularies, the unknown included."""

    def __init__(
        self, words: int, title_words: int, authors: int, shape: NcnShape, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(words, shape.word)
        self.people = nn.Embedding(authors, shape.author)
        nn.init.normal_(self.embedding.weight, std=0.01)
        nn.init.normal_(self.people.weight, std=0.01)
        self.context = Convolutions(shape.word, shape.filters, shape.widths)
        self.citing = Convolutions(shape.author, shape.filters, shape.author_widths)
        self.cited = Convolutions(shape.author, shape.filters, shape.author_widths)
        self.decoder = Decoder(title_words, shape, dropout)

    def forward(self, contexts: Contexts, titles: Titles) -> Tensor:
        """[m, T] log-probabilities of the words of the titles; 0 for padding."""
        own = torch.cat(
            [
                self.context(_vectors(self.embedding, contexts.words)),
                self.citing(_vectors(self.people, contexts.authors)),
            ],
            dim=1,
        )
        theirs = self.cited(_vectors(self.people, titles.authors))
        return self.decoder(torch.cat([own[titles.context], theirs], dim=1), titles.words)

    def scores(self, contexts: Contexts, titles: Titles) -> Tensor:
        """[m] mean log-probability of a title's words, at most 0."""
        chances = self(contexts, titles)
        return chances.sum(dim=1) / (titles.words >= 0).sum(dim=1)


def _vectors(embedding: nn.Embedding, numbers: Tensor) -> Tensor:
    """[n, length, size]; zeros for padding."""
    return embedding(numbers.clamp(min=0)) * (numbers >= 0)[:, :, None]


# The inputs -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reader:
    """Three vocabularies; what is in none of them is `UNKNOWN`."""

    words: Numbered
    """Words of contexts."""
    titles: Numbered
    authors: Numbered
    shape: NcnShape

    @classmethod
    def of(cls, papers: Sequence[Paper], queries: Sequence[Query], shape: NcnShape) -> Reader:
        """Returns the most frequent words and authors, each occurring at least twice."""
        titles = [_title(paper) for paper in papers]
        authors = [author_keys(paper, shape.authors) for paper in papers]
        contexts = [tokens(query.text, function_words=True) for query in queries]
        return cls(
            _frequent(contexts, shape.vocabulary, always=(TARGET,)),
            _frequent(titles, shape.vocabulary),
            _frequent(authors, shape.vocabulary),
            shape,
        )

    def contexts(self, queries: Sequence[Query]) -> Contexts:
        """Returns the words around the first ``TARGETCIT``, of which the placeholders are left out."""
        people = [self._people(Paper("", "", authors=query.authors)) for query in queries]
        return Contexts(
            _table([self._context(query.text) for query in queries], self.shape.context_tokens),
            _table(people, self.shape.authors),
        )

    def candidates(self, papers: Sequence[Paper], context: Tensor) -> Titles:
        """`context` [m] places in the contexts."""
        return Titles(
            _table([self.title(paper) for paper in papers], self.shape.title_tokens),
            _table([self._people(paper) for paper in papers], self.shape.authors),
            context,
        )

    def title(self, paper: Paper) -> list[int]:
        """Returns numbers of the words of a title, at least one."""
        return self.titles(_title(paper)[: self.shape.title_tokens]) or [UNKNOWN]

    def _context(self, text: str) -> list[int]:
        words = tokens(text, function_words=True)
        target = words.index(TARGET) if TARGET in words else len(words)
        there = [position for position, word in enumerate(words) if word not in (TARGET, OTHER)]
        size = self.shape.context_tokens
        before = sum(position < target for position in there)
        first = min(max(before - size // 2, 0), max(len(there) - size, 0))
        return self.words(words[position] for position in there[first : first + size])

    def _people(self, paper: Paper) -> list[int]:
        return self.authors(author_keys(paper, self.shape.authors))


def _table(lists: Sequence[Sequence[int]], length: int) -> Tensor:
    return torch.from_numpy(padded(lists, length))


def _title(paper: Paper) -> list[str]:
    return tokens(paper.title, function_words=True)


def _frequent(seen: Iterable[Sequence[str]], most: int, always: Sequence[str] = ()) -> Numbered:
    """At most `most` names that occur twice or more, the most frequent ones."""
    counts = Counter(name for names in seen for name in names if name not in always)
    often = [name for name, count in counts.items() if count > 1]
    ranked = sorted(often, key=lambda name: (-counts[name], name))
    return Numbered([*always, *ranked[:most]])


# In use --------------------------------------------------------------------------------------------------


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
        """Returns the `most` most probable words of the paper's title that are no function words, with their
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

    def _scores(self, request: RerankRequest) -> NDArray[np.float32]:
        """[n] mean log-probabilities of the words of the candidates' titles, at most 0."""
        return self._scorer.scores(request.query, request.papers)

    def reasons(self, request: RerankRequest, place: int) -> tuple[Reason, ...]:
        """Returns the mean probability of a word of the title, and the most probable words."""
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
    """Returns the reranker in a model folder. Raises DamagedError for files that do not hold a network, its
    words and its authors."""

    def make(reader: Reader) -> Ncn:
        return Ncn(len(reader.words), len(reader.titles), len(reader.authors), reader.shape)

    scorer = Scorer(*read_network(folder, _reader, make))
    return NcnReranker(scorer, chosen_weights(folder), folder.path)


def _reader(folder: ModelFolder) -> Reader:
    """Raises TypeError, KeyError or ValueError for what is no vocabulary, or no shape."""
    sizes = dict(folder.fact("shape", dict))
    widths: dict[str, Any] = {name: tuple(sizes.pop(name)) for name in _WIDTHS}
    every = [*sizes.values(), *(width for by_layer in widths.values() for width in by_layer)]
    shape = NcnShape(**sizes, **widths)
    if not all(type(size) is int and size > 0 for size in every) or not all(widths.values()):
        raise ValueError(f"the shape is {folder.facts['shape']}")
    if max(shape.widths) > shape.context_tokens or max(shape.author_widths) > shape.authors:
        raise ValueError("a convolution is wider than what it reads")
    words, titles, authors = read_vocabulary(folder, "words", "titles", "authors")
    return Reader(words, titles, authors, shape)

"""The TEXTBIB network (Medić and Šnajder 2020): a text module and a bibliographic module.

TextBibShapes: p contexts, m pairs of a context and a candidate paper, N tokens of several texts (`Ragged`),
H = 2 · `TextBibShape.state`.

The inputs of the TEXTBIB network: numbers of words and authors, citation counts; as tensors for
batches.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from citewhy.base.records import Paper, Query
from citewhy_lab.train.reranking.words import TARGET, UNKNOWN, Numbered, author_keys, padded, tokens
from citewhy_lab.train.systems.textbib.settings import TextBibShape


@dataclass(frozen=True, slots=True)
class Ragged:
    """Texts of different lengths without padding, one after another: `values` [N, ...] of n texts, `lengths`
    [n] of at least 1 each, N their sum."""

    values: Tensor
    lengths: Tensor

    @classmethod
    def of(cls, texts: Sequence[Sequence[int]]) -> Ragged:
        """Joins lists of numbers."""
        lengths = torch.tensor([len(text) for text in texts], dtype=torch.long)
        flat = [number for text in texts for number in text]
        return cls(torch.tensor(flat, dtype=torch.long), lengths)

    def to(self, device: torch.device) -> Ragged:
        return Ragged(self.values.to(device), self.lengths.to(device))

    @property
    def owner(self) -> Tensor:
        """[N] which text each value belongs to."""
        return torch.repeat_interleave(self.lengths)

    def places(self, texts: Tensor) -> tuple[Tensor, Tensor]:
        """Returns positions of the values of `texts` [m], one text after another, and their lengths [m]."""
        starts = torch.cumsum(self.lengths, 0) - self.lengths
        lengths = self.lengths[texts]
        first = torch.repeat_interleave(starts[texts] - (torch.cumsum(lengths, 0) - lengths), lengths)
        return first + torch.arange(len(first), device=first.device), lengths

    def take(self, texts: Tensor) -> Ragged:
        """Returns the texts with these numbers [m], in this order; the same one may be taken several
        times."""
        positions, lengths = self.places(texts)
        return Ragged(self.values[positions], lengths)

    def softmax(self) -> Tensor:
        """[N] softmax of values [N] within each text."""
        owner, n = self.owner, len(self.lengths)
        highest = self.values.new_full((n,), -torch.inf)
        highest = highest.scatter_reduce(0, owner, self.values.detach(), "amax")
        exponentials = torch.exp(self.values - highest[owner])
        total = self.values.new_zeros(n).index_add(0, owner, exponentials)
        return exponentials / total[owner]

    def sum(self) -> Tensor:
        """Returns [n, ...] sums over each text."""
        zeros = self.values.new_zeros(len(self.lengths), *self.values.shape[1:])
        return zeros.index_add(0, self.owner, self.values)


@dataclass(frozen=True, slots=True)
class Contexts:
    """Tokens of p contexts."""

    tokens: Ragged
    targets: Tensor
    """[N] true at the tokens ``TARGETCIT``; each context has at least one."""
    citing: Ragged
    """Tokens of title and abstract of the citing papers."""

    def to(self, device: torch.device) -> Contexts:
        return Contexts(self.tokens.to(device), self.targets.to(device), self.citing.to(device))


@dataclass(frozen=True, slots=True)
class Candidates:
    """m pairs of a context and a candidate."""

    tokens: Ragged
    """Tokens of the distinct candidates."""
    authors: Tensor
    """[candidates, a] numbers, padded with -1; each candidate has at least one."""
    context: Tensor
    """[m] places in the contexts."""
    paper: Tensor
    """[m] places in the candidates."""
    cited: Tensor
    """[m, 2] ln(1 + citations), in all and recent, as of the context's year."""

    def to(self, device: torch.device) -> Candidates:
        tensors = (self.authors, self.context, self.paper, self.cited)
        return Candidates(self.tokens.to(device), *(tensor.to(device) for tensor in tensors))


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of m pairs, with their parts."""

    final: Tensor
    """[m]."""
    text: Tensor
    """[m] in [-1, 1]."""
    bibliographic: Tensor
    """[m] in [-1, 1]; zeros without the bibliographic module."""
    shares: Tensor
    """[m, 2] weights of the text score and the bibliographic score."""

    @classmethod
    def joined(cls, parts: Sequence[Scores]) -> Scores:
        """Joins the scores of all pairs, one part after another; there is at least one."""
        return cls(
            torch.cat([part.final for part in parts]),
            torch.cat([part.text for part in parts]),
            torch.cat([part.bibliographic for part in parts]),
            torch.cat([part.shares for part in parts]),
        )

    def to(self, device: torch.device) -> Scores:
        tensors = (self.final, self.text, self.bibliographic, self.shares)
        return Scores(*(tensor.to(device) for tensor in tensors))


class Encoder(nn.Module):  # type: ignore[misc, unused-ignore]
    """Token embeddings and a bidirectional LSTM: a state for each token, independent of the query."""

    def __init__(self, words: int, shape: TextBibShape, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, shape.word)
        self.dropout = nn.Dropout(dropout)
        self.forwards = nn.LSTM(shape.word, shape.state, batch_first=True)
        self.backwards = nn.LSTM(shape.word, shape.state, batch_first=True)

    def forward(self, tokens: Ragged) -> Ragged:
        """[N] numbers of words → [N, H].

        Texts are encoded in groups of similar length, padded at their ends, once in each direction: on a CPU
        several times as fast as packed sequences, whose gradients are computed step by step.
        """
        order = torch.argsort(tokens.lengths, stable=True)
        parts, positions = [], []
        for group in _groups(tokens.lengths[order].tolist()):
            texts = order[group]
            where, lengths = tokens.places(texts)
            parts.append(self._read(tokens.values[where], lengths))
            positions.append(where)
        states = torch.cat(parts)[torch.argsort(torch.cat(positions))]
        return Ragged(states, tokens.lengths)

    def _read(self, words: Tensor, lengths: Tensor) -> Tensor:
        """[N, H] for the words [N] of texts of like lengths."""
        text = torch.repeat_interleave(lengths)
        column = torch.arange(len(words), device=words.device) - (torch.cumsum(lengths, 0) - lengths)[text]
        mirrored = lengths[text] - 1 - column
        vectors = self.dropout(self.embedding(words))
        states = []
        for lstm, columns in ((self.forwards, column), (self.backwards, mirrored)):
            padded = vectors.new_zeros(len(lengths), int(lengths.max()), vectors.shape[1])
            padded = padded.index_put((text, columns), vectors)
            states.append(lstm(padded)[0][text, columns])
        return torch.cat(states, dim=1)


def _groups(lengths: Sequence[int]) -> list[slice]:
    """Returns slices of ascending `lengths`: in each the longest is at most a third longer than the
    shortest."""
    groups, first = [], 0
    for position, length in enumerate(lengths):
        if length > max(lengths[first] * 4 // 3, 8):
            groups.append(slice(first, position))
            first = position
    return [*groups, slice(first, len(lengths))]


class Attention(nn.Module):  # type: ignore[misc, unused-ignore]
    """Additive attention a_i = v · tanh(W [q; h_i]) (Bahdanau et al. 2015), with W in two parts."""

    def __init__(self, shape: TextBibShape) -> None:
        super().__init__()
        self.query = nn.Linear(2 * shape.state, shape.attention, bias=False)
        self.state = nn.Linear(2 * shape.state, shape.attention, bias=False)
        self.v = nn.Linear(shape.attention, 1, bias=False)

    def forward(self, queries: Tensor, states: Ragged, keys: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Queries [n, H], states [N, H] of n texts → embeddings [n, H] and weights [N].

        `keys` [N, attention]: `self.state(states)`, if it was computed before.
        """
        keys = self.state(states.values) if keys is None else keys
        asked = self.query(queries)[states.owner]
        weights = Ragged(self.v(torch.tanh(asked + keys)).squeeze(1), states.lengths).softmax()
        return Ragged(weights[:, None] * states.values, states.lengths).sum(), weights


class Bibliographic(nn.Module):  # type: ignore[misc, unused-ignore]
    """Embeddings of the authors → convolution → maximum over authors; with citation counts → one score."""

    def __init__(self, authors: int, shape: TextBibShape) -> None:
        super().__init__()
        self.embedding = nn.Embedding(authors, shape.author)
        self.convolution = nn.Conv1d(shape.author, shape.people, shape.span, padding=shape.span // 2)
        self.score = nn.Linear(shape.people + 2, 1)

    def forward(self, authors: Tensor, paper: Tensor, cited: Tensor) -> Tensor:
        """Authors [candidates, a] padded with -1, candidates [m] of the pairs, counts [m, 2] → [m] in
        [-1, 1]."""
        there = authors >= 0
        vectors = self.embedding(authors.clamp(min=0)) * there[:, :, None]
        people = torch.relu(self.convolution(vectors.transpose(1, 2)))  # [candidates, people, a]
        people = people.masked_fill(~there[:, None, :], 0).amax(dim=2)
        return torch.tanh(self.score(torch.cat([people[paper], cited], dim=1))).squeeze(1)


class TextBib(nn.Module):  # type: ignore[misc, unused-ignore]
    """All six variants, by `shape`."""

    def __init__(self, words: int, authors: int, shape: TextBibShape, dropout: float = 0.0) -> None:
        super().__init__()
        self.shape = shape
        self.encoder = Encoder(words, shape, dropout)
        self.attention = Attention(shape)
        if shape.bibliographic:
            self.bibliographic = Bibliographic(authors, shape)
        if shape.weighted:
            self.weights = nn.Linear(2 * shape.state, 2)

    def forward(self, contexts: Contexts, candidates: Candidates) -> Scores:
        """Every distinct text is encoded once, however many pairs it is in."""
        texts = [contexts.tokens, candidates.tokens]
        if self.shape.enhanced:
            texts.insert(1, contexts.citing)
        read = _split(self.encoder(_joined(texts)), texts)
        plain, enhanced = self.context(read[0], contexts.targets, read[1] if self.shape.enhanced else None)
        return self.score(plain, enhanced, read[-1], candidates)

    def context(self, states: Ragged, targets: Tensor, citing: Ragged | None) -> tuple[Tensor, Tensor]:
        """[p, H] twice: z_c, and z_c + z_ca; both are z_c without `citing`.

        The attention query for the context is the state of its ``TARGETCIT``, the mean of several; for title
        and abstract of the citing paper it is z_c.
        """
        marked = targets.to(states.values.dtype)
        total = Ragged(states.values * marked[:, None], states.lengths).sum()
        plain, _ = self.attention(total / Ragged(marked, states.lengths).sum()[:, None], states)
        if citing is None:
            return plain, plain
        return plain, plain + self.attention(plain, citing)[0]

    def score(
        self,
        plain: Tensor,
        enhanced: Tensor,
        states: Ragged,
        candidates: Candidates,
        keys: Tensor | None = None,
    ) -> Scores:
        """`states` [N, H] of the distinct candidates; `keys` as of `Attention`."""
        positions, lengths = states.places(candidates.paper)
        keys = self.attention.state(states.values) if keys is None else keys
        asking = enhanced[candidates.context]
        paper, _ = self.attention(asking, Ragged(states.values[positions], lengths), keys[positions])
        text = cosine_similarity(asking, paper)
        if not self.shape.bibliographic:
            one = torch.stack([torch.ones_like(text), torch.zeros_like(text)], dim=1)
            return Scores(text, text, torch.zeros_like(text), one)
        bib = self.bibliographic(candidates.authors, candidates.paper, candidates.cited)
        shares = text.new_ones(len(text), 2)
        if self.shape.weighted:
            shares = torch.softmax(self.weights(plain), dim=1)[candidates.context]
        return Scores(shares[:, 0] * text + shares[:, 1] * bib, text, bib, shares)


def _joined(texts: Sequence[Ragged]) -> Ragged:
    return Ragged(torch.cat([text.values for text in texts]), torch.cat([text.lengths for text in texts]))


def _split(joined: Ragged, like: Sequence[Ragged]) -> list[Ragged]:
    values = torch.split(joined.values, [len(ragged.values) for ragged in like])
    return [Ragged(part, ragged.lengths) for part, ragged in zip(values, like, strict=True)]


# The inputs ----------------------------------------------------------------------------------------------


MOST_AUTHORS = 8
"""Authors of a paper that are read, the first ones."""


@functools.lru_cache(maxsize=20_000)
def paper_words(title: str, abstract: str, function_words: bool = False) -> tuple[str, ...]:
    """Cached: a training needs the same papers again and again."""
    return tuple(tokens(f"{title} {abstract}", function_words))


def counts(cited_in: Sequence[NDArray[np.int16]], year: int | None, recent: int) -> NDArray[np.float32]:
    """[n, 2] ln(1 + citations): all, and those of the last `recent` years before `year`. A `year` of None is
    the year after the newest citation of all candidates."""
    sizes = [len(years) for years in cited_in]
    flat = np.concatenate([np.zeros(0, dtype=np.int16), *cited_in])
    now = year if year is not None else 1 + int(flat.max(initial=0))
    late = np.bincount(
        np.repeat(np.arange(len(sizes)), sizes), weights=flat >= now - recent, minlength=len(sizes)
    )
    logarithms: NDArray[np.float32] = np.log1p(np.stack([sizes, late], axis=1)).astype(np.float32)
    return logarithms


@dataclass(frozen=True, slots=True)
class Reader:
    """The vocabulary: words and authors that have vectors; all others are `UNKNOWN`."""

    words: Numbered
    authors: Numbered
    shape: TextBibShape

    @classmethod
    def of(cls, papers: Sequence[Paper], contexts: Iterable[str], shape: TextBibShape) -> Reader:
        """Returns words and authors that occur at least twice."""
        texts = [paper_words(paper.title, paper.abstract, shape.function_words) for paper in papers]
        texts += [tuple(tokens(text, shape.function_words)) for text in contexts]
        return cls(
            Numbered.of(texts, always=(TARGET,)),
            Numbered.of([author_keys(paper, MOST_AUTHORS) for paper in papers]),
            shape,
        )

    def context(self, text: str) -> list[int]:
        """Returns the words around ``TARGETCIT``; a text without one has it appended."""
        words = tokens(text, self.shape.function_words)
        if TARGET not in words:
            words = [*words[-self.shape.context_tokens + 1 :], TARGET]
        size = self.shape.context_tokens
        first = min(max(words.index(TARGET) - size // 2, 0), max(len(words) - size, 0))
        return self.words(words[first : first + size])

    def citing(self, query: Query) -> list[int]:
        return self._text(query.title, query.abstract)

    def paper(self, paper: Paper) -> list[int]:
        return self._text(paper.title, paper.abstract)

    def people(self, paper: Paper) -> list[int]:
        """Returns numbers of the authors, at least one."""
        return self.authors(author_keys(paper, MOST_AUTHORS)) or [UNKNOWN]

    def target(self, numbers: Sequence[int]) -> list[bool]:
        """Tells which words of a context are ``TARGETCIT``."""
        (wanted,) = self.words([TARGET])
        return [number == wanted for number in numbers]

    def _text(self, title: str, abstract: str) -> list[int]:
        read = paper_words(title, abstract, self.shape.function_words)
        return self.words(read[: self.shape.paper_tokens]) or [UNKNOWN]


class Texts:
    """Tokens and years of the contexts, tokens and authors of the papers of the graph; computed once."""

    def __init__(self, reader: Reader, queries: Sequence[Query], papers: Sequence[Paper]) -> None:
        self.years = [query.year or 0 for query in queries]
        self._contexts = [reader.context(query.text) for query in queries]
        self._targets = [reader.target(numbers) for numbers in self._contexts]
        self._citing = [reader.citing(query) for query in queries]
        self._papers = [reader.paper(paper) for paper in papers]
        self._authors = torch.from_numpy(padded([reader.people(paper) for paper in papers]))

    def contexts(self, numbers: Sequence[int]) -> Contexts:
        """Returns the contexts with these numbers."""
        return Contexts(
            Ragged.of([self._contexts[number] for number in numbers]),
            torch.tensor([target for number in numbers for target in self._targets[number]]),
            Ragged.of([self._citing[number] for number in numbers]),
        )

    def papers(self, rows: Sequence[int]) -> tuple[Ragged, Tensor]:
        """Returns the tokens and the authors of the papers in these rows."""
        return Ragged.of([self._papers[row] for row in rows]), self._authors[list(rows)]

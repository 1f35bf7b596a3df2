"""The TEXTBIB network (Medić and Šnajder 2020): a text module and a bibliographic module.

TextBibShapes: p contexts, m pairs of a context and a candidate paper, N tokens of several texts (`Ragged`),
H = 2 · `TextBibShape.state`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from citewhy_lab.train.systems.textbib.settings import TextBibShape


@dataclass(frozen=True, slots=True)
class Ragged:
    """Texts of different lengths without padding, one after another: `values` [N, ...] of n texts, `lengths`
    [n] of at least 1 each, N their sum."""

    values: Tensor
    lengths: Tensor

    @classmethod
    def of(cls, texts: Sequence[Sequence[int]]) -> Ragged:
        """From lists of numbers."""
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
        """Positions of the values of `texts` [m], one text after another, and their lengths [m]."""
        starts = torch.cumsum(self.lengths, 0) - self.lengths
        lengths = self.lengths[texts]
        first = torch.repeat_interleave(starts[texts] - (torch.cumsum(lengths, 0) - lengths), lengths)
        return first + torch.arange(len(first), device=first.device), lengths

    def take(self, texts: Tensor) -> Ragged:
        """The texts with these numbers [m], in this order; the same one may be taken several times."""
        positions, lengths = self.places(texts)
        return Ragged(self.values[positions], lengths)

    def softmax(self) -> Tensor:
        """[N] softmax of values [N] within each text."""
        owner, n = self.owner, len(self.lengths)
        highest = self.values.new_full((n,), -torch.inf)
        highest = highest.scatter_reduce(0, owner, self.values.detach(), "amax")
        each = torch.exp(self.values - highest[owner])
        total = self.values.new_zeros(n).index_add(0, owner, each)
        return each / total[owner]

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
        return Candidates(self.tokens.to(device), *(each.to(device) for each in tensors))


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
            torch.cat([each.final for each in parts]),
            torch.cat([each.text for each in parts]),
            torch.cat([each.bibliographic for each in parts]),
            torch.cat([each.shares for each in parts]),
        )

    def to(self, device: torch.device) -> Scores:
        tensors = (self.final, self.text, self.bibliographic, self.shares)
        return Scores(*(each.to(device) for each in tensors))


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
    """Slices of ascending `lengths`: in each the longest is at most a third longer than the shortest."""
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
    return Ragged(torch.cat([each.values for each in texts]), torch.cat([each.lengths for each in texts]))


def _split(joined: Ragged, like: Sequence[Ragged]) -> list[Ragged]:
    values = torch.split(joined.values, [len(each.values) for each in like])
    return [Ragged(part, each.lengths) for part, each in zip(values, like, strict=True)]

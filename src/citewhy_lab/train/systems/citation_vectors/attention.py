"""DACR, the dual attention model (Zhang and Ma 2020): self-attention over the words around a citation, the
heading of its section and the other papers that the manuscript cites, and additive attention that weighs what
comes out, predict the OUT vector of the cited paper.

All vectors start from HyperDoc2Vec.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from citewhy.base.progress import Progress
from citewhy.text.sections import KINDS, section_kind
from citewhy_lab.train.systems.citation_vectors.data import Corpus, Question, by_cosine, words_of
from citewhy_lab.train.systems.citation_vectors.hyperdoc import (
    Pairs,
    hyperdoc2vec,
    negative_sampling,
    padded,
    steps,
)
from citewhy_lab.train.systems.citation_vectors.settings import Settings

__all__ = ["Dacr", "DualAttention", "dacr"]

_WORDS, _PAPERS = 60, 20
"""Words around a citation, and other cited papers, that are read."""


class DualAttention(nn.Module):  # type: ignore[misc,unused-ignore]
    """[n, d] vectors of questions."""

    def __init__(self, words: NDArray[np.float32], papers: NDArray[np.float32], heads: int) -> None:
        """Both [n, d]: vectors before training; `heads` divides d."""
        super().__init__()
        size = words.shape[1]
        self.words = nn.Parameter(torch.from_numpy(words.copy()))
        self.papers = nn.Parameter(torch.from_numpy(papers.copy()))
        self.out = nn.Parameter(torch.from_numpy(papers.copy()))
        self.sections = nn.Parameter(torch.zeros(len(KINDS), size))
        self.self_attention = nn.MultiheadAttention(size, heads, batch_first=True)
        self.additive = nn.Sequential(nn.Linear(size, size), nn.Tanh(), nn.Linear(size, 1, bias=False))

    def forward(self, words: Tensor, sections: Tensor, known: Tensor) -> Tensor:
        """`words` [n, w] and `known` papers [n, k], of which -1 are none; `sections` [n]."""
        parts = [
            self.words[words.clamp(min=0)],
            self.sections[sections][:, None],
            self.papers[known.clamp(min=0)],
        ]
        there = torch.cat(
            [words >= 0, torch.ones_like(sections, dtype=torch.bool)[:, None], known >= 0], dim=1
        )
        inputs = torch.cat(parts, dim=1)
        states = inputs + self.self_attention(inputs, inputs, inputs, key_padding_mask=~there)[0]
        weights = self.additive(states)[:, :, 0].masked_fill(~there, -torch.inf).softmax(dim=1)
        found: Tensor = torch.einsum("ns,nsd->nd", weights, states)
        return found


class Dacr:
    """A trained network."""

    def __init__(self, network: DualAttention, numbers: dict[str, int]) -> None:
        self._network = network.eval()
        self._numbers = numbers

    def scores(self, questions: Sequence[Question]) -> NDArray[np.float32]:
        """[n, papers] cosines; -inf for a paper without vector."""
        with torch.no_grad():
            parts = [
                self._network(*read(questions[start : start + 256], self._numbers)).numpy()
                for start in range(0, len(questions), 256)
            ]
        return by_cosine(np.concatenate(parts), self._network.out.detach().numpy())


def read(questions: Sequence[Question], numbers: dict[str, int]) -> tuple[Tensor, Tensor, Tensor]:
    """Words, sections and known papers of n questions as numbers."""
    words = [
        [numbers[word] for word in words_of(each.text) if word in numbers][:_WORDS] for each in questions
    ]
    sections = [KINDS.index(section_kind(each.section, 1)) for each in questions]
    return padded(words), torch.tensor(sections), padded([each.known[-_PAPERS:] for each in questions])


def dacr(corpus: Corpus, settings: Settings, progress: Progress) -> Dacr:
    start = hyperdoc2vec(corpus, settings, progress)
    numbers = {word: number for number, word in enumerate(start.words)}
    torch.manual_seed(settings.seed)
    network = DualAttention(np.stack(list(start.words.values())), start.papers, settings.heads)
    pairs = Pairs(corpus.citations, settings)

    def losses() -> Iterator[Tensor]:
        for epoch in range(settings.citation_epochs):
            progress("attention", epoch / settings.citation_epochs)
            for places, targets, negatives in pairs.batches(epoch):
                queries = network(*read([corpus.citations[each] for each in places], numbers))
                yield negative_sampling(queries, network.out, targets, negatives)

    steps(network, losses(), settings.learning_rate)
    return Dacr(network, numbers)

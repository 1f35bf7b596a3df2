"""Word vectors from words that stand near each other: skip-gram with negative sampling.

Mikolov et al., Distributed Representations of Words and Phrases and their Compositionality, NIPS 2013. For a
word w, a word c within its window and noise words n drawn by frequency ** 0.75:

    L = −log σ(u_c · v_w) − Σ_n log σ(−u_n · v_w)

`models.words.read_vectors` reads vectors that others have trained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from citewhy.config import DEFAULT_SEED

__all__ = ["SkipGram", "skip_gram"]

Ints = NDArray[np.int64]

_NOISE_POWER = 0.75


@dataclass(frozen=True, slots=True)
class SkipGram:
    """Settings of the training; `size` as in Nomoto (2018), the others as is usual for small collections."""

    size: int = 300
    window: int = 5
    """Farthest neighbour; each place draws its own window up to this, so that near words count more."""
    noise: int = 5
    """Noise words for each pair."""
    epochs: int = 5
    batch: int = 1024
    learning_rate: float = 2e-3
    seed: int = DEFAULT_SEED


def skip_gram(
    sentences: Sequence[Sequence[int]],
    words: int,
    settings: SkipGram,
    tell: Callable[[float], None] = lambda share: None,
) -> NDArray[np.float32]:
    """[words, size] vectors of the numbered words of `sentences`; `tell` is told the share that is done."""
    random = np.random.default_rng(settings.seed)
    torch.manual_seed(settings.seed)
    centre = nn.Embedding(words, settings.size, sparse=True)
    context = nn.Embedding(words, settings.size, sparse=True)
    nn.init.uniform_(centre.weight, -0.5 / settings.size, 0.5 / settings.size)
    nn.init.zeros_(context.weight)
    optimizer = torch.optim.SparseAdam([*centre.parameters(), *context.parameters()], settings.learning_rate)
    chances = _noise_chances(sentences, words)
    for epoch in range(settings.epochs):
        pairs = random.permutation(_pairs(sentences, settings.window, random))
        noise = random.choice(words, size=(len(pairs), settings.noise), p=chances)
        for start in range(0, len(pairs), settings.batch):
            batch = torch.from_numpy(pairs[start : start + settings.batch])
            others = torch.from_numpy(noise[start : start + settings.batch])
            near = centre(batch[:, 0])  # [b, size]
            right = (near * context(batch[:, 1])).sum(dim=1)  # [b]
            wrong = torch.einsum("bd,bnd->bn", near, context(others))  # [b, noise]
            loss = -functional.logsigmoid(right).mean() - functional.logsigmoid(-wrong).sum(dim=1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            tell((epoch + start / len(pairs)) / settings.epochs)
    vectors: NDArray[np.float32] = centre.weight.detach().numpy()
    return vectors


def _noise_chances(sentences: Sequence[Sequence[int]], words: int) -> NDArray[np.float64]:
    """[words] chance of each as a noise word."""
    flat = np.array([word for sentence in sentences for word in sentence], dtype=np.int64)
    powered = np.bincount(flat, minlength=words).astype(np.float64) ** _NOISE_POWER
    chances: NDArray[np.float64] = powered / powered.sum()
    return chances


def _pairs(sentences: Sequence[Sequence[int]], window: int, random: np.random.Generator) -> Ints:
    """[pairs, 2] a word, and one within the window that its place has drawn."""
    found = []
    for sentence in sentences:
        row = np.array(sentence, dtype=np.int64)
        reach = random.integers(1, window + 1, size=len(row))
        for away in range(1, min(window, len(row) - 1) + 1):
            left, right = row[:-away], row[away:]
            after, before = reach[:-away] >= away, reach[away:] >= away
            found.append(np.stack([left[after], right[after]], axis=1))
            found.append(np.stack([right[before], left[before]], axis=1))
    return np.concatenate(found) if found else np.zeros((0, 2), dtype=np.int64)

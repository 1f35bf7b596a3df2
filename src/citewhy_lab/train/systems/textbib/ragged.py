"""Texts of different lengths without padding: one tensor of all values, one text after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = ["Ragged"]


@dataclass(frozen=True, slots=True)
class Ragged:
    """`values` [N, ...] of n texts, `lengths` [n] of at least 1 each, N their sum."""

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
        places, lengths = self.places(texts)
        return Ragged(self.values[places], lengths)

    def softmax(self) -> Tensor:
        """[N] softmax of values [N] within each text."""
        owner, n = self.owner, len(self.lengths)
        highest = self.values.new_full((n,), -torch.inf)
        highest = highest.scatter_reduce(0, owner, self.values.detach(), "amax")
        each = torch.exp(self.values - highest[owner])
        total = self.values.new_zeros(n).index_add(0, owner, each)
        return each / total[owner]

    def sum(self) -> Tensor:
        """[n, ...] sums over each text."""
        zeros = self.values.new_zeros(len(self.lengths), *self.values.shape[1:])
        return zeros.index_add(0, self.owner, self.values)

"""The network: an encoder, a linear projection for each aspect, and sentence-level attention.

Sections 4.2 and 5.3 of Bansal (2023). With E the embedding of a paper by the encoder,

    of an aspect i      W_i E + b_i                      (5.2)
    concatenated        those of the aspects in a row    (5.3)

`weighted` replaces E by sentence-level attention (experiment 3.5): each sentence begins with a [CLS] of its
own, whose state represents it. The queries are embeddings of the aspects' names, through a trained linear
layer; each gives a mean of the sentences by its attention, and E is the mean of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from citewhy_lab.train.systems.aspects.settings import CONCAT, ENCODER, OTHER, Aspect

__all__ = ["AspectNetwork", "Embedding", "attended", "pooled"]


def pooled(states: Tensor, mask: Tensor, pooling: str) -> Tensor:
    """states [n, t, d], mask [n, t] → [n, d]: the state of the first token (``cls``), or the mean."""
    if pooling == "cls":
        return states[:, 0]
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1)


def attended(states: Tensor, starts: Tensor, queries: Tensor) -> Tensor:
    """states [n, t, d], starts [n, t] (true where a sentence starts, at least once), queries [k, d] → [n, d].

    Σ_s (1/k Σ_i softmax_s(q_i · h_s / √d)) h_s over the sentences s, with h_s the state of its first token.
    """
    scores = queries @ states.transpose(1, 2) / states.shape[-1] ** 0.5  # [n, k, t]
    scores = scores.masked_fill(~starts.unsqueeze(1), -torch.inf)
    weights = scores.softmax(-1).mean(1, keepdim=True)  # [n, 1, t]
    return (weights @ states).squeeze(1)


class AspectNetwork(nn.Module):  # type: ignore[misc,unused-ignore] # without torch, its class is Any
    """`encoder` is a transformer of Hugging Face. `names` [k, d] are its embeddings of the aspects' names, of
    which the queries are made; None: no sentence-level attention. `start_token` begins a sentence."""

    def __init__(
        self,
        encoder: Any,
        aspects: Sequence[Aspect],
        pooling: str,
        projection: str = "identity",
        names: Tensor | None = None,
        start_token: int = 0,
    ) -> None:
        super().__init__()
        size = encoder.config.hidden_size
        self.encoder = encoder
        self.aspects = tuple(aspects)
        self.pooling = pooling
        self.start_token = start_token
        self.projections = nn.ModuleDict({aspect: nn.Linear(size, size) for aspect in aspects})
        if projection == "identity":
            for layer in self.projections.values():
                nn.init.eye_(layer.weight)
                nn.init.zeros_(layer.bias)
        self.query = None if names is None else nn.Linear(size, size)
        if names is not None:
            self.register_buffer("names", names)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Token ids and mask [n, t] → embeddings by the encoder [n, d], of any length."""
        states = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state.float()
        if self.query is None:
            return pooled(states, attention_mask, self.pooling)
        first = torch.arange(input_ids.shape[1], device=input_ids.device) == 0
        starts = first | (input_ids == self.start_token) & (attention_mask > 0)
        return attended(states, starts, self.query(self.names))

    def projected(self, embeddings: Tensor) -> Tensor:
        """[n, d] → [n, aspects, d]."""
        return torch.stack([self.projections[aspect](embeddings) for aspect in self.aspects], dim=1)

    def embedding(self, embeddings: Tensor, name: str) -> Tensor:
        """[n, d] by the encoder → the embedding `name`: `ENCODER`, an aspect's, or `CONCAT`, which leaves out
        that of unknown intents."""
        if name == ENCODER:
            return embeddings
        if name == CONCAT:
            known = [aspect for aspect in self.aspects if aspect != OTHER]
            return torch.cat([self.projections[aspect](embeddings) for aspect in known], dim=-1)
        return self.projections[name](embeddings)


class Embedding(nn.Module):  # type: ignore[misc,unused-ignore] # without torch, its class is Any
    """Token ids and mask to one of the network's embeddings, of length 1: what is exported."""

    def __init__(self, network: AspectNetwork, name: str) -> None:
        super().__init__()
        self.network = network
        self.name = name

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        found = self.network.embedding(self.network(input_ids, attention_mask), self.name)
        return functional.normalize(found, dim=-1)

"""A BERT encoder of which only the last layers are trained.

What the layers below give for a text never changes in training, so it is computed once for each text and
kept, in half precision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from citewhy.search.encode.encoder import TextKind
from citewhy_lab.train.devices import fast_products
from citewhy_lab.train.systems.encoder.network import TextModel, by_length, pooled
from citewhy_lab.train.systems.qpcr.encoder import ByTokens, Cut, by_characters
from citewhy_lab.train.systems.qpcr.settings import TOKENS, TOPIC_MARK

_AT_ONCE = 16
"""Texts that are encoded together; those of similar length follow each other."""


class LastLayers(nn.Module):  # type: ignore[misc, unused-ignore]
    """The last `count` layers of `model`, whose weights these are; all others are frozen.

    `embedded`: the embeddings of words, positions and segments are trained, too, as in the authors' code;
    then nothing is kept, dropout, if `model` has any, is on in all layers while training, and all products
    are in 32 bits. `scaled`: vectors have length 1. `tokens` of a text are read, and title and abstract of a
    query are cut so that its topic sentence is; 0: as many as `TOKENS` says, and the abstract is cut by
    characters. Raises ValueError if the model has fewer layers.
    """

    scaled = True

    def __init__(
        self, model: TextModel, count: int, *, embedded: bool = False, scaled: bool = True, tokens: int = 0
    ) -> None:
        super().__init__()
        layers = model.network.encoder.layer
        if not 1 <= count <= len(layers):
            raise ValueError(f"the network has {len(layers)} layers, {count} cannot be trained")
        self.layers = nn.ModuleList(layers[len(layers) - count :])
        self._model = [model]  # in a list: its other weights are not parameters of this module
        self._below = len(layers) - count
        self._states: dict[tuple[str, TextKind], Tensor] = {}
        self.tokens = readable(model, tokens)
        self.cut: Cut = ByTokens(model.tokenizer, self.tokens["query"]) if tokens else by_characters
        """How long queries are cut."""
        self.scaled = scaled
        model.network.requires_grad_(False)
        self.layers.requires_grad_(True)
        self.embeddings = model.network.embeddings if embedded else None
        if self.embeddings is not None:
            self.embeddings.requires_grad_(True)

    def train(self, mode: bool = True) -> LastLayers:
        """Turns dropout on or off, in the frozen layers, too."""
        super().train(mode)
        self._model[0].network.train(mode)
        return self

    def forward(self, texts: Sequence[str], kind: TextKind) -> Tensor:
        """[len(texts), d] vectors, with gradients for what is trained."""
        model = self._model[0]
        if self.embeddings is not None:
            return self._whole(*model.tokens(texts, self.tokens[kind]))
        self._keep(texts, kind)
        kept = [self._states[text, kind] for text in texts]
        states = nn.utils.rnn.pad_sequence(kept, batch_first=True).float()
        lengths = torch.tensor([len(tokens) for tokens in kept], device=states.device)
        mask = torch.arange(states.shape[1], device=states.device)[None, :] < lengths[:, None]
        return pooled(_through(self.layers, states, mask), mask, model.pooling, scaled=self.scaled)

    def _whole(self, ids: Tensor, mask: Tensor) -> Tensor:
        """[n, d] of token ids and mask [n, t]: through the embeddings and all layers."""
        assert self.embeddings is not None
        model, parts, groups = self._model[0], [], by_length(mask)
        for rows in groups:
            there = mask[rows, : int(mask[rows].sum(1).max())]
            states = self.embeddings(input_ids=ids[rows, : there.shape[1]])
            states = _through(model.network.encoder.layer, states, there.bool(), exact=True)
            parts.append(pooled(states, there, model.pooling, scaled=self.scaled))
        return torch.cat(parts)[torch.cat(groups).argsort()]

    def scores(self, queries: Tensor, papers: Tensor) -> Tensor:
        """[q, p] of vectors [q, d] and [p, d]: cosines of those of length 1, else negative distances, whose
        order is that of the distances for both."""
        return queries @ papers.T if self.scaled else -torch.cdist(queries, papers)

    def encode(self, texts: Sequence[str], kind: TextKind) -> Tensor:
        """[len(texts), d] vectors on the processor, without gradients and dropout."""
        training = self.training
        self.eval()
        order = sorted(range(len(texts)), key=lambda number: (len(texts[number]), number))
        vectors = torch.zeros(len(texts), self._model[0].network.config.hidden_size)
        with torch.no_grad():
            for start in range(0, len(order), _AT_ONCE):
                chosen = order[start : start + _AT_ONCE]
                vectors[chosen] = self([texts[number] for number in chosen], kind).cpu()
        self.train(training)
        return vectors

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Copies of the trained layers' weights, by name."""
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.state_dict().items()}

    def put(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Replaces the weights of the trained layers."""
        self.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})

    def _keep(self, texts: Sequence[str], kind: TextKind) -> None:
        """Computes the states below the trained layers for texts that are new."""
        new = [text for text in dict.fromkeys(texts) if (text, kind) not in self._states]
        model = self._model[0]
        for start in range(0, len(new), _AT_ONCE):
            chosen = new[start : start + _AT_ONCE]
            with torch.no_grad():  # no dropout: what is kept would always be the same
                ids, mask = model.tokens(chosen, self.tokens[kind])
                states = model.network.embeddings(input_ids=ids)
                states = _through(model.network.encoder.layer[: self._below], states, mask.bool())
            for text, state, length in zip(chosen, states, mask.sum(1).tolist(), strict=True):
                self._states[text, kind] = state[:length].half()


def readable(model: TextModel, tokens: int = 0) -> dict[str, int]:
    """Tells how many tokens are read of a text: `tokens`, or `TOKENS` for 0, or as many as the network has
    positions for."""
    most = model.network.config.max_position_embeddings
    return {kind: min(tokens or usual, most) for kind, usual in TOKENS.items()}


def _through(layers: Any, states: Tensor, mask: Tensor, *, exact: bool = False) -> Tensor:
    """States [n, t, d] after some layers; mask [n, t] is true where there is a token. Matrix products are
    those of `fast_products`; with `exact`, in 32 bits."""
    least = torch.finfo(states.dtype).min
    hidden = torch.zeros(mask.shape, dtype=states.dtype, device=mask.device).masked_fill(~mask, least)
    with fast_products(states.device, enabled=not exact):
        for layer in layers:
            states = layer(states, attention_mask=hidden[:, None, None, :])
    return states.float()


def topic_attention(model: TextModel, texts: Sequence[str], tokens: int) -> NDArray[np.float64]:
    """Tells how much of the attention in each text goes to its topic sentence (section 5 of the source).

    [len(texts), layers]: the attention weights of the topic sentence, which stands after [TS], summed, and
    averaged over heads and attending tokens; in [0, 1], and 0 for a text without [TS].

    Of each text, `tokens` are read. The source does not say which tokens attend; all do, because all count in
    the vector.
    """
    model.network.eval()
    mark = int(model.tokens([TOPIC_MARK], tokens)[0][0, 1])
    shares = []
    for text in texts:
        ids, mask = model.tokens([text], tokens)
        ids, mask = ids[mask.bool()][None], mask[mask.bool()][None]
        positions = (ids[0] == mark).nonzero().flatten().tolist()
        with torch.no_grad():
            states = model.network(input_ids=ids, attention_mask=mask, output_attentions=True)
        end = ids.shape[1] - 1  # [SEP] is no part of it
        start = positions[-1] + 1 if positions else end
        shares.append([float(layer[0, :, :, start:end].sum(-1).mean()) for layer in states.attentions])
    return np.array(shares)

"""The network: a BERT encoder whose lower layers read each text alone, and whose last ones read all together.

What the lower layers compute is what an encoder of single texts computes, so that the network can start from
one (MacAvaney et al. 2020, "Efficient Document Re-Ranking for Transformers by Precomputing Term
Representations"). Attention between the texts is weakened at first, by a number for each head that is
learned: before the first step, the score is nearly the cosine of the texts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from citewhy.base.artifact import folder_aside
from citewhy.base.errors import CiteWhyError
from citewhy.models import read_model
from citewhy.ranking.rank.cross_encoder import (
    INPUTS,
    MODEL,
    OUTPUT,
    TOKENIZER,
    CrossEncoder,
    Limits,
    Pair,
    describe_cross_encoder,
    inputs_of,
)
from citewhy_lab.train.bert import open_bert
from citewhy_lab.train.devices import fast_products
from citewhy_lab.train.systems.crossencoder.settings import CrossSettings
from citewhy_lab.train.systems.encoder.export import OPSET, quantised, quietly

PADDING = -1
"""The block of tokens that fill up a row."""

LEAST_AGREEMENT = 0.98
"""Correlation of the scores of the exported network with those of the trained one; below, nothing is
written."""

_FAR = -1e4
_HIDDEN = 128
_SCALES = (8.0, 3.0)
"""Weights of the cosines of the sentence with paper and citing sentence before the first step."""

_USUAL = 0.6
"""A cosine of two citing sentences of one draft; with it, such a sentence is no evidence."""


class CrossNetwork(nn.Module):  # type: ignore[misc, unused-ignore]
    """Scores pairs of texts."""

    def __init__(self, start: Path, settings: CrossSettings) -> None:
        super().__init__()
        self.encoder: Any = open_bert(start, settings.layers, settings.joint, 0.0, 0.0)
        size, heads = self.encoder.config.hidden_size, self.encoder.config.num_attention_heads
        self._alone = len(self.encoder.encoder.layer) - settings.joint
        self.gates = nn.Parameter(torch.full((settings.joint, heads), settings.gate))
        self.blocks = nn.Parameter(torch.zeros(3, size))
        self.hidden, self.out = nn.Linear(3 * size, _HIDDEN), nn.Linear(_HIDDEN, 1)
        self.scales = nn.Parameter(torch.tensor(_SCALES))
        self.log_order = nn.Parameter(torch.zeros(()))
        """Logarithm of how much the scores of the order before count beside the network's."""
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    @property
    def added(self) -> list[nn.Parameter]:
        """The parameters that the encoder does not have."""
        return [parameter for name, parameter in self.named_parameters() if not name.startswith("encoder.")]

    def forward(self, input_ids: Tensor, blocks: Tensor, positions: Tensor) -> Tensor:
        """[n, t] each → scores [n]. `blocks` are 0, 1 and 2, and `PADDING`; positions begin at 0 in each."""
        layers = self.encoder.encoder.layer
        padding = (blocks < 0)[:, None, None, :].float() * _FAR
        others = (blocks[:, None, :, None] != blocks[:, None, None, :]).float()
        with fast_products(input_ids.device, enabled=self.training):
            with torch.set_grad_enabled(torch.is_grad_enabled() and self._alone == 0):
                states = self._embedded(input_ids, positions)
                for layer in layers[: self._alone]:
                    states = _states(layer(states, attention_mask=padding + others * _FAR))
            states = states + functional.embedding(blocks.clamp(min=0), self.blocks)
            for number, layer in enumerate(layers[self._alone :]):
                gate = self.gates[number][None, :, None, None]
                states = _states(layer(states, attention_mask=padding + others * gate))
        return self._scores(states.float(), blocks)

    def _embedded(self, input_ids: Tensor, positions: Tensor) -> Tensor:
        table = self.encoder.embeddings
        together = table.word_embeddings(input_ids) + table.position_embeddings(positions)
        normed: Tensor = table.LayerNorm(together + table.token_type_embeddings.weight[0])
        return normed

    def _scores(self, states: Tensor, blocks: Tensor) -> Tensor:
        sentence, paper, citing = (_mean(states, blocks == number) for number in range(3))
        has = (blocks == 2).any(1).float()
        features = torch.cat([20 * sentence * paper, 5 * (sentence - paper).abs(), 20 * sentence * citing], 1)
        deep = self.out(torch.tanh(self.hidden(features))).squeeze(-1)
        near, alike = (sentence * paper).sum(1), (sentence * citing).sum(1) - _USUAL * has
        scores: Tensor = self.scales[0] * near + self.scales[1] * alike + deep
        return scores


def _states(output: Any) -> Tensor:
    states: Tensor = output[0] if isinstance(output, tuple) else output
    return states


def _mean(states: Tensor, there: Tensor) -> Tensor:
    """states [n, t, d], there [n, t] → [n, d] of length 1; 0 where nothing is there."""
    weights = there.unsqueeze(-1).float()
    return functional.normalize((states * weights).sum(1) / weights.sum(1).clamp(min=1), dim=-1)


def batch(pairs: Sequence[Pair]) -> tuple[Tensor, Tensor, Tensor]:
    """Returns the inputs [n, t] of the network for n pairs."""
    rows = [inputs_of(pair) for pair in pairs]
    longest = max(row[INPUTS[0]].shape[1] for row in rows)
    fill = dict(zip(INPUTS, (0, PADDING, 0), strict=True))
    ids, blocks, positions = (
        torch.from_numpy(
            np.concatenate(
                [
                    np.pad(row[name], ((0, 0), (0, longest - row[name].shape[1])), constant_values=fill[name])
                    for row in rows
                ]
            )
        )
        for name in INPUTS
    )
    return ids, blocks, positions


def scores(network: CrossNetwork, pairs: Sequence[Pair]) -> NDArray[np.float32]:
    """[n] in full precision, without gradients."""
    network.eval()
    device = network.scales.device
    with torch.inference_mode():
        answers = [network(*(each.to(device) for each in batch([pair]))).cpu().numpy() for pair in pairs]
    return np.concatenate([np.zeros(0, dtype=np.float32), *answers])


# The model folder ------------------------------------------------------------------------------------------


def save(
    out: Path,
    network: CrossNetwork,
    tokenizer: bytes,
    depth: int,
    limits: Limits,
    facts: Mapping[str, Any],
    pairs: Sequence[Pair] = (),
) -> float:
    """Writes the reranker `out`, and returns the correlation of its scores of `pairs` with those of the
    network; 1 for fewer than three. `network` is on the processor.

    Raises CiteWhyError where it is below `LEAST_AGREEMENT`, StorageError.
    """
    with folder_aside(out) as folder:
        (folder / TOKENIZER).write_bytes(tokenizer)
        with tempfile.TemporaryDirectory(prefix="citewhy-") as scratch, quietly():
            plain = Path(scratch) / "plain.onnx"
            example = torch.arange(12).reshape(1, 12) // 4
            torch.onnx.export(
                network.eval(),
                (torch.ones_like(example), example, torch.arange(12).reshape(1, 12) % 4),
                str(plain),
                input_names=list(INPUTS),
                output_names=[OUTPUT],
                dynamic_axes={**{name: {0: "n", 1: "t"} for name in INPUTS}, OUTPUT: {0: "n"}},
                opset_version=OPSET,
                dynamo=False,
            )
            quantised(network.encoder.config, plain, folder / MODEL)
        name = f"cross-encoder of {len(network.encoder.encoder.layer)} layers"
        describe_cross_encoder(folder, name, depth, limits, facts)
        agreement = _agreement(network, CrossEncoder(read_model(folder, "reranker")), pairs)
        if agreement < LEAST_AGREEMENT:
            raise CiteWhyError(
                f"the exported network's scores are not those of the trained one: correlation "
                f"{agreement:.3f} on {len(pairs)} pairs, expected {LEAST_AGREEMENT} or more",
                hint="the trained weights are kept; export again with other versions of onnx and onnxruntime",
            )
        describe_cross_encoder(folder, name, depth, limits, {**facts, "agreement": agreement})
    return agreement


def _agreement(network: CrossNetwork, served: CrossEncoder, pairs: Sequence[Pair]) -> float:
    if len(pairs) < 3:
        return 1.0
    both = np.stack([scores(network, pairs), [served.score(pair) for pair in pairs]])
    return float(np.corrcoef(both)[0, 1])

"""The network: BERT, mean pooling, vectors of length 1. The tokenizer is the one that is used in serving."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import tokenizers
import torch
import transformers
from torch import Tensor
from torch.nn import functional

from citewhy.search.encode.encoder import Vectors
from citewhy_lab.train.devices import fast_products

_BATCH_TOKENS = 8192
"""Tokens of a batch in `TextModel.encode`, padding included."""

_MULTIPLE = 8
"""Lengths are padded to these, so that few shapes occur."""


Pooling = Literal["mean", "cls"]
"""How the states of a text's tokens become one vector: their mean, or the state of the first one, [CLS]."""


def pooled(states: Tensor, mask: Tensor, pooling: Pooling = "mean", *, scaled: bool = True) -> Tensor:
    """states [n, t, d], mask [n, t] → [n, d]; `scaled`: to length 1."""
    if pooling == "cls":
        vectors = states[:, 0]
    else:
        weights = mask.unsqueeze(-1).to(states.dtype)
        vectors = (states * weights).sum(1) / weights.sum(1).clamp(min=1)
    return functional.normalize(vectors, dim=-1) if scaled else vectors


def by_length(mask: Tensor) -> list[Tensor]:
    """mask [n, t], true or 1 where there is a token → the n rows in groups, in each of which none has fewer
    than half of the tokens of the longest: what is padded costs as much as what is read."""
    lengths, order = mask.sum(1).sort(descending=True, stable=True)
    groups, first = [], 0
    for row, length in enumerate(lengths.tolist()):
        if 2 * length < lengths[first]:
            groups.append(order[first:row])
            first = row
    return [*groups, order[first:]]


def interpolate(network: torch.nn.Module, start: torch.nn.Module, share: float) -> None:
    """Replaces each weight of `network` by `share` of it and 1 - `share` of that of `start`."""
    with torch.no_grad():
        for own, other in zip(network.parameters(), start.parameters(), strict=True):
            own.lerp_(other, 1 - share)


class TextModel:
    """Opens a BERT model folder with its tokenizer.

    By default there is no dropout: the varying forms of the texts are noise enough, and a step costs less.
    With gradients the plain ("eager") attention is used, which is faster on a CPU than the fused one for
    texts this short; without gradients it is the other way round.
    """

    def __init__(
        self,
        folder: Path,
        tokenizer: Path | None = None,
        *,
        pooling: Pooling = "mean",
        dropout: float = 0.0,
        device: torch.device | None = None,
    ) -> None:
        """`tokenizer`: a file that replaces that of the folder; `device` None: the processor."""
        self.pooling = pooling
        transformers.utils.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        self.network: Any = transformers.BertModel.from_pretrained(
            folder,
            add_pooling_layer=False,
            attn_implementation="eager",
            hidden_dropout_prob=dropout,
            attention_probs_dropout_prob=dropout,
            dtype=torch.float32,
            local_files_only=True,
            use_safetensors=True,
        )
        if device is not None:
            self.network.to(device)
        self.tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer or folder / "tokenizer.json"))
        self.tokenizer.enable_padding(pad_to_multiple_of=_MULTIPLE)

    def vectors(self, texts: Sequence[str], tokens: int, *, exact: bool = False) -> Tensor:
        """[len(texts), d], of length 1, with gradients; of each text `tokens` are read.

        Matrix products are those of `fast_products`; with `exact`, in 32 bits.
        """
        ids, mask = self.tokens(texts, tokens)
        with fast_products(ids.device, enabled=not exact):
            states = self.network(input_ids=ids, attention_mask=mask).last_hidden_state
        return pooled(states.float(), mask, self.pooling)

    def tokens(self, texts: Sequence[str], most: int) -> tuple[Tensor, Tensor]:
        """Returns token ids and mask, both [len(texts), t]; of each text at most `most` tokens, two of which
        mark its start and end."""
        self.tokenizer.enable_truncation(most)
        encoded = self.tokenizer.encode_batch([*texts])
        device = self.network.device
        ids = torch.tensor([encoding.ids for encoding in encoded], device=device)
        return ids, torch.tensor([encoding.attention_mask for encoding in encoded], device=device)

    def encode(self, texts: Sequence[str], tokens: int, progress: Callable[[float], None]) -> Vectors:
        """[len(texts), d], of length 1, without gradients. `progress` is called with the finished share."""
        vectors = np.zeros((len(texts), self.network.config.hidden_size), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda position: (-len(texts[position]), position))
        size = max(_BATCH_TOKENS // tokens, 1)
        self.network.set_attn_implementation("sdpa")
        try:
            with torch.inference_mode():
                for start in range(0, len(order), size):
                    chosen = order[start : start + size]
                    vectors[chosen] = (
                        self.vectors([texts[position] for position in chosen], tokens).cpu().numpy()
                    )
                    progress((start + len(chosen)) / len(order))
        finally:
            self.network.set_attn_implementation("eager")
        return vectors

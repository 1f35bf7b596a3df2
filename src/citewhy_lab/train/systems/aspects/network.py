"""The network: an encoder, a linear projection for each aspect, and sentence-level attention; and with its
tokenizer, texts to embeddings, in training and for export.

Sections 4.2 and 5.3 of Bansal (2023). With E the embedding of a paper by the encoder,

    of an aspect i      W_i E + b_i                      (5.2)
    concatenated        those of the aspects in a row    (5.3)

`weighted` replaces E by sentence-level attention (experiment 3.5): each sentence begins with a [CLS] of its
own, whose state represents it. The queries are embeddings of the aspects' names, through a trained linear
layer; each gives a mean of the sentences by its attention, and E is the mean of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import tokenizers
import torch
import transformers
from torch import Tensor, nn
from torch.nn import functional

from citewhy.base.errors import InputError
from citewhy.search.encode.encoder import Vectors
from citewhy_lab.train.devices import fast_products
from citewhy_lab.train.systems.aspects.settings import CONCAT, ENCODER, OTHER, Aspect, AspectSettings
from citewhy_lab.train.systems.encoder.network import by_length


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
        vectors = self.network.embedding(self.network(input_ids, attention_mask), self.name)
        return functional.normalize(vectors, dim=-1)


# With its tokenizer -----------------------------------------------------------------------------------------


_BATCH_TOKENS = 8192
"""Tokens of a batch in `AspectModel.encode`, padding included."""

_MULTIPLE = 8
"""Lengths are padded to these, so that few shapes occur."""

_SENTENCE_END = r"(?<=[.!?]) (?=[A-Z])"
"""Where a sentence ends within a text whose spaces are single."""


class AspectModel:
    """Opens a model of Hugging Face with weights in safetensors: a folder, or the name of one that is in the
    cache on this machine; nothing is downloaded. Attention is computed in the plain way while training, as
    for CiteWhy's own encoder.

    Raises InputError for a model that cannot be read.
    """

    def __init__(self, start: str | Path, settings: AspectSettings) -> None:
        transformers.utils.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        self.settings = settings
        encoder, tokenizer = _read(start, settings.dropout)
        start_token = tokenizer.token_to_id("[CLS]") or 0
        self.tokenizer = with_sentences(tokenizer) if settings.weighted else tokenizer
        self.tokenizer.enable_padding(pad_to_multiple_of=_MULTIPLE)
        self.tokenizer.enable_truncation(settings.tokens)
        self.network = AspectNetwork(encoder, settings.aspects, settings.pooling, settings.projection)
        if settings.weighted:
            names = self._named(settings.aspects)
            self.network = AspectNetwork(
                encoder, settings.aspects, settings.pooling, settings.projection, names, start_token
            )

    @property
    def device(self) -> torch.device:
        return next(self.network.parameters()).device

    def vectors(self, texts: Sequence[str]) -> Tensor:
        """[len(texts), d] embeddings by the encoder, of any length, with gradients. Matrix products are
        those of `fast_products`."""
        ids, mask = self._tokens(texts)
        groups = by_length(mask)
        widths = [int(mask[rows].sum(1).max()) for rows in groups]
        with fast_products(self.device):
            parts = [
                self.network(ids[rows, :width], mask[rows, :width])
                for rows, width in zip(groups, widths, strict=True)
            ]
        return torch.cat(parts).float()[torch.cat(groups).argsort()]

    def exact(self, text: str, name: str) -> Vectors:
        """[d] the embedding `name` of a text, of length 1, in 32 bits and without gradients."""
        with torch.inference_mode():
            embedding = self.network.embedding(self.network(*self._tokens([text])), name)
            return np.asarray(functional.normalize(embedding, dim=-1)[0].cpu().numpy())

    def encode(self, texts: Sequence[str], progress: Callable[[float], None] = lambda _share: None) -> Tensor:
        """[len(texts), d] embeddings by the encoder, of any length, without gradients, on the processor."""
        embeddings = torch.zeros(len(texts), self.network.encoder.config.hidden_size)
        order = sorted(range(len(texts)), key=lambda position: (-len(texts[position]), position))
        size = max(_BATCH_TOKENS // self.settings.tokens, 1)
        self.network.eval()
        with torch.inference_mode():
            for begin in range(0, len(order), size):
                chosen = order[begin : begin + size]
                embeddings[chosen] = self.vectors([texts[position] for position in chosen]).cpu()
                progress((begin + len(chosen)) / len(order))
        return embeddings

    def embeddings(self, encoded: Tensor, name: str) -> Vectors:
        """[n, d] of `encode` → the embeddings `name` [n, d or a multiple], of length 1."""
        with torch.inference_mode():
            chosen = self.network.embedding(encoded.to(self.device), name)
            return np.asarray(functional.normalize(chosen, dim=-1).cpu().numpy())

    def names(self) -> tuple[str, ...]:
        """Returns the embeddings that there are, apart from the concatenated one."""
        return (ENCODER, *self.network.aspects)

    def _tokens(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        encoded = self.tokenizer.encode_batch([*texts])
        ids = torch.tensor([encoding.ids for encoding in encoded], device=self.device)
        return ids, torch.tensor([encoding.attention_mask for encoding in encoded], device=self.device)

    def _named(self, texts: Sequence[str]) -> Tensor:
        self.network.eval()
        with torch.no_grad():
            return self.network(*self._tokens(texts)).float()


def with_sentences(tokenizer: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    """Returns a copy that puts [SEP] [CLS] between the sentences of a text, as the input of experiment 3.5
    has them.

    Done by the tokenizer itself, so that the folder that is served needs no other reader.
    """
    document = orjson.loads(tokenizer.to_str())
    between = {"type": "Replace", "pattern": {"Regex": _SENTENCE_END}, "content": " [SEP] [CLS] "}
    others = [] if document["normalizer"] is None else [document["normalizer"]]
    document["normalizer"] = {"type": "Sequence", "normalizers": [between, *others]}
    marks = ("[SEP]", "[CLS]")
    for added in document["added_tokens"]:
        if added["content"] in marks:
            added["normalized"] = True  # found after the normalizer has put them there
    copy = tokenizers.Tokenizer.from_str(orjson.dumps(document).decode())
    copy.add_special_tokens([tokenizers.AddedToken(mark, special=True, normalized=True) for mark in marks])
    return copy


def _read(start: str | Path, dropout: float) -> tuple[Any, tokenizers.Tokenizer]:
    options: dict[str, Any] = {"local_files_only": True}
    try:
        encoder = transformers.AutoModel.from_pretrained(
            start,
            attn_implementation="eager",
            hidden_dropout_prob=dropout,
            attention_probs_dropout_prob=dropout,
            dtype=torch.float32,
            use_safetensors=True,
            **options,
        )
        if getattr(encoder, "pooler", None) is not None:
            encoder.pooler = None  # not used, and random where the folder has none
        if (Path(start) / "tokenizer.json").is_file():
            return encoder, tokenizers.Tokenizer.from_file(str(Path(start) / "tokenizer.json"))
        fast = transformers.AutoTokenizer.from_pretrained(start, **options)
        return encoder, tokenizers.Tokenizer.from_str(fast.backend_tokenizer.to_str())
    except (OSError, ValueError, AttributeError) as error:
        raise InputError(
            f"the model {str(start)!r} to start from cannot be read ({str(error).splitlines()[0]})",
            hint="give a folder with config.json, model.safetensors and tokenizer.json, or download the model"
            " with Hugging Face's own client first",
        ) from error

"""The network with its tokenizer: texts to embeddings, in training and for export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import tokenizers
import torch
import transformers
from torch import Tensor
from torch.nn import functional

from citewhy.base.errors import InputError
from citewhy.search.encode.encoder import Vectors
from citewhy_lab.train.devices import fast_products
from citewhy_lab.train.systems.aspects.network import AspectNetwork
from citewhy_lab.train.systems.aspects.settings import ENCODER, AspectSettings

__all__ = ["AspectModel", "with_sentences"]

_BATCH_TOKENS = 8192
"""Tokens of a batch in `AspectModel.encode`, padding included."""

_MULTIPLE = 8
"""Lengths are padded to these, so that few shapes occur."""

_SENTENCE_END = r"(?<=[.!?]) (?=[A-Z])"
"""Where a sentence ends within a text whose spaces are single."""


class AspectModel:
    """Opens a model of Hugging Face with weights in safetensors: a folder, or the name of one that is in the
    cache on this machine; nothing is downloaded. There is no dropout, and attention is computed in the plain
    way while training, as for CiteWhy's own encoder.

    Raises InputError for a model that cannot be read.
    """

    def __init__(self, start: str | Path, settings: AspectSettings) -> None:
        transformers.utils.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        self.settings = settings
        encoder, tokenizer = _read(start)
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
        with fast_products(self.device):
            found = self.network(ids, mask)
        return found.float()

    def exact(self, text: str, name: str) -> Vectors:
        """[d] the embedding `name` of a text, of length 1, in 32 bits and without gradients."""
        with torch.inference_mode():
            found = self.network.embedding(self.network(*self._tokens([text])), name)
            return np.asarray(functional.normalize(found, dim=-1)[0].cpu().numpy())

    def encode(self, texts: Sequence[str], progress: Callable[[float], None] = lambda _share: None) -> Tensor:
        """[len(texts), d] embeddings by the encoder, of any length, without gradients, on the processor."""
        found = torch.zeros(len(texts), self.network.encoder.config.hidden_size)
        order = sorted(range(len(texts)), key=lambda place: (-len(texts[place]), place))
        size = max(_BATCH_TOKENS // self.settings.tokens, 1)
        self.network.eval()
        with torch.inference_mode():
            for begin in range(0, len(order), size):
                chosen = order[begin : begin + size]
                found[chosen] = self.vectors([texts[place] for place in chosen]).cpu()
                progress((begin + len(chosen)) / len(order))
        return found

    def embeddings(self, found: Tensor, name: str) -> Vectors:
        """[n, d] of `encode` → the embeddings `name` [n, d or a multiple], of length 1."""
        with torch.inference_mode():
            chosen = self.network.embedding(found.to(self.device), name)
            return np.asarray(functional.normalize(chosen, dim=-1).cpu().numpy())

    def names(self) -> tuple[str, ...]:
        """The embeddings that there are, apart from the concatenated one."""
        return (ENCODER, *self.network.aspects)

    def _tokens(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        encoded = self.tokenizer.encode_batch([*texts])
        ids = torch.tensor([each.ids for each in encoded], device=self.device)
        return ids, torch.tensor([each.attention_mask for each in encoded], device=self.device)

    def _named(self, texts: Sequence[str]) -> Tensor:
        self.network.eval()
        with torch.no_grad():
            return self.network(*self._tokens(texts)).float()


def with_sentences(tokenizer: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    """A copy that puts [SEP] [CLS] between the sentences of a text, as the input of experiment 3.5 has them.

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
    found = tokenizers.Tokenizer.from_str(orjson.dumps(document).decode())
    found.add_special_tokens([tokenizers.AddedToken(each, special=True, normalized=True) for each in marks])
    return found


def _read(start: str | Path) -> tuple[Any, tokenizers.Tokenizer]:
    options: dict[str, Any] = {"local_files_only": True}
    try:
        encoder = transformers.AutoModel.from_pretrained(
            start,
            attn_implementation="eager",
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            dtype=torch.float32,
            use_safetensors=True,
            **options,
        )
        if getattr(encoder, "pooler", None) is not None:
            encoder.pooler = None  # not used, and random where the folder has none
        if (Path(start) / "tokenizer.json").is_file():
            return encoder, tokenizers.Tokenizer.from_file(str(Path(start) / "tokenizer.json"))
        found = transformers.AutoTokenizer.from_pretrained(start, **options)
        return encoder, tokenizers.Tokenizer.from_str(found.backend_tokenizer.to_str())
    except (OSError, ValueError, AttributeError) as error:
        raise InputError(
            f"the model {str(start)!r} to start from cannot be read ({str(error).splitlines()[0]})",
            hint="give a folder with config.json, model.safetensors and tokenizer.json, or download the model"
            " with Hugging Face's own client first",
        ) from error

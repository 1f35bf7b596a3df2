"""BERT encoders of which some layers are trained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers

__all__ = ["open_bert"]


def open_bert(start: Path, layers: int, trained: int, dropout: float, attention_dropout: float) -> Any:
    """The first `layers` layers of the encoder in the folder `start`, in 32 bits and without a pooling layer.
    Only the last `trained` of them have gradients: the embeddings, and what is below, stay as they are."""
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    encoder: Any = transformers.BertModel.from_pretrained(
        start,
        add_pooling_layer=False,
        attn_implementation="eager",
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=attention_dropout,
        dtype=torch.float32,
        local_files_only=True,
        use_safetensors=True,
    )
    kept = encoder.encoder.layer[:layers]
    encoder.encoder.layer = kept
    encoder.config.num_hidden_layers = len(kept)
    for fixed in (encoder.embeddings, *kept[: len(kept) - trained]):
        for weights in fixed.parameters():
            weights.requires_grad = False
    return encoder

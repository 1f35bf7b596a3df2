"""Encoders: texts to vectors."""

from __future__ import annotations

from citewhy.models.networks import Device
from citewhy.search.encode.encoder import (
    CachedEncoder,
    Encoder,
    EncoderAround,
    TextKind,
    Vectors,
    WithoutWords,
)
from citewhy.search.encode.onnx import OnnxEncoder, default_encoder, open_encoder
from citewhy.search.encode.texts import paper_text, query_text

__all__ = [
    "CachedEncoder",
    "Device",
    "Encoder",
    "EncoderAround",
    "OnnxEncoder",
    "TextKind",
    "Vectors",
    "WithoutWords",
    "default_encoder",
    "open_encoder",
    "paper_text",
    "query_text",
]

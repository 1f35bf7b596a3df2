"""Encoders: texts to vectors."""

from __future__ import annotations

from citewhy.encode.cached import CachedEncoder
from citewhy.encode.encoder import Encoder, TextKind, Vectors
from citewhy.encode.onnx import OnnxEncoder, default_encoder, open_encoder
from citewhy.encode.texts import paper_text, query_text

__all__ = [
    "CachedEncoder",
    "Encoder",
    "OnnxEncoder",
    "TextKind",
    "Vectors",
    "default_encoder",
    "open_encoder",
    "paper_text",
    "query_text",
]

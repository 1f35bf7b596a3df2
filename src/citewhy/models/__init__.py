"""Model folders: their manifests, and how they are opened. Nothing here depends on a particular model."""

from __future__ import annotations

from citewhy.models.contracts import CONTRACTS, KINDS, Kind
from citewhy.models.manifest import ModelFolder, check_new, read_model, write_model
from citewhy.models.opening import open_model
from citewhy.models.registry import GROUP, READERS, Reader
from citewhy.models.shapes import Shapes

__all__ = [
    "CONTRACTS",
    "GROUP",
    "KINDS",
    "READERS",
    "Kind",
    "ModelFolder",
    "Reader",
    "Shapes",
    "check_new",
    "open_model",
    "read_model",
    "write_model",
]

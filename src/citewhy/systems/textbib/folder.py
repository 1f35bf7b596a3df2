"""A trained TEXTBIB network on disk: `model.safetensors`, `vocabulary.json`, `manifest.json`. No pickle."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from citewhy.artifact import folder_aside
from citewhy.errors import DamagedError
from citewhy.models import ModelFolder, read_model, write_model
from citewhy.rank.reranker import ChosenWeight
from citewhy.systems.textbib.network import TextBib
from citewhy.systems.textbib.reading import Reader
from citewhy.systems.textbib.shape import VARIANTS, Shape
from citewhy.systems.textbib.words import TARGET, Numbered

__all__ = ["Opened", "load", "read", "save"]

_WEIGHTS, _VOCABULARY = "model.safetensors", "vocabulary.json"


@dataclass(frozen=True, slots=True)
class Opened:
    network: TextBib
    reader: Reader
    fingerprint: str
    """Of the weights: states that were kept for others are not for these."""
    chosen_weights: tuple[ChosenWeight, ...]
    """What validation chose: over the order that it was trained on, and over others."""


def save(out: Path, network: TextBib, reader: Reader, facts: Mapping[str, Any]) -> None:
    """Writes `out` aside and renames it. Raises StorageError."""
    with folder_aside(out) as aside:
        save_file(
            {name: value.contiguous() for name, value in network.state_dict().items()}, aside / _WEIGHTS
        )
        names = {"words": reader.words.names, "authors": reader.authors.names}
        (aside / _VOCABULARY).write_bytes(orjson.dumps(names))
        facts = {"shape": asdict(network.shape), **facts}
        write_model(aside, "reranker", "textbib", network.shape.variant, facts)


def load(folder: Path) -> Opened:
    """The network in a model folder. Raises as `models.open_model`."""
    return read(read_model(folder, "reranker"))


def read(folder: ModelFolder) -> Opened:
    """Raises DamagedError for files that do not hold a network, its words and its authors."""
    path = folder.file(_WEIGHTS)
    try:
        reader = _reader(folder)
        # Without memory of its own: sizes other than those in the file are noticed before they cost any.
        with torch.device("meta"):
            network = TextBib(len(reader.words), len(reader.authors), reader.shape)
        weights = load_file(path)
        if any(value.dtype != torch.float32 for value in weights.values()):
            raise ValueError("expected numbers of 32 bits")
        network.load_state_dict(weights, assign=True)
    except (SafetensorError, RuntimeError, KeyError, TypeError, ValueError) as error:
        raise DamagedError(
            f"not the weights of the network that the folder describes ({error})", path=path
        ) from error
    if not all(bool(torch.isfinite(value).all()) for value in weights.values()):
        raise DamagedError("some weights are not finite numbers", path=path)
    return Opened(
        network,
        reader,
        fingerprint=f"{folder.files[_WEIGHTS]['crc32']:08x}",
        chosen_weights=_chosen_weights(folder),
    )


def _reader(folder: ModelFolder) -> Reader:
    """Raises TypeError, KeyError or ValueError for what is no vocabulary, or no shape."""
    shape = Shape(**folder.fact("shape", dict))
    sizes = [value for name, value in asdict(shape).items() if name not in ("variant", "function_words")]
    known = shape.variant in VARIANTS and type(shape.function_words) is bool
    if not known or not all(type(size) is int and size > 0 for size in sizes):
        raise ValueError(f"the shape is {asdict(shape)}")
    names = folder.json(_VOCABULARY)
    if not all(isinstance(name, str) for each in ("words", "authors") for name in names[each]):
        raise ValueError("the vocabulary is not made of words")
    if TARGET not in names["words"]:
        raise ValueError(f"the vocabulary lacks {TARGET}")
    return Reader(Numbered(names["words"]), Numbered(names["authors"]), shape)


def _chosen_weights(folder: ModelFolder) -> tuple[ChosenWeight, ...]:
    """Raises DamagedError for what is no weight."""
    try:
        chosen = tuple(ChosenWeight(**each) for each in folder.facts.get("weights", ()))
        valid = all(0 <= each.weight < math.inf and isinstance(each.pipeline, str) for each in chosen)
    except TypeError:
        valid = False
    if not valid:
        raise DamagedError(
            f"the weights of first stages are {folder.facts['weights']!r}, expected for each a pipeline and a"
            " weight of 0 or more",
            path=folder.path,
        )
    return chosen

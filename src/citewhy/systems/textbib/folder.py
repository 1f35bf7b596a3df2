"""A trained TEXTBIB network on disk: `model.safetensors`, `vocabulary.json`, `manifest.json`. No pickle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson
from safetensors.torch import load_file, save_file

from citewhy.artifact import folder_aside, read_manifest, write_manifest
from citewhy.errors import InputError, VersionError
from citewhy.systems.textbib.network import TextBib
from citewhy.systems.textbib.reading import Reader
from citewhy.systems.textbib.shape import Shape
from citewhy.systems.textbib.words import Numbered

__all__ = ["Opened", "load", "save"]

KIND, LAYOUT = "textbib", 1

_WEIGHTS, _VOCABULARY = "model.safetensors", "vocabulary.json"


@dataclass(frozen=True, slots=True)
class Opened:
    network: TextBib
    reader: Reader
    fingerprint: str
    """Of the weights: states that were kept for others are not for these."""
    first_stage_weight: float
    """What validation chose; 0 where nothing did."""


def save(out: Path, network: TextBib, reader: Reader, facts: Mapping[str, Any]) -> None:
    """Writes `out` aside and renames it. Raises StorageError."""
    with folder_aside(out) as aside:
        save_file(
            {name: value.contiguous() for name, value in network.state_dict().items()}, aside / _WEIGHTS
        )
        names = {"words": reader.words.names, "authors": reader.authors.names}
        (aside / _VOCABULARY).write_bytes(orjson.dumps(names))
        write_manifest(aside, {"kind": KIND, "layout": LAYOUT, "shape": asdict(network.shape), **facts})


def load(folder: Path) -> Opened:
    """Raises DamagedError for files that are not as they were written, InputError for a folder of another
    kind, VersionError for one of a later layout."""
    facts = read_manifest(folder)
    if facts.get("kind") != KIND:
        raise InputError(
            f"not a reranker of the kind {KIND}", path=folder, hint="make one with `citewhy train textbib`"
        )
    if facts["layout"] > LAYOUT:
        raise VersionError("a newer CiteWhy wrote this model", path=folder, hint="update citewhy")
    names = orjson.loads((folder / _VOCABULARY).read_bytes())
    reader = Reader(Numbered(names["words"]), Numbered(names["authors"]), Shape(**facts["shape"]))
    network = TextBib(len(reader.words), len(reader.authors), reader.shape)
    network.load_state_dict(load_file(folder / _WEIGHTS))
    return Opened(
        network,
        reader,
        fingerprint=f"{facts['files'][_WEIGHTS]['crc32']:08x}",
        first_stage_weight=float(facts.get("first_stage", {}).get("weight", 0.0)),
    )

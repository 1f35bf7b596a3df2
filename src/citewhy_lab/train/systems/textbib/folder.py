"""A trained TEXTBIB network on disk: a folder of `train.reranking.folder`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from citewhy.models import ModelFolder, read_model
from citewhy.ranking.rank.reranker import ChosenWeight
from citewhy_lab.train.reranking.folder import (
    chosen_weights,
    fingerprint,
    read_network,
    read_vocabulary,
    save_network,
)
from citewhy_lab.train.systems.textbib.network import TextBib
from citewhy_lab.train.systems.textbib.reading import Reader
from citewhy_lab.train.systems.textbib.shape import VARIANTS, Shape

__all__ = ["Opened", "load", "read", "save"]


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
    names = {"words": reader.words.names, "authors": reader.authors.names}
    save_network(out, network, names, "textbib", network.shape.variant, network.shape, facts)


def load(folder: Path) -> Opened:
    """The network in a model folder. Raises as `models.open_model`."""
    return read(read_model(folder, "reranker"))


def read(folder: ModelFolder) -> Opened:
    """Raises DamagedError for files that do not hold a network, its words and its authors."""
    readers: list[Reader] = []

    def make() -> TextBib:
        readers.append(_reader(folder))
        return TextBib(len(readers[0].words), len(readers[0].authors), readers[0].shape)

    network = read_network(folder, make)
    return Opened(network, readers[0], fingerprint(folder), chosen_weights(folder))


def _reader(folder: ModelFolder) -> Reader:
    """Raises TypeError, KeyError or ValueError for what is no vocabulary, or no shape."""
    shape = Shape(**folder.fact("shape", dict))
    sizes = [value for name, value in asdict(shape).items() if name not in ("variant", "function_words")]
    known = shape.variant in VARIANTS and type(shape.function_words) is bool
    if not known or not all(type(size) is int and size > 0 for size in sizes):
        raise ValueError(f"the shape is {asdict(shape)}")
    words, authors = read_vocabulary(folder, "words", "authors")
    return Reader(words, authors, shape)

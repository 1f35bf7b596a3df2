"""A trained NCN network on disk: a folder of `train.reranking.folder`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewhy.models import ModelFolder
from citewhy.ranking.rank.reranker import ChosenWeight
from citewhy_lab.train.reranking.folder import chosen_weights, read_network, read_vocabulary, save_network
from citewhy_lab.train.systems.ncn.network import Ncn
from citewhy_lab.train.systems.ncn.reading import Reader
from citewhy_lab.train.systems.ncn.settings import Shape

__all__ = ["Opened", "read", "save"]

_WIDTHS = ("widths", "author_widths")


@dataclass(frozen=True, slots=True)
class Opened:
    network: Ncn
    reader: Reader
    chosen_weights: tuple[ChosenWeight, ...]
    """What validation chose: over the order that it was trained on, and over others."""


def save(out: Path, network: Ncn, reader: Reader, facts: Mapping[str, Any]) -> None:
    """Writes `out` aside and renames it. Raises StorageError."""
    names = {
        "words": reader.words.names,
        "titles": reader.titles.names,
        "authors": reader.authors.names,
    }
    save_network(out, network, names, "ncn", "NCN", network.shape, facts)


def read(folder: ModelFolder) -> Opened:
    """Raises DamagedError for files that do not hold a network, its words and its authors."""
    readers: list[Reader] = []

    def make() -> Ncn:
        reader = _reader(folder)
        readers.append(reader)
        return Ncn(len(reader.words), len(reader.titles), len(reader.authors), reader.shape)

    network = read_network(folder, make)
    return Opened(network, readers[0], chosen_weights(folder))


def _reader(folder: ModelFolder) -> Reader:
    """Raises TypeError, KeyError or ValueError for what is no vocabulary, or no shape."""
    sizes = dict(folder.fact("shape", dict))
    widths: dict[str, Any] = {name: tuple(sizes.pop(name)) for name in _WIDTHS}
    every = [*sizes.values(), *(width for each in widths.values() for width in each)]
    shape = Shape(**sizes, **widths)
    if not all(type(size) is int and size > 0 for size in every) or not all(widths.values()):
        raise ValueError(f"the shape is {folder.facts['shape']}")
    if max(shape.widths) > shape.context_tokens or max(shape.author_widths) > shape.authors:
        raise ValueError("a convolution is wider than what it reads")
    words, titles, authors = read_vocabulary(folder, "words", "titles", "authors")
    return Reader(words, titles, authors, shape)

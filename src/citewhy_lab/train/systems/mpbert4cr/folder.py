"""A trained MP-BERT4CR network on disk: a folder of `train.reranking.folder`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from citewhy.base.errors import ModelError
from citewhy.models import ModelFolder
from citewhy.ranking.rank.reranker import ChosenWeight
from citewhy.search.encode import default_encoder
from citewhy_lab.train.reranking.folder import chosen_weights, read_network, read_vocabulary, save_network
from citewhy_lab.train.systems.mpbert4cr.network import MpBert
from citewhy_lab.train.systems.mpbert4cr.reading import Reader, ReadyVectors, Vocabulary
from citewhy_lab.train.systems.mpbert4cr.settings import Sampled, Shape

__all__ = ["Opened", "read", "save"]


@dataclass(frozen=True, slots=True)
class Opened:
    network: MpBert
    reader: Reader
    sampled: Sampled
    dynamic: bool
    seed: int
    chosen_weights: tuple[ChosenWeight, ...]
    """What validation chose: over the order that it was trained on, and over others."""


def save(out: Path, network: MpBert, vocabulary: Vocabulary, facts: Mapping[str, Any]) -> None:
    """Writes `out` aside and renames it. `facts` have ``sampled``, ``dynamic`` and ``seed``, and, for a
    network on ready sentence vectors, the fingerprint of their ``encoder``. Raises StorageError."""
    names = {"words": vocabulary.names}
    save_network(out, network, names, "mpbert4cr", "MP-BERT4CR", network.shape, facts)


def read(folder: ModelFolder) -> Opened:
    """Raises DamagedError for files that do not hold a network and its words, ModelError for one that reads
    the vectors of another sentence encoder than the built-in one."""
    made: list[Vocabulary] = []

    def make() -> MpBert:
        shape = _shape(folder)
        (names,) = read_vocabulary(folder, "words")
        made.append(Vocabulary(names.names, shape))
        return MpBert(len(made[0]), shape)

    network = read_network(folder, make)
    reader: Reader = _ready(folder, network.shape) if network.shape.inputs else made[0]
    sampled = Sampled(**folder.fact("sampled", dict))
    if not all(type(count) is int and count >= 0 for count in asdict(sampled).values()):
        raise ValueError(f"the numbers of sampled sentences are {asdict(sampled)}")
    dynamic, seed = folder.fact("dynamic", bool), folder.fact("seed", int)
    return Opened(network, reader, sampled, dynamic, abs(seed), chosen_weights(folder))


def _shape(folder: ModelFolder) -> Shape:
    shape = Shape(**folder.fact("shape", dict))
    sizes = asdict(shape)
    least = {name: int(name != "inputs") for name in sizes}
    if not all(type(size) is int and size >= least[name] for name, size in sizes.items()):
        raise ValueError(f"the shape is {sizes}")
    return shape


def _ready(folder: ModelFolder, shape: Shape) -> ReadyVectors:
    encoder, trained_on = default_encoder(), folder.fact("encoder", str)
    if encoder.fingerprint != trained_on or encoder.dimensions != shape.inputs:
        raise ModelError(
            f"the reranker reads sentence vectors of the encoder {trained_on}, and the built-in one is"
            f" {encoder.fingerprint}",
            path=folder.path,
            hint="train it again with this version: citewhy train mpbert4cr",
        )
    return ReadyVectors(encoder, shape)

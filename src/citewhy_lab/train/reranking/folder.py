"""Networks as rerankers, and their model folders: `model.safetensors`, `vocabulary.json`, `manifest.json`. No
pickle."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import orjson
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from citewhy.base.artifact import folder_aside
from citewhy.base.errors import DamagedError
from citewhy.base.records import QueryKind
from citewhy.models import ModelFolder, write_model
from citewhy.models.networks import finite
from citewhy.ranking.rank.reranker import ChosenWeight, Need, RerankRequest
from citewhy_lab.train.reranking.words import TARGET, Numbered

_WEIGHTS, _VOCABULARY = "model.safetensors", "vocabulary.json"

N = TypeVar("N", bound=nn.Module)
R = TypeVar("R")


class NetworkReranker(ABC):
    """A trained network, for citing sentences. Safe for use by several threads, one of which is at work."""

    kinds: frozenset[QueryKind] = frozenset({"local"})
    needs: frozenset[Need] = frozenset()

    def __init__(self, name: str, chosen_weights: Sequence[ChosenWeight], path: Path) -> None:
        """`path` is that of the folder, for error messages."""
        self._lock = threading.Lock()
        self._path = path
        self.name = name
        self.chosen_weights = tuple(chosen_weights)
        self.first_stage_weight = chosen_weights[0].weight if chosen_weights else 0.0

    @abstractmethod
    def _scores(self, request: RerankRequest) -> NDArray[np.float32]:
        """[n] scores by the network of n ≥ 1 candidates, while no other thread uses it."""

    def scores(self, request: RerankRequest) -> NDArray[np.float32]:
        """[n] scores by the network. Raises ModelError if one is not finite."""
        if not request.papers:
            return np.zeros(0, dtype=np.float32)
        with self._lock:
            return finite(self._scores(request), self._path)


def save_network(
    out: Path,
    network: nn.Module,
    vocabulary: Mapping[str, Sequence[str]],
    reader: str,
    name: str,
    shape: Any,
    facts: Mapping[str, Any],
) -> None:
    """Writes `out` aside and renames it. `shape` is a dataclass, the sizes of the network. Raises
    StorageError."""
    with folder_aside(out) as aside:
        state = {key: value.contiguous() for key, value in network.state_dict().items()}
        save_file(state, aside / _WEIGHTS)
        names = {key: list(names_of_kind) for key, names_of_kind in vocabulary.items()}
        (aside / _VOCABULARY).write_bytes(orjson.dumps(names))
        write_model(aside, "reranker", reader, name, {"shape": asdict(shape), **facts})


def read_network(
    folder: ModelFolder, read: Callable[[ModelFolder], R], make: Callable[[R], N]
) -> tuple[N, R]:
    """Returns the network that `make` makes of what `read` finds, with the weights of the folder, and what
    was found. Raises DamagedError for files that do not hold such a network; `read` may raise TypeError,
    KeyError or ValueError for what is none."""
    path = folder.file(_WEIGHTS)
    try:
        # Without memory of its own: sizes other than those in the file are noticed before they cost any.
        with torch.device("meta"):
            settings = read(folder)
            network = make(settings)
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
    return network, settings


def read_vocabulary(folder: ModelFolder, *keys: str) -> list[Numbered]:
    """Returns the vocabularies `keys`, of which the first is that of the contexts' words. Raises KeyError,
    TypeError or ValueError for what is no vocabulary."""
    names = folder.json(_VOCABULARY)
    if not all(isinstance(name, str) for key in keys for name in names[key]):
        raise ValueError("the vocabulary is not made of words")
    if TARGET not in names[keys[0]]:
        raise ValueError(f"the vocabulary lacks {TARGET}")
    return [Numbered(names[key]) for key in keys]

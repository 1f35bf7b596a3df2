"""What trained networks have in common as a `Reranker`. Imported without torch."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path

from citewhy.base.errors import MissingExtraError
from citewhy.base.records import QueryKind
from citewhy.ranking.rank.reranker import ChosenWeight, Need

__all__ = ["NetworkReranker", "check_torch"]


class NetworkReranker:
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


def check_torch(name: str) -> None:
    """Raises MissingExtraError if the packages that the reranker `name` runs on are not installed. Imports
    none."""
    if any(importlib.util.find_spec(each) is None for each in ("torch", "safetensors")):
        raise MissingExtraError(f"reranking with {name}", "lab")

"""Opens rankers and rerankers from model folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from citewhy.errors import QueryError
from citewhy.models import open_model
from citewhy.rank.model import RankerModel, default_model
from citewhy.rank.reranker import Reranker

__all__ = ["open_ranker", "open_reranker"]


def open_ranker(folder: Path | None) -> RankerModel:
    """Opens the ranker in a model folder; None: that of the package. Raises as `models.open_model`."""
    return default_model() if folder is None else cast("RankerModel", open_model(folder, "ranker"))


def open_reranker(folder: Path | None, first_stage_weight: float | None = None) -> Reranker | None:
    """Opens the reranker in a model folder; None without a folder. `first_stage_weight` None: as chosen in
    training.

    Raises as `models.open_model`, and QueryError for a weight without a folder.
    """
    if folder is None:
        if first_stage_weight is not None:
            raise QueryError(
                "--first-stage-weight needs a reranker", hint="name its folder with --reranker DIR"
            )
        return None
    reranker = cast("Reranker", open_model(folder, "reranker"))
    if first_stage_weight is None:
        return reranker
    return cast("Reranker", _Weighted(reranker, first_stage_weight))


class _Weighted:
    """A reranker with another `first_stage_weight`."""

    def __init__(self, reranker: Reranker, first_stage_weight: float) -> None:
        self._reranker = reranker
        self.first_stage_weight = first_stage_weight

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reranker, name)

"""Opens rankers and rerankers from model folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from citewhy.base.errors import QueryError
from citewhy.models import open_model
from citewhy.ranking.rank.model import RankerModel, default_model
from citewhy.ranking.rank.reranker import ChosenWeight, Reranker


def open_ranker(folder: Path | None) -> RankerModel:
    """Opens the ranker in a model folder; None: that of the package. Raises as `models.open_model`."""
    return default_model() if folder is None else cast("RankerModel", open_model(folder, "ranker"))


def weighed(reranker: Reranker, pipeline: str) -> tuple[Reranker, str]:
    """A reranker with the weight that was chosen for the order of `pipeline`, and a remark for people where
    this order may be better without it; empty otherwise."""
    chosen: Sequence[ChosenWeight] = getattr(reranker, "chosen_weights", ())
    if not chosen:
        return reranker, ""
    name = reranker.name
    for choice in chosen:
        if choice.pipeline == pipeline:
            weighted = cast("Reranker", _Weighted(reranker, choice.weight))
            if choice.mrr > choice.before:
                return weighted, ""
            figures = f"MRR {choice.mrr:.3f} against {choice.before:.3f}"
            return weighted, f"{name} ranked validation sentences no better than {pipeline} alone ({figures})"
    over = " and ".join(choice.pipeline for choice in chosen)
    return reranker, (
        f"{name} was weighed against the order of {over}, not of {pipeline}, which may be better without it;"
        " --first-stage-weight sets the weight"
    )


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
        self.chosen_weights = ()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reranker, name)

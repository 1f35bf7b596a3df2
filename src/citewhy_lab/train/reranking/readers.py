"""The readers of the model folders of rerankers. torch is imported when one is opened, and not before."""

from __future__ import annotations

import importlib.util

from citewhy.base.errors import MissingExtraError
from citewhy.models import ModelFolder
from citewhy.ranking.rank.reranker import Reranker


def read_mpbert4cr(folder: ModelFolder) -> Reranker:
    """The reader ``mpbert4cr`` of the kind ``reranker``.

    Raises MissingExtraError without torch, DamagedError for a folder that does not hold an MP-BERT4CR
    network, ModelError for one that reads the vectors of another sentence encoder than the built-in one.
    """
    _check_torch("MP-BERT4CR")
    from citewhy_lab.train.systems.mpbert4cr.served import open_mpbert4cr

    return open_mpbert4cr(folder)


def read_ncn(folder: ModelFolder) -> Reranker:
    """The reader ``ncn`` of the kind ``reranker``. Raises MissingExtraError without torch, DamagedError for a
    folder that does not hold an NCN network."""
    _check_torch("NCN")
    from citewhy_lab.train.systems.ncn.network import open_ncn

    return open_ncn(folder)


def read_textbib(folder: ModelFolder) -> Reranker:
    """The reader ``textbib`` of the kind ``reranker``. Raises MissingExtraError without torch, DamagedError
    for a folder that does not hold a TEXTBIB network."""
    _check_torch("TEXTBIB")
    from citewhy_lab.train.systems.textbib.served import open_textbib

    return open_textbib(folder)


def _check_torch(name: str) -> None:
    """Raises MissingExtraError if the packages that the reranker `name` runs on are not installed. Imports
    none."""
    if any(importlib.util.find_spec(module) is None for module in ("torch", "safetensors")):
        raise MissingExtraError(f"reranking with {name}", "lab")

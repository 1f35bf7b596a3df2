"""The readers of the model folders of rerankers. torch is imported when one is opened, and not before."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable

from citewhy.base.errors import MissingExtraError
from citewhy.models import ModelFolder
from citewhy.ranking.rank.reranker import Reranker


def _reader(name: str, function: str) -> Callable[[ModelFolder], Reranker]:
    """Returns a reader of the kind ``reranker``, which calls the `function` ``module:function`` of a system.

    It raises MissingExtraError without the packages that the reranker `name` runs on, DamagedError for a
    folder that does not hold such a network, and ModelError for one that reads the vectors of another
    sentence encoder than the built-in one.
    """

    def read(folder: ModelFolder) -> Reranker:
        if any(importlib.util.find_spec(module) is None for module in ("torch", "safetensors")):
            raise MissingExtraError(f"reranking with {name}", "lab")
        module, _, attribute = function.partition(":")
        system = importlib.import_module(f"citewhy_lab.train.systems.{module}")
        reranker: Reranker = getattr(system, attribute)(folder)
        return reranker

    return read


read_mpbert4cr = _reader("MP-BERT4CR", "mpbert4cr.network:open_mpbert4cr")
read_ncn = _reader("NCN", "ncn.network:open_ncn")
read_textbib = _reader("TEXTBIB", "textbib.served:open_textbib")

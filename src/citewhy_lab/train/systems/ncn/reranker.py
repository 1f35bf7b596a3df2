"""NCN as a `Reranker`: opens a folder that `citewhy train ncn` made.

torch is imported when a folder is opened, and not before.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Reason
from citewhy.models import ModelFolder
from citewhy.models.networks import finite
from citewhy.ranking.rank.reranker import ChosenWeight, RerankRequest
from citewhy_lab.train.reranking.served import NetworkReranker, check_torch

if TYPE_CHECKING:
    from citewhy_lab.train.systems.ncn.scorer import Scorer

__all__ = ["DEPTH", "NcnReranker", "read_ncn"]

DEPTH = 200
"""Candidates that are reranked, as many as in training: the decoder reads each title word by word."""

_WORDS_SHOWN = 3


class NcnReranker(NetworkReranker):
    """A trained network, for citing sentences."""

    depth = DEPTH

    def __init__(self, scorer: Scorer, chosen_weights: Sequence[ChosenWeight], path: Path) -> None:
        super().__init__("NCN", chosen_weights, path)
        self._scorer = scorer

    def scores(self, request: RerankRequest) -> NDArray[np.float32]:
        """[n] mean log-probabilities of the words of the candidates' titles, at most 0. Raises ModelError if
        one is not finite."""
        if not request.papers:
            return np.zeros(0, dtype=np.float32)
        with self._lock:
            return finite(self._scorer.scores(request.query, request.papers), self._path)

    def reasons(self, request: RerankRequest, place: int) -> tuple[Reason, ...]:
        """The mean probability of a word of the title, and the most probable words."""
        paper = request.papers[place]
        with self._lock:
            (mean,) = self._scorer.scores(request.query, [paper]).tolist()
            likely = self._scorer.likely(request.query, paper, _WORDS_SHOWN)
        words = ", ".join(f"“{word}” {chance:.2g}" for word, chance in likely)
        most = f"; most probable: {words}" if words else ""
        text = f"after the sentence, a word of the title has probability {np.exp(mean):.2g} on average{most}"
        return (Reason("text", text, 1.0),)


def read_ncn(folder: ModelFolder) -> NcnReranker:
    """The reader ``ncn`` of the kind ``reranker``.

    Raises MissingExtraError without torch, DamagedError for a folder that does not hold an NCN network.
    """
    check_torch("NCN")
    from citewhy_lab.train.systems.ncn.folder import read
    from citewhy_lab.train.systems.ncn.scorer import Scorer

    opened = read(folder)
    return NcnReranker(Scorer(opened.network, opened.reader), opened.chosen_weights, folder.path)

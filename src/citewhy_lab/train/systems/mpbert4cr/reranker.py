"""MP-BERT4CR as a `Reranker`: opens a folder that `citewhy train mpbert4cr` made.

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
from citewhy.ranking.rank.reranker import ChosenWeight, Need, RerankRequest
from citewhy_lab.train.reranking.served import NetworkReranker, check_torch
from citewhy_lab.train.systems.mpbert4cr.settings import Sampled
from citewhy_lab.train.systems.mpbert4cr.texts import Manuscripts, Text, paper_text

if TYPE_CHECKING:
    from citewhy_lab.train.systems.mpbert4cr.scorer import Scorer

__all__ = ["DEPTH", "MpBertReranker", "read_mpbert4cr"]

DEPTH = 100
"""Candidates that are reranked, as many as in training: of each, up to forty sentences are read."""


class MpBertReranker(NetworkReranker):
    """A trained network, for citing sentences."""

    depth = DEPTH
    needs: frozenset[Need] = frozenset({"full texts"})

    def __init__(
        self, scorer: Scorer, sampled: Sampled, chosen_weights: Sequence[ChosenWeight], path: Path
    ) -> None:
        super().__init__("MP-BERT4CR", chosen_weights, path)
        self._scorer = scorer
        self._sampled = sampled
        self._manuscripts = Manuscripts({})

    def scores(self, request: RerankRequest) -> NDArray[np.float32]:
        """[n] cosines of manuscript and candidates, in [-1, 1]. Raises ModelError if one is not finite."""
        if not request.papers:
            return np.zeros(0, dtype=np.float32)
        with self._lock:
            found = self._scorer.scores(self._manuscripts(request.query), self._texts(request))
        return finite(found, self._path)

    def reasons(self, request: RerankRequest, place: int) -> tuple[Reason, ...]:
        """The cosine, and what was read."""
        one = request.only(place)
        (cosine,) = self.scores(one).tolist()
        (text,) = self._texts(one)
        of_paper = "its abstract and its text" if text.pool else "its abstract"
        found = f"your text and {of_paper} are alike as a whole: cosine {cosine:.2f}"
        return (Reason("text", found, 1.0),)

    def _texts(self, request: RerankRequest) -> list[Text]:
        full = request.full_texts or (None,) * len(request.papers)
        return [
            paper_text(paper, each, self._sampled) for paper, each in zip(request.papers, full, strict=True)
        ]


def read_mpbert4cr(folder: ModelFolder) -> MpBertReranker:
    """The reader ``mpbert4cr`` of the kind ``reranker``.

    Raises MissingExtraError without torch, DamagedError for a folder that does not hold an MP-BERT4CR
    network, ModelError for one that reads the vectors of another sentence encoder.
    """
    check_torch("MP-BERT4CR")
    from citewhy_lab.train.systems.mpbert4cr.folder import read
    from citewhy_lab.train.systems.mpbert4cr.scorer import Scorer

    opened = read(folder)
    scorer = Scorer(opened.network, opened.reader, opened.sampled, opened.dynamic, opened.seed)
    return MpBertReranker(scorer, opened.sampled, opened.chosen_weights, folder.path)

"""TEXTBIB as a `Reranker`: opens a folder that `citewhy train textbib` made.

torch is imported when a folder is opened, and not before.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Reason
from citewhy.models import ModelFolder, read_model
from citewhy.models.networks import finite
from citewhy.ranking.rank.reranker import ChosenWeight, RerankRequest
from citewhy.text.counted import counted
from citewhy_lab.train.reranking.served import NetworkReranker, check_torch

if TYPE_CHECKING:
    from citewhy_lab.train.systems.textbib.scorer import Scorer

__all__ = ["DEPTH", "TextBibReranker", "open_textbib", "read_textbib"]

DEPTH = 1000
"""Candidates that are reranked, as many as in training."""

_WORDS_SHOWN = 5


class TextBibReranker(NetworkReranker):
    """A trained network, for citing sentences."""

    depth = DEPTH

    def __init__(self, scorer: Scorer, name: str, chosen_weights: Sequence[ChosenWeight], path: Path) -> None:
        super().__init__(name, chosen_weights, path)
        self._scorer = scorer

    def scores(self, request: RerankRequest) -> NDArray[np.float32]:
        """[n] in [-1, 1], for variants whose scores are added in [-2, 2]. Raises ModelError if one is not
        finite."""
        if not request.papers:
            return np.zeros(0, dtype=np.float32)
        with self._lock:
            found = self._scorer.scores(request.query, request.papers, request.citing_years)
        scores: NDArray[np.float32] = found.final.numpy()
        return finite(scores, self._path)

    def reasons(self, request: RerankRequest, place: int) -> tuple[Reason, ...]:
        """What the attention rests on, what authors and citations added; with their shares of the network's
        score."""
        query, paper, years = request.query, request.papers[place], request.citing_years[place]
        with self._lock:
            scores = self._scorer.scores(query, [paper], [years])
            weighed = self._scorer.weighed(query, paper, _WORDS_SHOWN)
        text, bibliographic = scores.shares[0].tolist()
        total = text + bibliographic
        words = ", ".join(f"“{word}”" for word in weighed)
        weighted = f"the text module gave most weight to {words or 'the title'}"
        near = f"{weighted}: cosine {float(scores.text[0]):.2f}"
        reasons = [Reason("text", near, round(text / total, 3))]
        if bibliographic:
            times = counted(len(years), "citation")
            known = f"authors and {times} speak {_for(float(scores.bibliographic[0]))} it"
            reasons.append(Reason("bibliography", known, round(bibliographic / total, 3)))
        return tuple(sorted(reasons, key=lambda reason: -reason.weight))


def read_textbib(folder: ModelFolder, states: Path | None = None) -> TextBibReranker:
    """The reader ``textbib`` of the kind ``reranker``; `states` is a folder of `textbib.states` for the
    papers of a library.

    Raises MissingExtraError without torch, DamagedError for a folder that does not hold a TEXTBIB network,
    InputError for states of another one.
    """
    check_torch("TEXTBIB")
    from citewhy_lab.train.systems.textbib.folder import read
    from citewhy_lab.train.systems.textbib.scorer import Scorer
    from citewhy_lab.train.systems.textbib.states import PaperStates

    opened = read(folder)
    stored = None if states is None else PaperStates(states, opened)
    scorer = Scorer(opened.network, opened.reader, stored)
    return TextBibReranker(scorer, folder.name, opened.chosen_weights, folder.path)


def open_textbib(folder: Path, states: Path | None = None) -> TextBibReranker:
    """Opens a model folder with kept states. Raises as `models.open_model` and `read_textbib`."""
    return read_textbib(read_model(folder, "reranker"), states)


def _for(score: float) -> str:
    return "for" if score > 0 else "against"

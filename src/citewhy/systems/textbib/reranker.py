"""The door to TEXTBIB (`models.textbib`): a folder that `citewhy train textbib` made, as a `Reranker`.

torch is imported when a folder is opened, and not before.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from citewhy.errors import MissingExtraError, QueryError
from citewhy.rank.reranker import CitedIn
from citewhy.records import Paper, Query, QueryKind, Reason

if TYPE_CHECKING:
    from citewhy.systems.textbib.scorer import Scorer

__all__ = ["DEPTH", "TextBibReranker", "open_given", "open_textbib"]

DEPTH = 1000
"""Candidates that are read, as in training."""

_WORDS_SHOWN = 5


class TextBibReranker:
    """A trained network, for citing sentences. Not to be shared between threads."""

    kinds: frozenset[QueryKind] = frozenset({"local"})
    depth = DEPTH

    def __init__(self, scorer: Scorer, name: str, first_stage_weight: float) -> None:
        self._scorer = scorer
        self.name = name
        self.first_stage_weight = first_stage_weight

    def scores(
        self, query: Query, papers: Sequence[Paper], cited_in: Sequence[CitedIn]
    ) -> NDArray[np.float32]:
        """[n] in [-1, 1], for variants whose scores are added in [-2, 2]."""
        if not papers:
            return np.zeros(0, dtype=np.float32)
        found: NDArray[np.float32] = self._scorer.scores(query, papers, cited_in).final.numpy()
        return found

    def reasons(self, query: Query, paper: Paper, cited_in: CitedIn) -> tuple[Reason, ...]:
        """What the attention rests on, what authors and citations added; with their shares of the network's
        score."""
        scores = self._scorer.scores(query, [paper], [cited_in])
        text, bibliographic = scores.shares[0].tolist()
        total = text + bibliographic
        words = ", ".join(f"“{word}”" for word in self._scorer.weighed(query, paper, _WORDS_SHOWN))
        said = f"the text module weighed {words or 'the title'}"
        near = f"{said}: cosine {float(scores.text[0]):.2f}"
        reasons = [Reason("text", near, round(text / total, 3))]
        if bibliographic:
            times = f"{len(cited_in)} citation{'' if len(cited_in) == 1 else 's'}"
            known = f"authors and {times} speak {_for(float(scores.bibliographic[0]))} it"
            reasons.append(Reason("bibliography", known, round(bibliographic / total, 3)))
        return tuple(sorted(reasons, key=lambda reason: -reason.weight))


def open_textbib(
    folder: Path, states: Path | None = None, first_stage_weight: float | None = None
) -> TextBibReranker:
    """Opens a model folder; `states` is a folder of `models.textbib_states` for the papers of a library;
    `first_stage_weight` None: what validation chose when it was trained.

    Raises MissingExtraError without torch, InputError for a folder of another kind, DamagedError for files
    that are not as they were written.
    """
    if any(importlib.util.find_spec(name) is None for name in ("torch", "safetensors")):
        raise MissingExtraError("reranking with TEXTBIB", "train")
    from citewhy.systems.textbib.folder import load
    from citewhy.systems.textbib.scorer import Scorer
    from citewhy.systems.textbib.states import PaperStates

    opened = load(folder)
    stored = None if states is None else PaperStates(states, opened)
    weight = opened.first_stage_weight if first_stage_weight is None else first_stage_weight
    return TextBibReranker(
        Scorer(opened.network, opened.reader, stored), opened.network.shape.variant, weight
    )


def open_given(folder: Path | None, first_stage_weight: float | None) -> TextBibReranker | None:
    """As `open_textbib`, for options that may be missing. Raises QueryError for a weight without a folder."""
    if folder is not None:
        return open_textbib(folder, first_stage_weight=first_stage_weight)
    if first_stage_weight is not None:
        raise QueryError(
            "there is no reranker for --first-stage-weight", hint="name its folder: --reranker DIR"
        )
    return None


def _for(score: float) -> str:
    return "for" if score > 0 else "against"

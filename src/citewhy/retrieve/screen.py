"""Screening: any signal can speak for a paper; the papers that none speaks for are not looked at again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from citewhy.index.local.bm25 import Floats
from citewhy.retrieve.signals import Signals, best_rows

__all__ = ["relative", "screen"]

_SCREENED = 1000
"""Candidates that each of the two screens keeps."""


def screen(
    signals: Signals, allowed: NDArray[np.bool_], id_ranks: NDArray[np.int32], count: int = _SCREENED
) -> NDArray[np.int64]:
    """Rows of the candidates, ascending: the best by what others say, the best by a paper's own words, the
    nearest in meaning, and what the sentences cite that are nearest in meaning.

    `id_ranks` [R] are the places of the papers in order of their ids, which settle ties.
    """
    text = relative(signals.text)
    own_words = text + relative(signals.feedback)
    own_words += 0.03 * signals.evidence.author_fame
    own_words[np.flatnonzero(signals.own)] += np.float32(0.3)
    said = text
    said[signals.sentences.papers] += relative(signals.sentences.together) + relative(
        signals.sentences.nearest
    )
    said[np.flatnonzero(signals.history)] += np.float32(0.3)
    if signals.neighbours is not None:
        near = relative(signals.neighbours.cocited) + relative(signals.neighbours.linked)
        near += relative(signals.neighbours.coupled)
        own_words += 0.5 * near
        said += near
    chosen, barred = np.zeros(len(allowed), dtype=np.bool_), ~allowed
    for screened in (own_words, said):
        np.copyto(screened, np.float32(-1), where=barred)
        chosen[best_rows(screened, count, id_ranks)] = True
    chosen[signals.meaning.nearest] = True
    chosen[signals.echoes.papers] = True
    chosen &= allowed
    return np.flatnonzero(chosen)


def relative(values: Floats) -> Floats:
    """`values` divided by the largest; zeros where none is positive."""
    best = float(values.max(initial=0.0))
    return values / np.float32(best) if best > 0 else np.zeros_like(values)

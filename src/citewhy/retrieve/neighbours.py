"""The citation graph around what a draft already cites.

Sources: co-citation, Small 1973; bibliographic coupling, Kessler 1963; both normalised by the geometric mean
of the two papers' counts (Salton's cosine): a paper that everybody cites is not everybody's neighbour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.index.local.bm25 import Floats
from citewhy.index.local.postings import spread
from citewhy.retrieve.rules import Evidence

__all__ = ["Neighbours", "neighbours"]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """For every paper, how it stands to the papers that are known. [R] each."""

    cocited: Floats
    """Σ over known papers: cosine of the two sets of papers that cite them."""
    coupled: Floats
    """Σ over known papers: cosine of the two sets of papers that they cite."""
    linked: Floats
    """Number of known papers that it cites or that cite it."""


def neighbours(evidence: Evidence, known: Sequence[int]) -> Neighbours:
    """`known` are rows of the papers that the draft cites already."""
    tables = evidence.tables
    received = evidence.times_cited
    made = np.bincount(tables.citing[evidence.citations], minlength=tables.rows).astype(np.float32)
    cocited, coupled = np.zeros(tables.rows, np.float32), np.zeros(tables.rows, np.float32)
    linked = np.zeros(tables.rows, np.float32)
    for row in known:
        citing = _citing(evidence, np.array([row]))
        cited = _cited(evidence, np.array([row]))
        linked[citing] += 1
        linked[cited] += 1
        beside = np.bincount(_cited(evidence, citing), minlength=tables.rows)
        sharing = np.bincount(_citing(evidence, cited), minlength=tables.rows)
        # Nothing is its own neighbour: a paper that is cited elsewhere in the draft gains nothing by it.
        beside[row] = sharing[row] = 0
        cocited += beside / np.sqrt(np.maximum(received[row], 1) * np.maximum(received, 1))
        coupled += sharing / np.sqrt(np.maximum(made[row], 1) * np.maximum(made, 1))
    return Neighbours(cocited, coupled, linked)


def _cited(evidence: Evidence, rows: NDArray[Any]) -> NDArray[np.int32]:
    """Papers that each of `rows` cites, repetitions kept."""
    tables = evidence.tables
    _, made = spread(tables.citing_starts[rows], tables.citing_starts[rows + 1])
    return tables.cited[made[evidence.citations[made]]]


def _citing(evidence: Evidence, rows: NDArray[Any]) -> NDArray[np.int32]:
    """Papers that cite each of `rows`, repetitions kept."""
    tables = evidence.tables
    _, places = spread(tables.cited_starts[rows], tables.cited_starts[rows + 1])
    received = tables.by_cited[places]
    return tables.citing[received[evidence.citations[received]]]

"""Ranks of right papers, and their measures by question; what `fields.py` and `evidence.py` share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from citewhy_lab.evaluate.measures import Scores

MEASURES: Mapping[str, Callable[[float], float]] = {
    "R@10": lambda rank: rank <= 10,
    "RR": lambda rank: 1 / rank,
}


def rank_in(ids: Sequence[str], paper_id: str) -> float:
    """From 1; infinite for a paper that was not found."""
    return ids.index(paper_id) + 1.0 if paper_id in ids else np.inf


def scores(questions: Sequence[str], ranks: Sequence[float]) -> Scores:
    """`ranks` of right papers, each with its question: answers of one question are not independent."""
    names = list(dict.fromkeys(questions))
    number = {name: at for at, name in enumerate(names)}
    at = np.array([number[each] for each in questions])
    return Scores(
        tuple(names),
        np.bincount(at).astype(float),
        {
            name: np.bincount(at, weights=[float(of(rank)) for rank in ranks]).astype(float)
            for name, of in MEASURES.items()
        },
    )

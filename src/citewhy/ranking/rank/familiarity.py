"""Whether a library has anything on the subject of a question.

The last step of ranking compares the candidates of a question with each other, so that one of them is the
best even where all are about something else. Here it counts how near the nearest of them is at all: the
probabilities of all candidates are multiplied by

    familiarity = 1 / (1 + exp(−40 · (c − 0.4)))

where c is the largest cosine of the question and a candidate, or a candidate and the sentences that cite it.
It is 1 where the question names a paper's authors with its year, or what it introduced. The two numbers
were chosen near those of the greatest likelihood on questions of authors' documents to the libraries of these
documents and to those of others, which hardly tells slopes from 20 up apart (`benchmarks/familiarity.py`).
They are for the built-in encoder, as the last step is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from citewhy.ranking.rank.last_step_features import LAST_STEP_FEATURES, NAME_FEATURES

MIDDLE, SLOPE = 0.4, 40.0

_COSINES = [LAST_STEP_FEATURES.index(name) for name in ("cosine", "profile")]
_NAMES = [LAST_STEP_FEATURES.index(name) for name in NAME_FEATURES]
_DATED = [LAST_STEP_FEATURES.index(name) for name in ("first_author_named", "year_named")]


def familiarity(table: NDArray[np.float32]) -> float:
    """In [0, 1], of a question whose candidates have the features `table` [n, len(LAST_STEP_FEATURES)]."""
    if not len(table):
        return 0.0
    named = table[:, _NAMES].any() or table[:, _DATED].all(axis=1).any()
    return 1.0 if named else of_nearest(nearest(table))


def nearest(table: NDArray[np.float32]) -> float:
    """The largest cosine in a table of at least one candidate."""
    return float(table[:, _COSINES].max())


def of_nearest(cosine: float, middle: float = MIDDLE, slope: float = SLOPE) -> float:
    """In [0, 1], by the largest cosine alone."""
    return float(1 / (1 + np.exp(-slope * (cosine - middle))))

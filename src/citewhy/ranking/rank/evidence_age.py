"""How much citing sentences still tell when they are old.

Citing sentences tell which papers are cited for what, but nothing of the papers that have appeared since. In
a library whose newest citation is years older than the question, the scores for libraries with citing
sentences (`rank.last_step`) are therefore averaged with those for libraries without: the share of the first
is 1 up to `OLD_YEARS`, from which on the linear model takes them for old, too, and falls evenly to a half at
`OLDEST`. Sentences of 2012, asked as if nothing of the years before were known, show when
(docs/log/ranking.md).
"""

from __future__ import annotations

import numpy as np

from citewhy.ranking.rank.linear import OLD_YEARS

OLDEST = 10
"""Years from the newest citation to the question from which on the share stays the same."""


def contexts_share(year: int, until: int) -> float:
    """In [0.5, 1], for a question of `year` and citations of which the newest is of the year `until`."""
    return 1 - float(np.clip((year - until - OLD_YEARS) / (OLDEST - OLD_YEARS), 0, 1)) / 2

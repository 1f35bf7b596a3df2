"""Whether a library has anything on the subject of a question."""

from __future__ import annotations

import numpy as np
import pytest
from last_step_tables import table

from citewhy.ranking.rank.last_step import familiarity, familiarity_of


def test_the_nearest_candidate_counts() -> None:
    """By its text, or with the sentences that cite it; one half at the middle."""
    assert familiarity(table(cosine=[0.1, 0.4])) == pytest.approx(0.5)
    assert familiarity(table(cosine=[0.1, 0.2], profile=[0.6, 0.2])) > 0.99
    assert familiarity(table(cosine=[0.2, 0.1])) < 0.01
    rising = [familiarity_of(cosine) for cosine in np.linspace(-1, 1, 21)]
    assert rising == sorted(rising)


def test_what_is_named_is_familiar() -> None:
    """A name that a candidate introduced, or its first author with its year; not the author of one candidate
    with the year of another."""
    assert familiarity(table(cosine=[0.1, 0.1], name_introduced=[0, 0.5])) == 1
    assert familiarity(table(cosine=[0.1, 0.1], first_author_named=[0, 1], year_named=[0, 1])) == 1
    assert familiarity(table(cosine=[0.1, 0.1], first_author_named=[0, 1], year_named=[1, 0])) < 0.01


def test_no_candidates() -> None:
    assert familiarity(table(cosine=[])) == 0

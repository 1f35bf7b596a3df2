"""How much old citing sentences count."""

from __future__ import annotations

import pytest

from citewhy.ranking.rank.last_step_features import contexts_share


@pytest.mark.parametrize(
    ("year", "until", "expected"),
    [
        (2012, 2011, 1.0),
        (2012, 2010, 1.0),
        (2012, 2006, 0.75),
        (2012, 2002, 0.5),
        (2026, 1985, 0.5),
        (2012, 2020, 1.0),  # a question without a limit of time sees later citations
    ],
)
def test_it_falls_with_the_years_since_the_newest_citation(year: int, until: int, expected: float) -> None:
    assert contexts_share(year, until) == expected

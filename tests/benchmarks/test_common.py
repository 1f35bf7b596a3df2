"""The report of `make bench`, on figures made up here: nothing is timed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from common import Line, document, ratio, table

LINES = [
    Line("a query, beside another", 4.987, "×", 5.0),
    Line("  peak memory", 1234.4, "MB"),
    Line("suggest", 1.204, "s", 1.0),
]


def test_a_ratio_is_median_over_median() -> None:
    """One slow run of three changes nothing."""
    assert ratio([6.0, 5.0, 600.0], [2.0, 0.1, 2.5]) == 3.0


def test_a_peer_without_time_is_no_measurement() -> None:
    with pytest.raises(ValueError, match="no time"):
        ratio([1.0], [0.0])


@pytest.mark.parametrize(
    ("measured", "asked", "holds"), [(3.0, 3.0, True), (3.01, 3.0, False), (0.1, None, None)]
)
def test_what_is_asked_is_the_most_that_is_wanted(
    measured: float, asked: float | None, holds: bool | None
) -> None:
    """The limit itself still holds; where nothing is asked there is no verdict."""
    assert Line("a figure", measured, "×", asked).holds is holds


@pytest.mark.parametrize(("measured", "holds"), [(2.5, True), (9.0, True), (2.49, False)])
def test_what_is_asked_may_be_the_least(measured: float, holds: bool) -> None:
    """Then more is better, and the table says so."""
    line = Line("a figure", measured, "×", 2.5, least=True)
    assert line.holds is holds
    assert "≥ 2.50 ×" in table([line])


def test_shares_have_no_unit() -> None:
    """They have four digits."""
    assert table([Line("recall", 0.99951, "")]).splitlines()[1].split() == ["recall", "0.9995"]


def test_the_table_has_a_line_for_each_figure_and_a_verdict_where_one_is_asked() -> None:
    """Columns line up, digits follow the unit, and a figure that is only told has no verdict."""
    assert table(LINES).splitlines() == [
        "                            asked  measured",
        "a query, beside another  ≤ 5.00 ×    4.99 ×  yes",
        "  peak memory                      1,234 MB",
        "suggest                  ≤ 1.00 s    1.20 s  no",
    ]


def test_the_document_keeps_every_figure_every_sample_and_the_making() -> None:
    """Figures are not rounded there."""
    made = document(LINES, {"suggest": [1.1, 1.3]}, {"commit": "abc"})
    assert [line["holds"] for line in made["lines"]] == [True, None, False]
    assert made["lines"][0] == {
        "what": "a query, beside another",
        "asked": 5.0,
        "measured": 4.987,
        "unit": "×",
        "holds": True,
    }
    assert made["samples"] == {"suggest": [1.1, 1.3]}
    assert made["making"] == {"commit": "abc"}

"""`search.index.milvus.told`: a condition that is weaker than what is admitted, and mostly the same."""

from __future__ import annotations

import re

import numpy as np
import pytest

from citewhy.search.index.milvus.collection import partition_of
from citewhy.search.index.milvus.told import Served, Told

YEARS = np.array([0, 1900, 1949, 1950, 1999, 2000, 2001, 2001, 2050], dtype=np.int16)


def meant(served: Served, told: Told) -> set[int]:
    """The rows that a server would search."""
    rows = set()
    for row in np.flatnonzero(served.rows).tolist():
        facts = {
            "number": row,
            "year": int(served.years[row]),
            "abstract": served.abstracts is not None and bool(served.abstracts[row]),
        }
        said = re.sub(r"\btrue\b", "True", told.condition) or "True"
        if partition_of(facts["year"]) in told.partitions and eval(said, {}, facts):
            rows.add(row)
    return rows


@pytest.mark.parametrize("seed", range(200))
def test_no_row_is_missed(seed: int) -> None:
    """All admitted rows are among those that the server is told, and it is told how many these are."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 40))
    years = rng.choice(YEARS, count)
    served = Served(rng.random(count) < 0.9, years, rng.random(count) < 0.7 if seed % 3 else None)
    allowed = (years <= rng.choice([0, 1920, 1960, 2000, 2100])) & (rng.random(count) < rng.choice([0.5, 1]))
    if served.abstracts is not None and seed % 2:
        allowed &= served.abstracts
    told = served.told(allowed)
    wanted = set(np.flatnonzero(served.rows & allowed).tolist())
    if told is None:
        assert not wanted
    else:
        assert meant(served, told) == wanted  # there are few, so that each may be named
        assert told.rows == len(wanted)


def test_what_a_scope_says() -> None:
    """A year is told by partitions; one that has several years also by a condition; the pool by another."""
    years = np.repeat(YEARS, 500)
    abstracts = np.arange(len(years)) % 2 == 0
    served = Served(np.ones(len(years), np.bool_), years, abstracts)
    everyone = served.told(np.ones(len(years), np.bool_))
    assert everyone is not None
    assert everyone.condition == ""
    before = served.told(years <= 2000)
    assert before == Told(("undated", "y1949", "y1950", "y1999", "y2000"), "", 3000)
    early = served.told(years <= 1900)
    assert early == Told(("undated", "y1949"), "year >= 0 and year <= 1900", 1000)
    pool = served.told((years <= 2000) & abstracts)
    assert pool is not None
    assert pool.condition == "abstract == true"
    one = (years <= 2000) & (np.arange(len(years)) != 700)
    without = served.told(one)
    assert without is not None
    assert without.condition == "number not in [700]"


def test_what_no_condition_says() -> None:
    """Where many rows are left out, the server is told more than is admitted; a few are listed."""
    years = np.full(10_000, 2000, dtype=np.int16)
    served = Served(np.ones(10_000, np.bool_), years, None)
    half = np.arange(10_000) % 2 == 0
    told = served.told(half)
    assert told == Told(("y2000",), "", 10_000)
    few = np.arange(10_000) % 1000 == 0
    listed = served.told(few)
    assert listed == Told(("y2000",), f"number in {list(range(0, 10_000, 1000))}", 10)
    assert served.told(np.zeros(10_000, np.bool_)) is None

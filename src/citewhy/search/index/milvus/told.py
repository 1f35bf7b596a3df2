"""What a server is told of the rows that a question admits: partitions and a condition.

Which rows those are is decided in one place (`search/rules.py`), and comes as an array. A server that has the
year of each row, and whether there is an abstract, is told the years between which all of them lie, whether
all have an abstract, and a few that do not count. That is mostly all there is to say. Whatever else a
question leaves out, the server may return, and is left out here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index.milvus.collection import partition_of

_NAMED = 128
"""Rows that a condition leaves out by their numbers, at most."""

_LISTED = 1024
"""Rows that a condition lists, at most, where there is no better one."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a server is asked to search."""

    partitions: tuple[str, ...]
    condition: str
    rows: int
    """The number of rows of which this is true, admitted or not."""


@dataclass(frozen=True, eq=False)
class Served:
    """The rows of a collection, with R in the index to which it belongs. Thread-safe."""

    rows: NDArray[np.bool_]
    """[R] which of them the server has."""
    years: NDArray[np.int16]
    """[R] 0 if unknown."""
    abstracts: NDArray[np.bool_] | None
    """[R]; None of sentences."""

    def told(self, allowed: NDArray[np.bool_]) -> Told | None:
        """Says which rows are `allowed` [R], or more; None if the server has none of them."""
        admitted = self.rows & allowed
        count = int(np.count_nonzero(admitted))
        if not count:
            return None
        years = np.flatnonzero(np.bincount(self.years[admitted]))
        first, last = int(years[0]), int(years[-1])
        inside = [year for year in self._years if first <= year <= last]
        names = tuple(dict.fromkeys(map(partition_of, inside)))
        conditions = []
        if any(partition_of(year) in names for year in self._years if not first <= year <= last):
            conditions.append(f"year >= {first} and year <= {last}")
        implied = self.rows & (self.years >= first) & (self.years <= last)
        if self.abstracts is not None and bool(self.abstracts[admitted].all()):
            if not self.abstracts[implied].all():
                conditions.append("abstract == true")
            implied &= self.abstracts
        left_out = np.flatnonzero(implied & ~allowed).tolist()
        more = len(left_out)
        if 0 < more <= _NAMED:
            conditions.append(f"number not in {left_out}")
            more = 0
        elif more and count <= _LISTED:
            conditions, more = [f"number in {np.flatnonzero(admitted).tolist()}"], 0
        return Told(names, " and ".join(conditions), count + more)

    @cached_property
    def _years(self) -> list[int]:
        """The years of all rows of the server, ascending."""
        years: list[int] = np.flatnonzero(np.bincount(self.years[self.rows])).tolist()
        return years

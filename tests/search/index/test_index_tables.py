"""Papers as arrays: what ranking asks them for."""

from __future__ import annotations

import numpy as np

from citewhy.base.records import Paper
from citewhy.search.index.segments import PaperSegment
from citewhy.search.index.tables import Tables


def tables(ids: list[str]) -> Tables:
    """Papers with these ids, in rows 1, 2, …"""
    papers = [(number, Paper(name, f"Title {number}")) for number, name in enumerate(ids, 1)]
    return Tables.build([PaperSegment.build(papers)], [None], [], [])


def test_ids_of_many_rows_are_those_of_each() -> None:
    """In the order of the rows, repeated ones too, whatever letters ids are written in."""
    for ids in (["P02-1040", "x", "smith2020"], ["müller2019", "P02-1040", "词典", "x"]):
        found = tables(ids)
        rows = np.array([*range(len(ids), 0, -1), 1, 0])
        assert found.paper_ids(rows) == [*reversed(ids), ids[0], ""]
        assert found.paper_ids(rows) == [found.paper_id(row) for row in rows.tolist()]
        assert found.paper_ids(rows[:0]) == []

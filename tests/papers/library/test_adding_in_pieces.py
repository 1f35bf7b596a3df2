"""Adding takes records in pieces. Their size changes nothing; and memory does not grow with their number."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from library_world import everything, paper
from small_library import unsynced
from test_layer import aliases, citations, texts
from test_reliability_model import contexts, papers

from citewhy.base.records import Citation
from citewhy.papers.formats import Record
from citewhy.papers.library import adding, change, checked, feed, groups, sources, staging
from citewhy.papers.library.schema import COMMITS, TABLES
from citewhy.papers.library.store import AddResult, Library

SIZES = {
    adding: ("_ROWS_AT_ONCE", "_TEXTS_AT_ONCE", "_IDS_AT_ONCE", "_REMEMBERED"),
    change: ("_IDS_AT_ONCE",),
    checked: ("_KEYS_A_QUERY",),
    feed: ("_ROWS_AT_ONCE", "_REMEMBERED"),
    groups: ("_SETTLED_AT_ONCE", "_NAMES_AT_ONCE"),
    sources: ("_IDS_AT_ONCE",),
    staging: ("_ROWS_AT_ONCE",),
}

imports = st.lists(
    st.lists(st.one_of(papers, papers, papers, contexts, citations, aliases, texts), max_size=12), max_size=3
)


def limit(patch: pytest.MonkeyPatch, size: int) -> None:
    for module, names in SIZES.items():
        for name in names:
            patch.setattr(module, name, size)


def added(folder: Path, some: Sequence[Sequence[Record]]) -> tuple[list[AddResult], Any, Any]:
    """What each import says, the library afterwards, and all rows of its tables but those made by chance."""
    with unsynced(), Library.open(folder, create=True) as library:
        results = [library.add(records) for records in some]
        library.verify()
        rows = [list(table.own_rows(library._db)) for table in TABLES if table is not COMMITS]
        return results, everything(library), rows


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(some=imports, size=st.integers(1, 3))
def test_pieces_change_nothing(some: Sequence[Sequence[Record]], size: int) -> None:
    """Not one number, duplicate or alias."""
    folder = Path(tempfile.mkdtemp())
    try:
        whole = added(folder / "whole", some)
        with pytest.MonkeyPatch.context() as patch:
            limit(patch, size)
            assert added(folder / "pieces", some) == whole
    finally:
        shutil.rmtree(folder)


def test_memory_does_not_grow_with_an_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of Python: SQLite has fixed caches."""
    limit(monkeypatch, 50)

    def records(count: int) -> Iterator[Record]:
        for number in range(count):
            yield paper(number)
            yield from (
                Citation(f"P{number:04}", f"P{cited:04}", "test")
                for cited in range(max(0, number - 4), number)
            )

    def peak(count: int) -> int:
        with unsynced(), Library.open(tmp_path / str(next(folders)), create=True) as library:
            tracemalloc.start()
            try:
                library.add(records(count))
                assert sum(1 for _ in library.numbered_citations()) == 4 * count - 10
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

    folders = itertools.count()
    peak(3000)  # fills caches of names and words
    assert peak(3000) < 1.5 * peak(600)

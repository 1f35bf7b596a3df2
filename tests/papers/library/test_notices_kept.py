"""Notices in a library: kept once, found by the numbers of a paper or else by its title and year."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from citewhy.base.records import Notice, Paper, Publication
from citewhy.papers.library.store import Library

MOSS = "Moss on the Northern Walls of Old Towns"
RETRACTED = Notice("retracted", "10.5555/moss", "55500001", MOSS, 2004, "2010-02-06", "10.5555/n", "Data")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library", create=True) as library:
        library.add([RETRACTED])
        yield library


@pytest.mark.parametrize(
    ("paper", "by"),
    [
        (Paper("a", "Other", doi="10.5555/moss"), ("10.5555/moss", "55500001")),
        (Paper("a", "Other", publication=Publication(pmid="55500001")), ("10.5555/moss", "55500001")),
        (Paper("a", MOSS.upper(), year=2005), ("", "")),
        (Paper("a", MOSS, year=2004, doi="10.5555/another"), None),
        (Paper("a", MOSS, year=2007), None),
        (Paper("a", MOSS), None),
        (Paper("a", "Moss", year=2004), None),
    ],
)
def test_found(library: Library, paper: Paper, by: tuple[str, str] | None) -> None:
    """The notice has the numbers of the paper only if it was found by one of them."""
    ((*found,),) = library.notices([paper])
    assert [(notice.doi, notice.pmid, notice.kind, notice.reason) for notice in found] == (
        [] if by is None else [(*by, "retracted", "Data")]
    )


def test_once(library: Library) -> None:
    """What is known is unchanged; another reason replaces the first, another notice stands beside it."""
    again = library.add([RETRACTED])
    assert not again.changed
    assert (again.new["notices"], again.unchanged["notices"]) == (0, 1)
    other = Notice("reinstated", "10.5555/moss", date="2009-01-01")
    reason = Notice("retracted", "10.5555/moss", "55500001", MOSS, 2004, "2010-02-06", "10.5555/n", "More")
    assert library.add([other, reason, reason]).new["notices"] == 2
    ((*found,),) = library.notices([Paper("a", "Other", doi="10.5555/moss")])
    assert [(notice.kind, notice.reason) for notice in found] == [("reinstated", ""), ("retracted", "More")]
    library.verify()


def test_its_records_make_another_library(library: Library, tmp_path: Path) -> None:
    papers = [
        Paper("a", MOSS, year=2004),
        Paper("b", "B", doi="10.5555/moss"),
        Paper("c", MOSS, doi="10.5/c"),
    ]
    with Library.open(tmp_path / "other", create=True) as other:
        other.add(library.records())
        assert other.notices(papers) == library.notices(papers)


def test_a_layer_has_those_below(library: Library, tmp_path: Path) -> None:
    """And its own, and reads a library that an older version made, which has no table for them."""
    papers = [Paper("a", "A", doi="10.5555/moss"), Paper("b", "B", doi="10.5555/brick")]
    (tmp_path / "layer").mkdir()
    with Library.over(library, tmp_path / "layer", create=True) as layer:
        layer.add([Notice("concern", "10.5555/brick")])
        assert [[one.kind for one in found] for found in layer.notices(papers)] == [
            ["retracted"],
            ["concern"],
        ]

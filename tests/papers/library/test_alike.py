"""Records of one paper are found among many as if each were compared with each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from alike_papers import papers
from hypothesis import given
from hypothesis import strategies as st

from citewhy.base.records import Paper, Publication
from citewhy.papers.library import groups
from citewhy.papers.library.groups import same_by_doi, same_by_work
from citewhy.text.dedupe import Groups, same_paper, work_key
from citewhy.text.traits import agree, agreeing


def sets(count: int, pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    groups = Groups()
    for one, other in pairs:
        assert 0 <= one < count
        assert 0 <= other < count
        groups.join(one, other)
    return groups.joined()


def by_key(records: Sequence[Paper], key: Callable[[Paper], Any], same: Callable[..., Any]) -> list[Any]:
    """The pairs that `same` finds among records with the same key."""
    places = defaultdict(list)
    for place, paper in enumerate(records):
        if key(paper):
            places[key(paper)].append(place)
    return [
        (group[one], group[other])
        for group in places.values()
        for one, other in same([records[place] for place in group])
    ]


@given(st.lists(papers, max_size=25))
def test_the_same_sets_as_by_comparing_each_with_each(records: list[Paper]) -> None:
    """The connected sets are those of `same_paper`."""
    count = range(len(records))
    expected = [(one, other) for one in count for other in count if same_paper(records[one], records[other])]
    found = by_key(records, lambda paper: paper.doi, same_by_doi) + by_key(records, work_key, same_by_work)
    assert sets(len(records), found) == sets(len(records), expected)


@given(st.lists(st.tuples(*[st.sampled_from([None, 1, 2])] * 4), max_size=20))
def test_all_that_agree_are_given_together(known: list[tuple[int | None, ...]]) -> None:
    """Two records are in a pair of lists if and only if no trait that both know differs."""
    count = range(len(known))
    expected = {(one, other) for one in count for other in count if agree(known[one], known[other])}
    pairs = list(agreeing(known))
    found = {(one, other) for ours, theirs in pairs for one in ours for other in theirs}
    assert found | {(other, one) for one, other in found} == expected


def test_thousands_of_notes_with_one_title_are_not_compared_each_with_each() -> None:
    """Notes of one title and author, each with a volume of its own, are as many papers."""
    notes = [
        Paper(
            "a",
            "The trees of the banks",
            authors=("Ann Lee",),
            year=2001,
            publication=Publication(type="article-journal", volume=str(number)),
        )
        for number in range(1, 20_000)
    ]
    assert list(same_by_work(notes)) == []


@pytest.mark.parametrize("years", [[2001], [2001, 2002, None], [1990, 1992, 1994]])
def test_one_title_and_author(years: list[int | None]) -> None:
    """Thousands of records of one title and author need at most two pairs each."""
    records = [
        Paper("a", "The banks of the trees", authors=("Ann Lee",), year=years[place % len(years)])
        for place in range(3_000)
    ]
    assert len(list(same_by_work(records))) < 2 * len(records)


class Counted(frozenset[str]):
    """A set of words that counts how often it is compared."""

    compared = 0

    def __and__(self, other: Any) -> frozenset[str]:
        Counted.compared += 1
        return super().__and__(other)


@pytest.mark.parametrize(
    "title",
    [
        lambda n: {"trees", "banks", str(n)},  # all resemble each other
        lambda n: {str(n), str(-n - 1)},  # none has a word in common
        lambda n: {"trees", "banks", *(f"{n} {m}" for m in range(5))},  # less than half of the words
        lambda n: {f"a{n // 50}", f"b{n % 50}", f"c{n * 7 % 50}"},
    ],
)
def test_one_doi(title: Callable[[int], set[str]]) -> None:
    """Thousands of different titles with one DOI are not compared each with each: 4,000 records have 8
    million pairs."""
    Counted.compared = 0
    words = [Counted(title(n)) for n in range(4_000)]
    assert len(list(groups._resembling(words))) < len(words)
    assert Counted.compared < 100 * len(words)

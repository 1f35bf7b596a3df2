"""Links between records are followed only as far as nothing contradicts."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from alike_papers import papers
from hypothesis import given
from hypothesis import strategies as st

from citewhy.base.records import Paper, Publication
from citewhy.text.dedupe import Groups, same_paper
from citewhy.text.settling import Link, Member, settle

NOTE = Paper("a", "Notes on the banks", authors=("Ann Lee",), year=2001)


def members(records: list[Paper]) -> list[Member]:
    return [
        Member(str(number), number, replace(record, id=str(number))) for number, record in enumerate(records)
    ]


def links(records: list[Paper]) -> list[Link]:
    """Links between all records that are the same paper."""
    pairs = combinations(range(len(records)), 2)
    return [Link(one, other) for one, other in pairs if same_paper(records[one], records[other])]


def of_volume(volume: str, year: int = 2001) -> Paper:
    return replace(NOTE, year=year, publication=Publication(type="article-journal", volume=volume))


@given(st.lists(papers, max_size=12))
def test_groups_are_those_of_the_links_cut_where_members_contradict(records: list[Paper]) -> None:
    """No group has records of two components of the links; a component is cut only if two of its records are
    not the same paper."""
    groups, _ = settle(members(records), links(records), {})
    components = Groups()
    for link in links(records):
        components.join(link.one, link.other)
    for group in groups:
        assert len({components.top(number) for number in group}) == 1
    for component in components.joined():
        if all(same_paper(records[one], records[other]) for one, other in combinations(component, 2)):
            assert component in groups


@given(st.lists(papers, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_links_does_not_count(records: list[Paper], random: object) -> None:
    """Neither does that of their ends."""
    every = links(records)
    shuffled = list(every)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert settle(members(records), every, {}) == settle(members(records), shuffled, {})


def test_a_record_joins_the_closest() -> None:
    """What could be either of two papers becomes the one with which it has more in common."""
    records = [of_volume("1", 2001), of_volume("2", 2002), replace(NOTE, year=2002)]
    assert settle(members(records), links(records), {})[0] == [[1, 2]]
    records = [of_volume("1", 2001), of_volume("2", 2002), replace(NOTE, year=2001)]
    assert settle(members(records), links(records), {})[0] == [[0, 2]]


def test_entries_that_are_there_stay() -> None:
    """What was merged is not taken apart, though its records contradict each other."""
    records = [of_volume("1"), of_volume("2"), NOTE]
    known = [Member("x", 0, records[0]), Member("y", 0, records[1]), Member("z", 2, records[2])]
    assert settle(known, [Link(0, 2)], {})[0] == [[0, 2]]


def test_what_a_person_keeps_apart() -> None:
    """Two ids that are kept apart are in no group, nor what was joined with them. A mere name is kept from
    nothing."""
    same = [NOTE] * 3
    apart = {"0": {"2"}, "2": {"0"}}
    assert settle(members(same), links(same), apart)[0] == [[0, 1]]
    names = [Member("0", 0, None), Member("2", 1, replace(NOTE, id="2"))]
    assert settle(names, [Link(0, 1, alias=True)], apart)[0] == [[0, 1]]


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (replace(NOTE, title="More notes on the river banks", year=2009), True),
        (replace(NOTE, year=2009), True),
        (replace(NOTE, title="Owls of the north"), False),
        (replace(NOTE, title="More notes on banks", authors=("Bo Roe",)), False),
    ],
    ids=["longer title", "later", "another title", "another author"],
)
def test_an_alias_is_followed_where_titles_resemble(other: Paper, expected: bool) -> None:
    """It is worth as much as a common DOI, also through a name without a record."""
    direct = settle(members([NOTE, other]), [Link(0, 1, alias=True)], {})
    assert direct == (([[0, 1]], []) if expected else ([], [Link(0, 1, alias=True)]))
    named = [Member("a", 0, NOTE), Member("x", 1, None), Member("b", 2, other)]
    through, refused = settle(named, [Link(0, 1, alias=True), Link(1, 2, alias=True)], {})
    assert through == ([[0, 1, 2]] if expected else [[0, 1]])
    assert len(refused) == (not expected)


def test_thousands_of_records_that_contradict_each_other() -> None:
    """One record that says little links as many papers: each but one stays apart, without comparing each with
    each."""
    records = [NOTE, *(of_volume(str(number)) for number in range(1, 5_000))]
    groups, _ = settle(members(records), [Link(0, other) for other in range(1, 5_000)], {})
    assert groups == [[0, 1]]

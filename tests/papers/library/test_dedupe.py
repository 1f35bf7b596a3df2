"""When two records are one paper."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewhy.base.records import Paper
from citewhy.papers.library.dedupe import Groups, clash, merged, same_paper, updated, work_key

BLEU = Paper(
    "P02-1040",
    "Bleu: a Method for Automatic Evaluation of Machine Translation",
    authors=("Kishore Papineni", "Salim Roukos", "Todd Ward", "Wei-Jing Zhu"),
    year=2002,
    venue="Proceedings of the 40th Annual Meeting of the ACL",
    doi="10.3115/1073083.1073135",
)


@pytest.mark.parametrize(
    "other",
    [
        replace(BLEU, id="bleu", doi=""),
        replace(BLEU, id="bleu", doi="10.9999/a-preprint", year=2001),
        replace(BLEU, id="bleu", doi="", year=2003, venue="elsewhere", authors=("Papineni, K.",)),
        replace(
            BLEU, id="bleu", doi="", title="BLEU -- A method for automatic evaluation of machine translation."
        ),
        replace(BLEU, id="bleu", doi="", year=None),
        replace(BLEU, id="bleu", year=1990, authors=()),
        replace(BLEU, id="bleu", title="", authors=(), year=None),
    ],
    ids=["no doi", "preprint", "year after", "case and dashes", "no year", "same doi", "nothing but doi"],
)
def test_one_paper_in_two_hands(other: Paper) -> None:
    """A paper is recognised by DOI, or by title, first author's surname and a year at most one apart."""
    assert same_paper(BLEU, other)
    assert same_paper(other, BLEU)


@pytest.mark.parametrize(
    "other",
    [
        replace(BLEU, id="x", doi="", year=2004),
        replace(BLEU, id="x", doi="", authors=("Salim Roukos",)),
        replace(BLEU, id="x", doi="", title=BLEU.title + " Revisited"),
        replace(BLEU, id="x", doi="", authors=()),
        replace(BLEU, id="x", title="A Chapter on Turbines", authors=("Ann Author",)),
        replace(BLEU, id="x", title="", doi=""),
    ],
    ids=["two years on", "other author", "other title", "no authors", "a book's doi", "no title"],
)
def test_two_papers(other: Paper) -> None:
    """What differs in any of these stays apart."""
    assert not same_paper(BLEU, other)
    assert not same_paper(other, BLEU)


def test_short_titles_need_venue_and_year() -> None:
    """A title of two words names one paper only within a venue and a year."""
    paper = Paper("a", "Topic Levels", authors=("Joseph Grimes",), year=1978, venue="TINLAP")
    assert same_paper(paper, replace(paper, id="b"))
    assert not same_paper(paper, replace(paper, id="b", venue="AJCL"))
    assert not same_paper(paper, replace(paper, id="b", year=1979))
    assert not same_paper(replace(paper, year=None), replace(paper, id="b", year=None))


@pytest.mark.parametrize(
    "title",
    [
        "Introduction",
        "Preface",
        "Guest Editors' Introduction",
        "Book Reviews",
        "Editorial: Special Issue",
        "",
    ],
)
def test_columns_name_no_paper(title: str) -> None:
    """What journals print in every issue is never recognised by its title."""
    paper = Paper("a", title, authors=("W. John Hutchins",), year=1996, venue="EAMT Workshop")
    assert work_key(paper) is None
    assert not same_paper(paper, replace(paper, id="b"))


def test_titles_in_other_scripts() -> None:
    """A title in Chinese is compared as a whole, not by the one English name in it."""
    paper = Paper("a", "基于 BERT 的 中文 分词", authors=("Wei Li",), year=2020, venue="ROCLING")
    assert same_paper(paper, replace(paper, id="b"))
    assert not same_paper(paper, replace(paper, id="b", title="基于 BERT 的 问答 系统"))


def test_work_key_is_the_same_everywhere() -> None:
    """The key is stored: where this number changes, libraries need a new layout version."""
    assert (
        work_key(Paper("a", "Attention Is All You Need", authors=("Ashish Vaswani",))) == 2913829758959211598
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (Paper("k", "On Parsing"), Paper("k", "Of Tagging"), False),
        (
            Paper("k", "On Parsing", authors=("A Smith",)),
            Paper("k", "Of Tagging", authors=("B Smith", "C D")),
            True,
        ),
        (
            Paper("k", "On Parsing", authors=("A Smith",)),
            Paper("k", "Of Tagging", authors=("Smith, A.",)),
            False,
        ),
        (Paper("k", "On Parsing", doi="10.1/a"), Paper("k", "Of Tagging", doi="10.1/b"), True),
        (Paper("k", "On Parsing", doi="10.1/a"), Paper("k", "Of Tagging", doi="10.1/a"), False),
        (
            Paper("k", "On Parsing Well", authors=("A B",)),
            Paper("k", "On Parsing Badly", authors=("C D",)),
            False,
        ),
        (Paper("k", "", authors=("A B",)), Paper("k", "Of Tagging", authors=("C D",)), False),
    ],
)
def test_a_clash_needs_proof(old: Paper, new: Paper, expected: bool) -> None:
    """One id names two papers only where titles have no common half and DOIs or authors differ."""
    assert clash(old, new) is expected
    assert clash(new, old) is expected


def test_merging_fills_gaps_only() -> None:
    """The first record keeps its id and all it says; gaps are filled by the first of the others that can."""
    first = Paper("a", "Title", year=2000)
    second = Paper("b", "Another Title", authors=("A B",), doi="10.1/x")
    third = Paper("c", "", abstract="Text.", authors=("C D",), year=1999)
    assert merged([first, second, third]) == Paper("a", "Title", "Text.", ("A B",), 2000, "", "10.1/x")
    assert merged([first]) is first


def test_updating_keeps_what_is_no_longer_said() -> None:
    """A poorer record of the same id changes what it says and empties nothing."""
    old = Paper("a", "Title", "Text.", ("A B",), 2000, "ACL")
    assert updated(old, Paper("a", "The Title", year=2001)) == Paper(
        "a", "The Title", "Text.", ("A B",), 2001, "ACL"
    )


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20))))
def test_groups_are_connected_components(pairs: list[tuple[int, int]]) -> None:
    """Whatever the order of the pairs, a group is what can be reached from one of its members."""
    groups = Groups()
    for one, other in pairs:
        groups.join(one, other)
    expected: list[set[int]] = []
    for pair in map(set, pairs):
        touching = [group for group in expected if group & pair]
        expected = [group for group in expected if not group & pair] + [pair.union(*touching)]
    assert sorted(groups.found()) == sorted(sorted(group) for group in expected if len(group) > 1)

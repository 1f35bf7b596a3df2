"""Printed citations and reference entries, resolved to the papers of a small library."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from citewhy.answers.resolve.in_text import InTextResolver
from citewhy.base.records import Alias, Paper
from citewhy.papers.library.store import Library
from citewhy.text.author_year import Group
from citewhy.text.markers import find


def paper(paper_id: str, title: str, *authors: str, year: int | None = 2008) -> Paper:
    return Paper(paper_id, title, authors=authors, year=year)


PAPERS = [
    paper("tree", "Tree Kernels for Parsing", "Min Zhang", "Wanxiang Che", "Sheng Li"),
    paper("pair", "Alignment of Reviews", "Min Zhang", "Lillian Lee"),
    paper("alone", "Morphology of Verbs", "Min Zhang"),
    paper("first", "Sentiment in Blogs", "Bo Pang", "Ann Smith", "Joe Doe", year=2004),
    paper("second", "Sentiment in Reviews", "Bo Pang", "Ann Smith", "Joe Doe", year=2004),
]
RESOLVER = InTextResolver(PAPERS)


def group(text: str) -> Group:
    return find(text)[0].groups[0]


@pytest.mark.parametrize(
    ("printed", "near", "paper_id"),
    [
        ("(Zhang et al., 2008)", "Parsing with tree kernels", "tree"),
        ("Zhang and Lee (2008)", "reviews are aligned by", "pair"),
        ("(Zhang, 2008)", "the morphology of verbs", "alone"),
        ("(Zhang et al., 2009)", "Parsing with tree kernels", None),
        ("(Zhang and Chu, 2008)", "reviews are aligned by", None),
        ("(Pang et al., 2004)", "sentiment in blogs", None),
        ("[7]", "Parsing with tree kernels", None),
    ],
)
def test_names_their_number_and_the_year_must_fit_one_paper(
    printed: str, near: str, paper_id: str | None
) -> None:
    """Two papers of one form are ambiguous, even if the text is about one of them."""
    assert RESOLVER.cited(group(printed), near) == paper_id


def test_the_text_must_agree_with_the_title() -> None:
    """ "Zhang et al. (2008)" in a sentence about something else is another paper, outside of the library."""
    asked = group("(Zhang et al., 2008)")
    assert RESOLVER.cited(asked, "We trade options on volatile stocks.") is None
    assert RESOLVER.cited(asked, "We trade options on volatile stocks.", agreement=0.0) == "tree"


def test_agreement_is_the_weighted_share_of_the_title() -> None:
    """Of three stems in one title of two each, one in a sentence: a third. Stop words do not count."""
    papers = [paper("a", "Kernels of Convex Trees", "Ann Lee"), paper("b", "Verbs", "Bo Li")]
    resolver = InTextResolver(papers)
    assert math.isclose(resolver.agreement(papers[0], "a kernel"), 1 / 3)
    assert resolver.agreement(papers[0], "of") == 0.0
    assert math.isclose(resolver.agreement(papers[0], "Convex kernels, and trees"), 1.0)


def test_nothing_newer_than_the_citing_paper_is_meant() -> None:
    asked = group("(Zhang et al., 2008)")
    assert RESOLVER.cited(asked, "tree kernels for parsing", year=2007) is None
    assert RESOLVER.cited(asked, "tree kernels for parsing", year=2008) == "tree"


def test_a_sentence_is_read_with_its_neighbours() -> None:
    """Each group of each marker has its paper or None."""
    resolutions = RESOLVER.sentence("It helps (Zhang et al., 2008; Ott, 2001).", before="Tree kernels parse.")
    assert [resolution.paper_ids for resolution in resolutions] == [("tree", None)]
    assert [resolution.paper_ids for resolution in RESOLVER.sentence("It helps (Zhang et al., 2008).")] == [
        (None,)
    ]


def test_records_of_one_title_are_one_paper() -> None:
    twice = [paper("C98-1", "Tree Kernels", "Ann Lee"), paper("P98-1", "Tree kernels", "Ann Lee")]
    assert InTextResolver(twice).cited(group("(Lee, 2008)"), "tree kernels") == "C98-1"


@pytest.mark.parametrize(
    ("entry", "paper_id"),
    [
        (paper("", "Tree Kernels for Parsing.", "M. Zhang", year=2008), "tree"),
        (paper("", "Tree Kernel for Parsing", "Zhang, Min", year=2009), "tree"),
        (paper("", "Tree Kernels for Parsing", "M. Zhang", year=2011), None),
        (paper("", "Tree Kernels for Parsing", "M. Wang", year=2008), None),
        (paper("", "Tree Kernels for Tagging", "M. Zhang", year=2008), None),
        (paper("", "Tree Kernels for Parsing", year=2008), None),
        (paper("", "", "M. Zhang", year=2008), None),
    ],
)
def test_entries_of_reference_lists(entry: Paper, paper_id: str | None) -> None:
    """The same first author, nearly the same title, at most a year apart."""
    assert RESOLVER.entry(entry) == paper_id


def test_merged_records_of_a_library_are_one_paper(tmp_path: Path) -> None:
    """A citation that fits two records of one paper is not ambiguous."""
    again = paper("again", "Kernels of Trees", "Min Zhang", "A B", "C D")
    with Library.open(tmp_path / "library", create=True) as library:
        library.add([*PAPERS, again, Alias("again", "tree")])
        resolver, expected = InTextResolver.of(library), library.canonical("tree")
    assert resolver.cited(group("(Zhang et al., 2008)"), "parsing with tree kernels") == expected

"""When two records are one paper."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewhy.base.records import Paper, Publication, SourceEntry
from citewhy.text.dedupe import Groups, clash, differ, merged, same_paper, updated, work_key

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
    assert sorted(groups.joined()) == sorted(sorted(group) for group in expected if len(group) > 1)


REPORT = Paper(
    "a",
    "On the growth of river trees",
    authors=("Ann Lee", "Bo Roe"),
    year=2001,
    publication=Publication(type="article-journal", volume="12", pages="311-318"),
)


def changed(paper: Paper, **how: Any) -> Paper:
    """The paper, published in another way."""
    assert paper.publication is not None
    return replace(paper, id="b", publication=replace(paper.publication, **how))


@pytest.mark.parametrize(
    "other",
    [
        replace(REPORT, authors=("Bea Lee", "Bo Roe"), publication=None),
        replace(REPORT, authors=("Ann Lee", "Cy Fox"), publication=None),
        changed(REPORT, volume="13"),
        changed(REPORT, pages="401-410"),
        changed(REPORT, type="dataset"),
        changed(REPORT, type="software", volume="", pages=""),
        changed(REPORT, type="thesis"),
    ],
    ids=["given name", "second author", "volume", "pages", "data set", "package", "thesis"],
)
def test_records_that_contradict_each_other(other: Paper) -> None:
    """One title and surname are two papers where both records say something else of how they appeared."""
    assert not same_paper(REPORT, other)
    assert not same_paper(other, REPORT)


@pytest.mark.parametrize(
    "other",
    [
        replace(REPORT, authors=("Ann Lee", "Bo Row")),
        replace(REPORT, authors=("Lee, Ann B.", "Rö, Bo")),
        replace(REPORT, authors=("Bea Lee", "Bo Roe"), year=2009),
        replace(REPORT, authors=("Ann Lee", "Cy Fox"), doi="10.1/trees"),
    ],
    ids=["misspelt", "umlaut", "year and given name", "DOI"],
)
def test_names_written_another_way(other: Paper) -> None:
    """What has one volume and page, or one DOI, is one paper however its second author is written."""
    assert same_paper(replace(REPORT, doi=other.doi), other)
    assert same_paper(other, replace(REPORT, doi=other.doi))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Łukasz Lee", "Lukasz Lee"),
        ("Øyvind Lee", "Oyvind Lee"),
        ("Jörg Lee", "Joerg Lee"),
        ("José García", "Jose Garcia"),
        ("Jörg Müller", "Joerg Mueller"),
        ("Jan Wałęsa", "Jan Walesa"),
        ("Tim O'Brien", "Tim O’Brien"),
        ("Ana García-Márquez", "Ana García‐Márquez"),
    ],
)
def test_a_first_author_in_two_spellings(one: str, other: str) -> None:
    alone = replace(REPORT, publication=None)
    assert same_paper(replace(alone, authors=(one,)), replace(alone, authors=(other,)))


def test_the_same_people_in_another_order() -> None:
    """Three surnames or more are the same people, whichever of the others stands second."""
    paper = Paper("a", "Grass on old roofs", authors=("Ann Lee", "Bo Roe", "Cy Fox"), year=2001)
    assert same_paper(paper, replace(paper, authors=("A. Lee", "Cy Fox", "Bo Roe")))
    assert not same_paper(paper, replace(paper, authors=("Ann Lee", "Cy Fox", "Dee Ash")))


@pytest.mark.parametrize(
    "other",
    [
        replace(REPORT, authors=("A. Lee", "B. Roe")),
        replace(REPORT, authors=("Lee, Ann",)),
        replace(REPORT, authors=("Ann Lee", "others")),
        replace(REPORT, publication=None),
        changed(REPORT, volume="", pages=""),
        changed(REPORT, pages="1-8"),
        changed(REPORT, type="document", volume="", pages=""),
        changed(REPORT, type="paper-conference", volume="9351"),
    ],
    ids=[
        "initials",
        "one author",
        "others",
        "nothing",
        "no volume",
        "pages of a file",
        "misc",
        "proceedings",
    ],
)
def test_what_one_record_leaves_out_is_no_contradiction(other: Paper) -> None:
    """A record that says less is the same paper."""
    assert same_paper(REPORT, other)
    assert same_paper(other, REPORT)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Publication(type="book", edition="2"), Publication(type="book", edition="Third")),
        (Publication(type="book"), Publication(type="chapter")),
        (Publication(type="software", version="1.2"), Publication(type="software", version="v2.0")),
        (Publication(type="report", number="TR 12"), Publication(type="report", number="TR 13")),
    ],
)
def test_editions_versions_and_parts_stay_apart(one: Publication, other: Publication) -> None:
    """Two editions, two versions, a book and its chapter, two numbers of a series are two papers."""
    paper = Paper("a", "The trees of the rivers", authors=("Ann Lee",), year=2001)
    assert same_paper(replace(paper, publication=one), replace(paper, publication=one))
    assert not same_paper(replace(paper, publication=one), replace(paper, publication=other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Types of programs in C++", "Types of programs in C#"),
        ("Types of programs in C", "Types of programs in C++"),
        ("Growing river trees, part I", "Growing river trees, part II"),
    ],
)
def test_titles_that_differ_in_a_sign_or_a_number(one: str, other: str) -> None:
    """C++ is not C#, and the second part not the first."""
    first = Paper("a", one, authors=("Ann Lee",), year=2001)
    assert same_paper(first, replace(first, id="b"))
    assert not same_paper(first, replace(first, id="b", title=other))


def test_yearly_reports_are_one_each_year() -> None:
    """A report of the next year is another one; other titles may be dated a year apart."""
    paper = Paper("a", "Report of the committee on names", authors=("T. Oak",), year=2008, venue="Taxa")
    assert same_paper(paper, replace(paper, id="b"))
    assert not same_paper(paper, replace(paper, id="b", year=2009))


def test_a_preprint_is_the_paper_that_has_its_authors() -> None:
    """However many years lie between them; other authors or another journal's paper stay apart."""
    preprint = Paper("a", "Models of melting snow", authors=("Joan Fir", "Tim Elm"), year=2015, venue="arXiv")
    printed = replace(preprint, id="b", year=2019, venue="Snow Letters", doi="10.1/snow")
    assert same_paper(preprint, printed)
    assert same_paper(printed, preprint)
    assert not same_paper(preprint, replace(printed, authors=("Joan Fir",)))
    assert not same_paper(replace(preprint, venue="Ice"), printed)


def test_chapters_with_the_doi_of_their_book() -> None:
    """Half of the title and the DOI are one paper, unless another author or other pages say otherwise."""
    one = Paper("a", "Energy storage in island grids", authors=("Ana Alba",), year=2010, doi="10.1/hb")
    assert same_paper(one, replace(one, id="b", title="Energy storage in island grids: a study"))
    assert not same_paper(
        one, replace(one, id="b", title="Voltage control in island grids", authors=("Bo Berg",))
    )
    chapter = replace(one, publication=Publication(type="chapter", pages="3-20"))
    published = Publication(type="chapter", pages="21-40")
    assert not same_paper(
        chapter, replace(chapter, title="Load control in island grids", publication=published)
    )


def test_works_without_authors_are_known_by_year_and_container() -> None:
    """A court decision is recognised by title, year and reporter."""
    case = Paper("a", "Fox v. County of Elm", year=1954, venue="U.S.")
    assert same_paper(case, replace(case, id="b"))
    assert not same_paper(case, replace(case, id="b", year=1955))
    assert not same_paper(case, replace(case, id="b", venue="F. Supp."))
    assert not same_paper(replace(case, year=None), replace(case, id="b", year=None))
    assert not same_paper(case, replace(case, id="b", authors=("Ann Lee",)))


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (replace(REPORT, title="Owls of the north"), True),
        (replace(REPORT, authors=("Cy Fox",)), True),
        (changed(REPORT, volume="13"), True),
        (changed(REPORT, volume=""), False),
        (replace(REPORT, title="On the growth of river trees and banks"), False),
        (replace(REPORT, title="On the growth of river weeds", publication=None), True),
        (replace(REPORT, title="On the growth of river trees: a study", year=2004), True),
        (replace(REPORT, authors=("Ann Lee", "Bo Row")), False),
        (replace(REPORT, title="Trees 12, 311-318", venue="Trees"), False),
        (replace(REPORT, title="Trees 12, 311-318", venue="Trees", authors=("Cy Fox",)), True),
    ],
    ids=[
        "title",
        "author",
        "volume",
        "less",
        "longer title",
        "word",
        "later",
        "misspelt",
        "made title",
        "made title of another",
    ],
)
def test_one_key_in_two_bibliographies(other: Paper, expected: bool) -> None:
    """Nobody corrects one bibliography in another: what contradicts is another paper."""
    assert differ(REPORT, other) is expected
    assert differ(other, REPORT) is expected


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (replace(REPORT, title="Owls of the north"), True),
        (replace(REPORT, title="Owls of the north", doi="10.1/trees"), False),
        (replace(REPORT, title="On the growth of trees", publication=None), False),
        (replace(REPORT, title="On the decline of river trees", doi="10.1/decline"), True),
        (replace(REPORT, title="On the decline of river trees", year=2011), True),
        (replace(REPORT, title="On the decline of river trees", year=2003), True),
        (replace(REPORT, title="On the decline of river trees", year=2002), False),
        (changed(REPORT, volume="13"), False),
        (replace(REPORT, authors=("Cy Fox",)), False),
    ],
    ids=[
        "title",
        "title of the DOI",
        "fewer words",
        "DOI",
        "year",
        "two years",
        "a year",
        "volume",
        "author",
    ],
)
def test_one_key_in_two_imports(other: Paper, expected: bool) -> None:
    """Of one author, too, ``lee2001`` may be two papers: a bibliography that is added again corrects an entry
    only where the titles, or else the DOI, are those of one paper."""
    entry = SourceEntry("BibTeX", "@article{…}", "lee2001", "refs.bib")
    one, two = replace(REPORT, doi="10.1/trees", source=entry), replace(other, id="a", source=entry)
    assert clash(one, two) is expected
    assert clash(two, one) is expected


def test_a_made_title_gives_way() -> None:
    """What was made of journal, volume and pages never replaces a title."""
    real = Paper("a", "Learning of jackdaws", authors=("Ada Rook",), venue="Birds")
    made = replace(real, title="Birds 12, R8", year=2023)
    assert updated(real, made) == replace(real, year=2023)
    assert updated(made, real) == replace(real, year=2023)
    assert clash(real, replace(made, authors=("Cy Fox",)))


def test_publication_comes_with_its_source() -> None:
    """How a paper was published is taken whole, from the record whose entry is kept."""
    entry = SourceEntry("BibTeX", "@book{a, title={T}}", "a", "a.bib")
    first = Paper("a", "T", publication=Publication(type="article", volume="1"))
    second = Paper("b", "T", publication=Publication(type="book"), source=entry)
    both = merged([first, second])
    assert (both.publication, both.source) == (second.publication, entry)
    assert merged([first, Paper("b", "T", publication=Publication(publisher="P"))]).publication == (
        first.publication
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (replace(REPORT, title="Spectra of C_4H_4 ices"), replace(REPORT, title="Spectra of C4H4 ices")),
        (replace(REPORT, title="Bare CH_5^+ in ice"), replace(REPORT, title="Bare CH5+ in ice")),
        (
            replace(REPORT, authors=("Ann Lee", "Bo O’Roe"), publication=None),
            replace(REPORT, authors=("Ann Lee", "O'Roe, Bo"), publication=None),
        ),
        (
            replace(REPORT, authors=("Ann Lee", "Bo Müller"), publication=None),
            replace(REPORT, authors=("Ann Lee", "Mueller, B."), publication=None),
        ),
    ],
    ids=["subscripts", "superscripts", "apostrophes", "umlauts"],
)
def test_one_thing_in_two_signs(one: Paper, other: Paper) -> None:
    """Formulas with and without marks of their scripts are one title, apostrophes of two kinds one name."""
    assert same_paper(one, other)
    assert same_paper(other, one)

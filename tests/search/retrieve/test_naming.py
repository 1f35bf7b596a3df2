"""Papers that a sentence names: who has the best claim to a name, and who is its author."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from small_library import make, paper, unsynced
from small_questions import Questions

from citewhy.base.records import Query
from citewhy.papers.formats import Record
from citewhy.search.retrieve.naming import named_in

RECORDS: list[Record] = [
    paper("first", "TreeNet: Trees for Words", year=2001, authors=("Ada Ashby", "Bo Berg")),
    paper("again", "TreeNet: Trees Again", year=2005, authors=("Bo Berg",)),
    paper("earlier", "Growing Trees", "We present TreeNet, a toolkit.", year=1999),
    paper("uses", "Parsing with TreeNet Features", year=2003, authors=("Cy Ashby",)),
    paper("moses", "Moses: a Decoder", year=2004),
    paper("see", "Note: Getting to the Point", year=2004, authors=("Abigail See",)),
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Questions]:
    with unsynced(), make(tmp_path_factory.mktemp("asked"), RECORDS) as library:
        yield Questions(library)


def standings(asked: Questions, text: str, year: int | None = None) -> list[dict[str, float]]:
    """By paper id, for each name of the text that some paper introduces; those without a claim left out."""
    scoped = asked.scoped(Query("local", text, year=year))
    rows = np.arange(len(RECORDS))
    ids = asked.ids(rows)
    found = []
    for each in scoped.named.systems:
        values = each.standings(asked.index, scoped.view, rows).tolist()
        found.append({name: value for name, value in zip(ids, values, strict=True) if value})
    return found


def test_titles_before_abstracts_and_earlier_before_later(asked: Questions) -> None:
    """The paper that only uses the name has no claim."""
    (claims,) = standings(asked, "We use TreeNet.")
    assert claims == {"first": 1.0, "again": pytest.approx(1 / 2), "earlier": pytest.approx(1 / 3)}


def test_only_candidates_have_a_claim(asked: Questions) -> None:
    """As of 2002 nobody knows the second title."""
    (claims,) = standings(asked, "We use TreeNet.", year=2002)
    assert claims == {"first": 1.0, "earlier": 0.5}


def test_how_the_sentence_writes_a_name(asked: Questions) -> None:
    """A first capital alone may be the start of any word."""
    named = asked.scoped(Query("local", "Moses and TreeNet")).named
    assert [each.marked for each in named.systems] == [False, True]


def test_authors_and_years(asked: Questions) -> None:
    """First authors, all authors, and who stands within five words before the citation."""
    text = "Unlike Berg et al. (2005), as we have said many times before, Ashby TARGETCIT grows trees."
    named = named_in(asked.index, text)
    assert set(asked.ids(named.first_authors)) == {"first", "again", "uses"}
    assert set(asked.ids(named.authors)) == {"first", "again", "uses"}
    assert set(asked.ids(named.authors_before)) == {"first", "uses"}
    assert named.years == {2005}
    assert len(named.introduced) == 0


def test_names_that_are_cited_already(asked: Questions) -> None:
    """A name before the citation of another paper is left out; one before the open citation is marked."""
    text = "TreeNet (OTHERCIT) and Moses, with TreeNet and our Moses TARGETCIT, unlike (OTHERCIT)."
    named = asked.scoped(Query("local", text)).named
    assert [(each.name, each.before) for each in named.systems] == [("moses", True)]
    named = asked.scoped(Query("local", "TreeNet is well known, and a TARGETCIT B OTHERCIT.")).named
    assert [(each.name, each.before) for each in named.systems] == [("treenet", False)]


def test_a_text_without_a_marked_citation_ends_with_it(asked: Questions) -> None:
    """Unless the name belongs to another citation, or stands too far from the end."""
    for text, before in (
        ("Others grow TreeNet.", True),
        ("TreeNet is used.", True),
        ("TreeNet is used here.", False),
        ("Unlike Moses (OTHERCIT), we grow TreeNet", True),
    ):
        named = named_in(asked.index, text)
        assert [(each.name, each.before) for each in named.systems] == [("treenet", before)], text
    named = named_in(asked.index, "as shown by Ashby et al.")
    assert set(asked.ids(named.authors_before)) == {"first", "uses"}
    assert len(named_in(asked.index, "Ashby has shown all of this before us").authors_before) == 0
    assert len(named_in(asked.index, "").authors_before) == 0


def test_a_topic_sentence_does_not_end_with_a_citation(asked: Questions) -> None:
    """The papers of its paragraph are cited later."""
    named = asked.scoped(Query("paragraph", "Ashby grows TreeNet.")).named
    assert [each.before for each in named.systems] == [False]
    assert len(named.authors_before) == 0


def test_who_used_a_name_first(asked: Questions) -> None:
    """Four candidates have the word TreeNet, none of them before the first that introduces it (1999)."""
    scoped = asked.scoped(Query("local", "TreeNet"))
    (name,) = scoped.named.systems
    uses = name.uses(scoped.view, scoped.parameters.text)
    assert (uses.earlier, uses.later, uses.original) == (0, 4, 1.0)


def test_a_name_that_is_older_than_its_introduction(tmp_path: Path) -> None:
    """An acronym that others used before is no name of the paper that spells it out."""
    records = [
        paper("spells", "Statistical Translation (SMT)", year=2005),
        *(paper(f"uses{year}", f"SMT in {year}", year=year) for year in (2001, 2002, 2003, 2008)),
    ]
    with unsynced(), make(tmp_path / "library", records) as library:
        asked = Questions(library)
        scoped = asked.scoped(Query("local", "We use SMT."))
        (name,) = scoped.named.systems
        uses = name.uses(scoped.view, scoped.parameters.text)
    assert (uses.earlier, uses.later, uses.original) == (3, 2, 0.4)


def test_a_name_introduced_in_an_unknown_year(tmp_path: Path) -> None:
    """Nothing says that others used it before."""
    records = [paper("bank", "BigBank: a Bank", year=None), paper("uses", "In BigBank", year=2001)]
    with unsynced(), make(tmp_path / "library", records) as library:
        scoped = Questions(library).scoped(Query("local", "We use BigBank."))
        (name,) = scoped.named.systems
        assert name.uses(scoped.view, scoped.parameters.text).original == 1.0


def test_an_ordinary_word_with_a_capital_names_nobody(asked: Questions) -> None:
    """Neither an author nor a system, at the beginning of a sentence or of what counts twice after it."""
    for text in ("See, e.g., TARGETCIT, . See, e.g., ", "Note that it rises. See TARGETCIT."):
        named = named_in(asked.index, text)
        assert not len(named.authors) + len(named.authors_before) + len(named.introduced), text
    named = named_in(asked.index, "Pointers are used by See et al. TARGETCIT, called Note.")
    assert set(asked.ids(named.authors_before)) == {"see"}
    assert set(asked.ids(named.introduced)) == {"see"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the Ashby-Berg equation", {"first", "again", "uses"}),
        ("the Ashby–Berg equation", {"first", "again", "uses"}),
        ("an Ashby-optimal tree", {"first", "uses"}),
        ("See-Ashby's law", {"first", "uses", "see"}),
        ("with See-Through Trees", set()),
        ("with non-ashby-like SEE-BERG", set()),
    ],
)
def test_a_hyphenated_name_is_that_of_several(asked: Questions, text: str, found: set[str]) -> None:
    """A capitalised part names an author, unless it is an ordinary word without a surname behind it."""
    assert set(asked.ids(named_in(asked.index, text).first_authors)) == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TreeNet", [True]),
        ("treenet", [True]),
        ("moses", [True]),
        ("the moses decoder", [False]),
        ("we use moses for all of it", []),
        ("moses TARGETCIT", []),
    ],
)
def test_a_few_words_in_small_letters_may_be_names(asked: Questions, text: str, expected: list[bool]) -> None:
    """Whether each name counts as written as only names are; a word alone is nothing but a name."""
    assert [each.marked for each in asked.scoped(Query("local", text)).named.systems] == expected


def test_surnames_in_small_letters(asked: Questions) -> None:
    """Ordinary words are nobody's."""
    assert asked.ids(named_in(asked.index, "ashby 2001").first_authors) == ["first", "uses"]
    assert not len(named_in(asked.index, "see trees").first_authors)

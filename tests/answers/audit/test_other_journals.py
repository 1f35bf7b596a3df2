"""Audits: venues and titles of other papers, which are known from the papers of a library alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from small_library import make

from citewhy.answers.audit import LibraryPapers, ListedEntries, ListedPapers, Papers, audit
from citewhy.answers.audit.venues import share_a_word
from citewhy.answers.audit.verdicts import AuditedEntry
from citewhy.base.records import Paper, Publication, Reference
from citewhy.papers.library.store import Library
from citewhy.search.index import open_index


def article(number: int, journal: str, stem: str, first_page: int = 0) -> Paper:
    pages = f"{first_page}-{first_page + 9}" if first_page else ""
    return Paper(
        f"{journal}-{number}",
        f"Measured Growth of {('Alpine', 'Boreal', 'Coastal', 'Desert')[number]} Plants in {journal} Plots",
        authors=(f"Ann {journal}sen{number}", f"Bo {journal}vist"),
        year=2010 + number,
        venue=journal,
        doi=f"{stem}{number}",
        publication=Publication(
            type="article-journal", container=journal, volume=str(number + 3), pages=pages
        ),
    )


ECOLOGY = [article(number, "Ecology", "10.1890/ecol-", 100 + 20 * number) for number in range(4)]
OIKOS = [article(number, "Oikos", "10.1111/j.oikos.") for number in range(4)]


@pytest.fixture(params=["library", "files"])
def papers(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Papers]:
    """The same papers, as a library has them and as files have them."""
    if request.param == "files":
        yield ListedPapers([*ECOLOGY, *OIKOS])
        return
    make(tmp_path / "library", [*ECOLOGY, *OIKOS]).close()
    with Library.open(tmp_path / "library") as library:
        yield LibraryPapers(library, open_index(library))


def audited(papers: Papers, paper: Paper) -> AuditedEntry:
    lists = [ListedEntries("a.bib", (Reference("a", replace(paper, id="a")),))]
    (entry,) = audit(lists, papers, this_year=2026).entries
    return entry


def in_journal(paper: Paper, journal: str) -> Paper:
    assert paper.publication is not None
    return replace(paper, venue=journal, publication=replace(paper.publication, container=journal))


def test_another_journal_whose_papers_have_other_dois(papers: Papers) -> None:
    entry = audited(papers, in_journal(ECOLOGY[1], "Oikos"))
    assert [(one.field, one.says, one.known) for one in entry.differences] == [("venue", "Oikos", "Ecology")]
    assert not entry.certain


@pytest.mark.parametrize("journal", ["Plant Letters", "Ecol. Soc. Am.", "Ecology and Evolution"])
def test_of_journals_that_may_be_one_nothing_is_said(papers: Papers, journal: str) -> None:
    """The library has no papers of the first; the others share a word with the library's name."""
    assert audited(papers, in_journal(ECOLOGY[1], journal)).verdict == "known"


def test_a_journal_with_the_same_dois_is_the_same(tmp_path: Path) -> None:
    """A translated name has the journal's own DOIs."""
    translated = [in_journal(replace(paper, id=f"t{paper.id}"), "Okologie heute") for paper in ECOLOGY]
    translated = [replace(paper, title=f"Zur {paper.title}", doi=f"{paper.doi}t") for paper in translated]
    papers = ListedPapers([*ECOLOGY, *translated])
    assert audited(papers, in_journal(ECOLOGY[1], "Okologie heute")).verdict == "known"


def test_the_title_of_another_paper_at_the_pages_of_one(papers: Papers) -> None:
    entry = audited(papers, replace(ECOLOGY[1], title=OIKOS[3].title, doi="", year=ECOLOGY[1].year))
    assert entry.verdict == "mixed"
    assert entry.paper is not None
    assert entry.other is not None
    assert (entry.paper.id, entry.other.id) == (OIKOS[3].id, ECOLOGY[1].id)
    assert entry.parts == ("authors",)


def test_an_unknown_title_at_the_pages_of_a_paper(papers: Papers) -> None:
    entry = audited(papers, replace(ECOLOGY[1], title="Whales that Sing in Deep Waters", doi=""))
    assert [one.field for one in entry.differences] == ["title"]
    other_pages = replace(ECOLOGY[1].publication or Publication(), pages="7-9")
    unknown = replace(ECOLOGY[1], title="Whales that Sing in Deep Waters", doi="", publication=other_pages)
    assert audited(papers, unknown).verdict == "unknown"


def test_a_year_that_is_far_off_beside_title_and_authors_alone(papers: Papers) -> None:
    bare = replace(ECOLOGY[1], venue="", doi="", publication=None)
    assert audited(papers, bare).verdict == "known"
    entry = audited(papers, replace(bare, year=1999))
    assert [(one.field, one.certain) for one in entry.differences] == [("year", False)]


def test_names_that_share_a_word() -> None:
    assert share_a_word("Phys. Rev. B", "Physical Chemistry")
    assert share_a_word("PRB", "Physical Review B")
    assert not share_a_word("Ecology", "Oikos")

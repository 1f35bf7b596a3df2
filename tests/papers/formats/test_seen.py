"""Papers of one file that share an id."""

from __future__ import annotations

from citewhy.base.import_report import ImportReport
from citewhy.base.records import Paper
from citewhy.papers.formats.fields import Seen


def placed(*papers: tuple[str, str]) -> tuple[list[str | None], ImportReport]:
    """The ids that the papers get."""
    report = ImportReport()
    seen = Seen("refs.bib", report)
    found = [seen.placed(Paper(identifier, title), None) for identifier, title in papers]
    return [paper.id if paper else None for paper in found], report


def test_another_title_is_another_paper() -> None:
    ids, report = placed(("a", "Trees"), ("a", "Banks"), ("a", "trees!"), ("a", "banks"), ("a", "Banks"))
    assert ids == ["a", "a#2", None, None, None]
    assert (report.warned, report.again, report.skipped) == (4, 3, 0)


def test_an_id_that_is_taken_is_not_given_again() -> None:
    ids, _ = placed(("a#2", "Roots"), ("a", "Trees"), ("a", "Banks"), ("a", "Roots"), ("a#2", "Leaves"))
    assert ids == ["a#2", "a", "a#3", None, "a#2#2"]


def test_at_most_twenty_papers_share_an_id() -> None:
    """The others are skipped; a repetition of one of the twenty is still only noted."""
    ids, report = placed(*(("a", f"Trees {n}") for n in range(23)), ("a", "trees 19"))
    assert ids == ["a", *(f"a#{n}" for n in range(2, 21)), None, None, None, None]
    assert (report.skipped, report.again) == (3, 1)


def test_titles_without_latin_letters_are_compared_as_they_are() -> None:
    ids, report = placed(("a", "树"), ("a", "银行"), ("a", "树"))
    assert ids == ["a", "a#2", None]
    assert report.again == 1

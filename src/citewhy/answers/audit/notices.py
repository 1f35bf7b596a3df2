"""Retractions, withdrawals, expressions of concern and corrections of the papers of entries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from citewhy.answers.audit.verdicts import Remark
from citewhy.base.records import Notice, Paper
from citewhy.papers.library.notices import matching, rows_of_notice, standing
from citewhy.text.taken_back import TAKEN_BACK, mark_in

FindNotices = Callable[[Sequence[Paper]], list[list[Notice]]]
"""The notices on each of many papers, as `Library.notices`."""

_Kind = Literal["retracted", "withdrawn", "concern", "corrected"]
_ORDER: tuple[_Kind, ...] = ("retracted", "withdrawn", "concern", "corrected")


def listed(notices: Iterable[Notice]) -> FindNotices:
    """Finds among notices that files have."""
    rows = [row for notice in notices for row in rows_of_notice(notice)]
    return lambda papers: matching(papers, rows)


def of_all(sources: Sequence[FindNotices]) -> FindNotices:
    """Finds in several sources, of which some may say the same."""

    def find(papers: Sequence[Paper]) -> list[list[Notice]]:
        answers = [source(papers) for source in sources]
        return [[one for some in each for one in some] for each in zip(*answers, strict=True)] or [
            [] for _ in papers
        ]

    return find


def remarks_on(papers: Sequence[Paper], notices: Iterable[Notice]) -> Iterator[Remark]:
    """Yields a remark for each kind of notice on an entry: `papers` are the entry, and the library's record
    of it if there is one. What was reinstated later is not remarked."""
    latest = standing(notices)
    for kind in _ORDER:
        if kind in latest:
            notice = latest[kind]
            yield Remark(kind, _text(notice), notice.is_by_number and kind != "corrected")
    for paper in papers:
        marked = mark_in(paper.title)
        if marked and not latest.keys() & TAKEN_BACK:
            yield Remark(marked, f"its title says so: “{paper.title}”", certain=True)
            return


def _text(notice: Notice) -> str:
    text = notice.facts or "it is not said when and why"
    unsure = "; found by title and year, so look whether it is this paper"
    return text if notice.is_by_number else text + unsure

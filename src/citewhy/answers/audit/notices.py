"""Retractions, withdrawals, expressions of concern and corrections of the papers of entries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from citewhy.answers.audit.verdicts import Remark
from citewhy.base.records import Notice, Paper
from citewhy.papers.library.notices import matching, rows_of_notice, standing
from citewhy.text.taken_back import mark_in

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
            sure = _is_sure(latest[kind])
            yield Remark(kind, _text(latest[kind], sure), sure and kind != "corrected")
    for paper in papers:
        marked = mark_in(paper.title)
        if marked and not latest.keys() & {"retracted", "withdrawn"}:
            yield Remark(marked, f"its title says so: “{paper.title}”", certain=True)
            return


def _is_sure(notice: Notice) -> bool:
    """Whether a notice was found by a number of the paper."""
    return bool(notice.doi or notice.pmid)


def _text(notice: Notice, sure: bool) -> str:
    address = f"https://doi.org/{notice.notice_doi}" if notice.notice_doi else ""
    text = ", ".join(filter(None, [notice.date, address, notice.reason])) or "it is not said when and why"
    return text if sure else f"{text}; found by title and year, so look whether it is this paper"

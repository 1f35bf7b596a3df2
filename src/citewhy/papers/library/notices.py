"""What was said of papers after they appeared: retractions, concerns, corrections. It is kept by the names of
papers, which need not be in the library, so that an audit can tell of any entry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import cast

from citewhy.base.records import Notice, NoticeKind, Paper
from citewhy.papers.library.change import Change
from citewhy.papers.library.checked import LayeredDatabase, pieces
from citewhy.papers.library.database import Database
from citewhy.papers.library.schema import NOTICES, NoticeRow, has
from citewhy.text.names import title_key

_ROWS_AT_ONCE = 2000
_KEY = 5
"""Fields of a row that are its key."""
_TITLE = "title:"
_FEWEST_LETTERS = 30
"""Letters of a title that hardly two papers of a year share."""
_YEARS_APART = 1
"""Papers are online before they are printed."""


def names_of(named: Notice | Paper) -> list[str]:
    """The names by which a paper is known to notices: its numbers, and its title where it is long enough."""
    told = named if isinstance(named, Notice) else named.publication
    pmid = told.pmid if told else ""
    names = [f"doi:{named.doi}"] if named.doi else []
    names += [f"pmid:{pmid}"] if pmid else []
    title = title_key(named.title)
    if len(title) >= _FEWEST_LETTERS:
        names.append(_TITLE + title)
    return names


def rows_of_notice(notice: Notice) -> Iterator[NoticeRow]:
    """A row for each name of the paper."""
    said = (notice.kind, notice.date, notice.notice_doi)
    of_paper = (notice.doi, notice.pmid, notice.year or 0)
    for name in names_of(notice):
        yield NoticeRow(name, *said, *of_paper, notice.reason)


def add_notices(change: Change, notices: Iterable[Notice]) -> None:
    """Adds what is not known yet."""
    for piece in pieces(notices, _ROWS_AT_ONCE):
        rows = [list(rows_of_notice(notice)) for notice in piece]
        names = {row.name for some in rows for row in some}
        known = {row[:_KEY]: row for row in NOTICES.where(change.db, "name", names)}
        for some in rows:
            fresh = [row for row in some if known.get(row[:_KEY]) != row]
            known.update((row[:_KEY], row) for row in fresh)
            (change.new if fresh else change.unchanged)["notices"] += 1
            NOTICES.put(change.db, fresh)


def find_notices(db: Database, papers: Sequence[Paper]) -> list[list[Notice]]:
    """The notices on each of the papers, the latest last (`matching`)."""
    return matching(papers, _rows(db, {name for paper in papers for name in names_of(paper)}))


def matching(papers: Sequence[Paper], rows: Iterable[NoticeRow]) -> list[list[Notice]]:
    """The notices on each of the papers that the rows have, the latest last. A paper is found by its DOI or
    PMID; by its title and year where no DOI contradicts, and then the notice has neither of them."""
    by_name: dict[str, list[NoticeRow]] = defaultdict(list)
    for row in rows:
        by_name[row.name].append(row)
    return [
        _of(paper, [row for name in names_of(paper) for row in by_name.get(name, ())]) for paper in papers
    ]


def standing(notices: Iterable[Notice]) -> dict[NoticeKind, Notice]:
    """The latest notice of each kind that still stands, one found by a number before others of its day. What
    was reinstated later does not stand, but its corrections do."""
    latest: dict[NoticeKind, Notice] = {}
    for notice in sorted(notices, key=lambda one: (one.date, one.is_by_number)):
        if notice.kind == "reinstated":
            latest = {"corrected": latest["corrected"]} if "corrected" in latest else {}
        else:
            latest[notice.kind] = notice
    return latest


def all_notices(db: Database) -> Iterator[Notice]:
    """All notices, those of several names several times."""
    for level in _levels(db):
        if has(level, NOTICES):
            for row in NOTICES.own_rows(level):
                yield replace(_notice(row), doi=row.doi, pmid=row.pmid)


def _of(paper: Paper, rows: Iterable[NoticeRow]) -> list[Notice]:
    found: dict[tuple[str, ...], Notice] = {}
    for row in rows:
        if not row.name.startswith(_TITLE) or _may_be(row, paper):
            found.setdefault((row.kind, row.date, row.notice_doi), _notice(row))
    return sorted(found.values(), key=lambda notice: notice.date)


def _notice(row: NoticeRow) -> Notice:
    by_title = row.name.startswith(_TITLE)
    return Notice(
        cast(NoticeKind, row.kind),
        "" if by_title else row.doi,
        "" if by_title else row.pmid,
        row.name.removeprefix(_TITLE) if by_title else "",
        row.year or None,
        row.date,
        row.notice_doi,
        row.reason,
    )


def _may_be(row: NoticeRow, paper: Paper) -> bool:
    """Whether year and DOI allow that a paper of the same title is that of a notice."""
    if row.doi and paper.doi and row.doi != paper.doi:
        return False
    return bool(row.year and paper.year) and abs(row.year - (paper.year or 0)) <= _YEARS_APART


def _levels(db: Database) -> list[Database]:
    """A library, and those below it."""
    levels = [db]
    while isinstance(levels[-1], LayeredDatabase):
        levels.append(levels[-1].below)
    return levels


def _rows(db: Database, names: set[str]) -> Iterator[NoticeRow]:
    """The rows under these names, also where a library below is of a version without notices."""
    levels = _levels(db)
    if all(has(level, NOTICES) for level in levels):
        yield from NOTICES.where(db, "name", names)
        return
    for level in levels:
        if has(level, NOTICES):
            yield from (row for row in NOTICES.own_rows(level) if row.name in names)

"""A backtest for a terminal of 80 columns: the report, a row a draft, and what could not be asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from citewhy.backtest.measuring import MEASURES, Backtest
from citewhy.evaluation import report

__all__ = ["as_text"]

_NAME = 26
"""Columns for the name of a draft."""


def as_text(found: Backtest) -> str:
    """Measures of all drafts together, then of each where there are several."""
    parts = [report.as_text(found.report)]
    if len(found.drafts) > 1:
        parts.append("\n".join(_table(found)))
    parts.append("\n".join(_left_out(found)))
    return "\n\n".join(parts)


def _table(found: Backtest) -> Iterator[str]:
    yield _line("draft", "year", "places", "papers", list(MEASURES))
    for draft, measures in zip(found.drafts, found.by_draft(), strict=True):
        papers = sum(len(topic.relevant) for topic in draft.topics)
        values = [f"{measures[name]:.3f}" if measures else "–" for name in MEASURES]
        name = Path(draft.manuscript.path).name
        yield _line(name, str(draft.year), str(len(draft.topics)), str(papers), values)
    whole = found.report
    means = whole.system.scores.means()
    values = [f"{means[name]:.3f}" for name in MEASURES]
    yield _line("together", "", str(whole.queries), str(whole.judgements), values)


def _line(name: str, year: str, places: str, papers: str, values: list[str]) -> str:
    short = name if len(name) <= _NAME else f"{name[: _NAME - 8]}…{name[-7:]}"
    return f"{short:{_NAME}}  {year:>4}  {places:>6}  {papers:>6}" + "".join(
        f"  {value:>5}" for value in values
    )


def _left_out(found: Backtest) -> Iterator[str]:
    drafts = found.drafts
    cited = sum(draft.cited for draft in drafts)
    strangers = sum(len(draft.not_in_library) for draft in drafts)
    newer = sum(len(draft.newer) for draft in drafts)
    still_open = sum(draft.open for draft in drafts)
    problems = sum(len(draft.manuscript.problems) for draft in drafts)
    yield f"{cited:,} references are cited; {strangers:,} of them are not in the library, and not asked for"
    if newer:
        yield f"{newer:,} are newer than the year asked, and not asked for"
    if still_open:
        yield f"{still_open:,} open citations, whose answer nobody knows, are not asked for"
    if problems:
        yield f"{problems:,} remarks on the drafts; --json has them, and the keys that were left out"

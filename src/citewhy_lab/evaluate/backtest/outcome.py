"""The outcome of a backtest: the report, a row for each draft, and what could not be asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewhy.text.counted import counted, inflected
from citewhy_lab.evaluate.backtest.hiding import Hidden
from citewhy_lab.evaluate.report import Report

__all__ = ["MEASURES", "Backtest"]

MEASURES = ("R@1", "R@5", "R@10", "RR")

_NAME = 26
"""Width of the column for the name of a draft."""


@dataclass(frozen=True, slots=True)
class Backtest:
    """The queries of each draft, and a report on all of them.

    `report.system.answers.run` has the answer to each topic of `drafts`, with its scores.
    """

    drafts: tuple[Hidden, ...]
    report: Report

    def document(self) -> dict[str, Any]:
        """The JSON document; `docs/evaluation.md` explains its fields."""
        rows = zip(self.drafts, self.by_draft(), strict=True)
        return {
            **self.report.document(),
            "places": self.report.queries,
            "drafts": [_row(draft, measures) for draft, measures in rows],
        }

    def by_draft(self) -> list[dict[str, float]]:
        """Measures of each draft alone; empty for one without places."""
        scores = self.report.system.scores
        found, start = [], 0
        for draft in self.drafts:
            own = slice(start, start + len(draft.topics))
            judgements = max(1.0, scores.weights[own].sum())
            means = {name: float(values[own].sum() / judgements) for name, values in scores.sums.items()}
            found.append(means if draft.topics else {})
            start = own.stop
        return found

    def text(self) -> str:
        """Measures of all drafts together, then of each if there are several; for 80 columns."""
        return "\n\n".join([self.report.text(), *("\n".join(part) for part in self._parts())])

    def markdown(self) -> str:
        parts = ("\n".join(["```text", *part, "```", ""]) for part in self._parts())
        return "\n".join([self.report.markdown(), "## Drafts", "", *parts])

    def run(self) -> bytes:
        """The rankings as a TREC run."""
        return self.report.run()

    def plot(self) -> str:
        """The reliability diagram; see `Report.plot`."""
        return self.report.plot()

    def _parts(self) -> list[list[str]]:
        tables = [list(_table(self))] if len(self.drafts) > 1 else []
        return [*tables, list(_left_out(self))]


def _row(draft: Hidden, measures: dict[str, float]) -> dict[str, Any]:
    return {
        "file": draft.manuscript.path,
        "year": draft.year,
        "places": len(draft.topics),
        "judgements": sum(len(topic.relevant) for topic in draft.topics),
        "measures": measures,
        "cited": draft.cited,
        "keys_not_in_library": list(draft.not_in_library),
        "keys_newer": list(draft.newer),
        "open": draft.open,
        "problems": list(draft.manuscript.problems),
    }


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
    told = f"{counted(cited, 'reference')} {inflected(cited, 'is', 'are')} cited"
    if strangers:
        are = inflected(strangers, "is", "are")
        yield f"{told}; {strangers:,} of them {are} not in the library, and not asked for"
    else:
        yield f"{told}, and the library has {inflected(cited, 'it', 'them all')}"
    if newer:
        yield f"{newer:,} {inflected(newer, 'is', 'are')} newer than the year asked, and not asked for"
    if still_open:
        those = counted(still_open, "open citation")
        yield f"{those}, whose answer nobody knows, {inflected(still_open, 'is', 'are')} not asked for"
    if problems:
        yield f"{counted(problems, 'remark')} on the drafts; --json has them, and the keys that were left out"

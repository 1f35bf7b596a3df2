"""Asks the pipeline that is served for every hidden citation, and scores what it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewhy.backtest.hiding import Hidden, hide_citations
from citewhy.corpus.store import Library
from citewhy.errors import QueryError
from citewhy.evaluation.asking import Asker
from citewhy.evaluation.compare import compare
from citewhy.evaluation.making import file_facts, library_facts, peak_rss_mb, software
from citewhy.evaluation.report import Report
from citewhy.pipeline import Recommender
from citewhy.records import Manuscript

__all__ = ["DEPTH", "MEASURES", "Backtest", "backtest"]

MEASURES = ("R@1", "R@5", "R@10", "RR")

DEPTH = 1000
"""Candidates a place; `RR` sees no deeper."""


@dataclass(frozen=True, slots=True)
class Backtest:
    """The questions of each draft, and one report on all of them.

    `report.system.answers.run` has the answer to each topic of `drafts`, with the scores it was ranked by.
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
        """Measures of each draft alone; empty for one without a place."""
        scores = self.report.system.scores
        found, start = [], 0
        for draft in self.drafts:
            own = slice(start, start + len(draft.topics))
            judgements = max(1.0, scores.weights[own].sum())
            means = {name: float(values[own].sum() / judgements) for name, values in scores.sums.items()}
            found.append(means if draft.topics else {})
            start = own.stop
        return found


def backtest(
    library: Library,
    manuscripts: Sequence[Manuscript],
    year: int | None,
    pipeline: str,
    baseline: str | None,
    seed: int,
    tell: Callable[[str, float | None], None],
) -> Backtest:
    """Measures `pipeline` (and `baseline`, a pipeline or the path of a TREC run) on finished drafts.

    `year` None: as of each draft's own. Raises QueryError for a draft without a year, for names that do not
    exist, and where the library has none of the papers that the drafts cite.
    """
    drafts = hide_citations(library, manuscripts, year)
    topics = [topic for draft in drafts for topic in draft.topics]
    if not topics:
        raise QueryError(
            f"the library has none of the papers that {_named(manuscripts)} could have cited then",
            hint="add them with `citewhy add`, or name the right library with --library",
        )
    ask = Asker(
        topics,
        DEPTH,
        MEASURES,
        "judgements",
        seed,
        lambda name: Recommender(library, name),  # type: ignore[arg-type] # it checks the name
        library.canonical,
        tell,
    )
    system = ask.pipeline(pipeline)
    memory = peak_rss_mb()  # of the measured pipeline, before a baseline adds its own
    other = None if baseline is None else ask.baseline(baseline)
    options = {"pipeline": pipeline, "baseline": baseline, "as-of": year}
    report = Report(
        task="backtest",
        file=_named(manuscripts),
        queries=len(topics),
        judgements=sum(len(topic.relevant) for topic in topics),
        average="judgements",
        not_in_library=0,  # a paper that the library does not have is not asked for
        pool_kind="all",
        depth=DEPTH,
        system=system,
        baseline=other,
        difference={} if other is None else compare(system.scores, other.scores, seed),
        peak_rss_mb=memory,
        made={
            "data": [*_files(manuscripts, baseline), {"library": library_facts(library)}],
            "options": options,
            "seed": seed,
            "software": software(),
        },
    )
    return Backtest(tuple(drafts), report)


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


def _named(manuscripts: Sequence[Manuscript]) -> str:
    return Path(manuscripts[0].path).name if len(manuscripts) == 1 else f"{len(manuscripts)} drafts"


def _files(manuscripts: Sequence[Manuscript], baseline: str | None) -> list[dict[str, Any]]:
    paths = [Path(file) for each in manuscripts for file in (*each.files, *each.bibliographies)]
    if baseline is not None and Path(baseline).is_file():
        paths.append(Path(baseline))
    return [file_facts(path) for path in dict.fromkeys(paths)]

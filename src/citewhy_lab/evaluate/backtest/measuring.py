"""Runs the pipeline for every hidden citation and scores the answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.base.records import Manuscript
from citewhy.ranking.recommender import PIPELINES
from citewhy.session.session import Session
from citewhy_lab.evaluate.asking import Asker, check_baseline
from citewhy_lab.evaluate.backtest.hiding import hide_citations
from citewhy_lab.evaluate.backtest.outcome import MEASURES, Backtest
from citewhy_lab.evaluate.copies import copies_note
from citewhy_lab.evaluate.making import library_facts, made

__all__ = ["DEPTH", "backtest"]

DEPTH = 1000
"""Candidates for each place; `RR` sees no deeper."""


def backtest(
    session: Session,
    manuscripts: Sequence[Manuscript],
    year: int | None,
    baseline: str | None,
    seed: int,
    progress: Progress,
) -> Backtest:
    """Measures the session's pipeline (and `baseline`, a pipeline or the path of a TREC run) on finished
    drafts.

    `year` None: as of each draft's own. Raises QueryError for a draft without a year, for unknown names, and
    if none of the papers that the drafts cite is in the library.
    """
    check_baseline(baseline, PIPELINES)
    library, pipeline, models = session.library, session.pipeline, session.models
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
        lambda name: session.recommender(name, progress=progress),  # type: ignore[arg-type] # it checks the name
        library.canonical,
        progress,
    )
    files = [Path(file) for each in manuscripts for file in (*each.files, *each.bibliographies)]
    options = {
        "pipeline": pipeline,
        "encoder": models.encoder and models.encoder.name,
        "ranker": models.ranker and models.ranker.name,
        "baseline": baseline,
        "as-of": year,
    }
    report = ask.report(
        "backtest",
        _named(manuscripts),
        pipeline,
        baseline,
        pool_kind="all",
        notes=copies_note(topics),
        made=made(files, baseline, library_facts(library), options, seed),
    )
    return Backtest(tuple(drafts), report)


def _named(manuscripts: Sequence[Manuscript]) -> str:
    return Path(manuscripts[0].path).name if len(manuscripts) == 1 else f"{len(manuscripts)} drafts"

"""A backtest: every citation of finished drafts is hidden in turn, and the pipeline asked for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.base.records import Manuscript
from citewhy.ranking.rank.ranker import PIPELINES
from citewhy.session.session import Session
from citewhy.text.counted import counted, inflected
from citewhy_lab.evaluate.backtest.hiding import HiddenDraft, copies_note, hide_citations
from citewhy_lab.evaluate.making import library_facts, made
from citewhy_lab.evaluate.outcome import Outcome, Section
from citewhy_lab.evaluate.ranking import Asker, check_baseline

DEPTH = 1000
"""Candidates for each hidden citation; `RR` sees no deeper."""

MEASURES = ("R@1", "R@5", "R@10", "RR")

_NAME = 26
"""Width of the column for the name of a draft."""


@dataclass(frozen=True, slots=True)
class Backtest:
    """The queries of each draft, and the outcome of all of them.

    `outcome.rankings` has the answer to each topic of `drafts`, with its scores.
    """

    drafts: tuple[HiddenDraft, ...]
    outcome: Outcome

    def by_draft(self) -> list[dict[str, float]]:
        """Returns the measures of each draft alone; empty for one without hidden citations."""
        return measures_by_draft(self.drafts, self.outcome)


def backtest(
    session: Session,
    manuscripts: Sequence[Manuscript],
    year: int | None,
    baseline: str | None,
    seed: int,
    progress: Progress,
    *,
    so_far: bool = False,
) -> Backtest:
    """Measures the session's pipeline (and `baseline`, a pipeline or the path of a TREC run) on finished
    drafts.

    `year` None: as of each draft's own. With `so_far`, what is written behind each place is hidden, too, and
    what the pipeline finds without the entries that are not cited before it is told besides. Raises
    QueryError for a draft without a year, for unknown names, and if none of the papers that the drafts cite
    is in the library.
    """
    check_baseline(baseline, PIPELINES)
    if not any(marker.keys for manuscript in manuscripts for marker in manuscript.markers):
        several = "have" if len(manuscripts) > 1 else "has"
        raise QueryError(
            f"{_named(manuscripts)} {several} no citations to hide",
            hint="give a finished paper; an unfinished one is for: citewhy suggest",
        )
    pipeline, models = session.pipeline, session.models
    library = session.recommender(drafts=manuscripts, progress=progress).library
    drafts = hide_citations(library, manuscripts, year, "text" if so_far else "finished")
    topics = [topic for draft in drafts for topic in draft.topics]
    if not topics:
        raise QueryError(
            f"the library has none of the papers that {_named(manuscripts)} could have cited then",
            hint="add them with: citewhy add FILE…; or name the right library with --library",
        )
    ask = Asker(
        topics,
        DEPTH,
        MEASURES,
        "judgements",
        seed,
        lambda name: session.recommender(name, drafts=manuscripts, progress=progress),  # type: ignore[arg-type] # it checks the name
        library.canonical,
        progress,
    )
    files = [
        Path(file) for manuscript in manuscripts for file in (*manuscript.files, *manuscript.bibliographies)
    ]
    options = {
        "pipeline": pipeline,
        "encoder": models.encoder and models.encoder.name,
        "ranker": models.ranker and models.ranker.name,
        "baseline": baseline,
        "as-of": year,
        "so-far": so_far,
    }
    outcome = ask.outcome(
        "backtest",
        _named(manuscripts),
        pipeline,
        baseline,
        pool_kind="all",
        notes=copies_note(topics),
        made=made(files, baseline, library_facts(library), options, seed),
    )
    outcome = replace(outcome, facts=(*_in_words(outcome, len(topics)), *outcome.facts))
    outcome = _with_drafts(outcome, drafts)
    if so_far:
        hidden = hide_citations(library, manuscripts, year, "entries")
        fewer = replace(ask, topics=[topic for draft in hidden for topic in draft.topics])
        outcome = _with_fewer_entries(outcome, fewer.pipeline(pipeline).column().measures)
    return Backtest(tuple(drafts), outcome)


def _in_words(outcome: Outcome, count: int) -> list[str]:
    """The result in sentences."""
    first, five = (outcome.system.measures[name] for name in ("R@1", "R@5"))
    return [
        f"{counted(count, 'citation')} hidden, one at a time.",
        f"The hidden paper was the first suggestion in {first:.0%}, one of five in {five:.0%}.",
    ]


def _with_fewer_entries(outcome: Outcome, measures: Mapping[str, float]) -> Outcome:
    """Adds what is found without the entries that are not yet cited."""
    values = ", ".join(f"{name} {measures[name]:.3f}" for name in MEASURES)
    lines = [
        "What is written after each citation was hidden.",
        f"Without the entries that are not cited before it: {values}.",
    ]
    return replace(
        outcome,
        facts=(*outcome.facts, *lines),
        tail={**outcome.tail, "without_entries": dict(measures)},
    )


def _named(manuscripts: Sequence[Manuscript]) -> str:
    return Path(manuscripts[0].path).name if len(manuscripts) == 1 else f"{len(manuscripts)} drafts"


# The drafts in the outcome --------------------------------------------------------------------------------


def measures_by_draft(drafts: Sequence[HiddenDraft], outcome: Outcome) -> list[dict[str, float]]:
    """Returns the measures of each draft alone; empty for one without hidden citations."""
    (scores,) = outcome.system.scores
    measures, start = [], 0
    for draft in drafts:
        own = slice(start, start + len(draft.topics))
        judgements = max(1.0, scores.weights[own].sum())
        means = {name: float(values[own].sum() / judgements) for name, values in scores.sums.items()}
        measures.append(means if draft.topics else {})
        start = own.stop
    return measures


def _with_drafts(outcome: Outcome, drafts: Sequence[HiddenDraft]) -> Outcome:
    """Adds a row for each draft, and what could not be asked."""
    measures = measures_by_draft(drafts, outcome)
    rows = zip(drafts, measures, strict=True)
    table = [*_table(drafts, measures, outcome), ""] if len(drafts) > 1 else []
    return replace(
        outcome,
        tail={"places": outcome.head["queries"], "drafts": [_row(*row) for row in rows]},
        sections=[*outcome.sections, Section("Drafts", [*table, *_left_out(drafts)], titled=False)],
    )


def _row(draft: HiddenDraft, measures: dict[str, float]) -> dict[str, Any]:
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


def _table(
    drafts: Sequence[HiddenDraft], by_draft: Sequence[dict[str, float]], outcome: Outcome
) -> Iterator[str]:
    yield _line("draft", "year", "places", "papers", list(MEASURES))
    for draft, measures in zip(drafts, by_draft, strict=True):
        papers = sum(len(topic.relevant) for topic in draft.topics)
        values = [f"{measures[name]:.3f}" if measures else "–" for name in MEASURES]
        name = Path(draft.manuscript.path).name
        yield _line(name, str(draft.year), str(len(draft.topics)), str(papers), values)
    values = [f"{outcome.system.measures[name]:.3f}" for name in MEASURES]
    yield _line("together", "", str(outcome.head["queries"]), str(outcome.head["judgements"]), values)


def _line(name: str, year: str, places: str, papers: str, values: list[str]) -> str:
    short = name if len(name) <= _NAME else f"{name[: _NAME - 8]}…{name[-7:]}"
    return f"{short:{_NAME}}  {year:>4}  {places:>6}  {papers:>6}" + "".join(
        f"  {value:>5}" for value in values
    )


def _left_out(drafts: Sequence[HiddenDraft]) -> Iterator[str]:
    cited = sum(draft.cited for draft in drafts)
    strangers = sum(len(draft.not_in_library) for draft in drafts)
    newer = sum(len(draft.newer) for draft in drafts)
    still_open = sum(draft.open for draft in drafts)
    problems = sum(len(draft.manuscript.problems) for draft in drafts)
    summary = f"{counted(cited, 'reference')} {inflected(cited, 'is', 'are')} cited"
    if strangers:
        are = inflected(strangers, "is", "are")
        yield f"{summary}; {strangers:,} of them {are} not in the library, and not asked for"
    else:
        yield f"{summary}, and the library has {inflected(cited, 'it', 'them all')}"
    if newer:
        yield f"{newer:,} {inflected(newer, 'is', 'are')} newer than the year asked, and not asked for"
    if still_open:
        citations = counted(still_open, "open citation")
        yield f"{citations}, whose answer nobody knows, {inflected(still_open, 'is', 'are')} not asked for"
    if problems:
        yield f"{counted(problems, 'remark')} on the drafts; --json has them, and the keys that were left out"

"""Puts the papers that a sentence, a note or a key names before those that are found by their content."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from citewhy.base.records import Query, Reason, Resolution, Suggestion, UnitAnswer
from citewhy.ranking.recommender import Recommender


def admitted(
    recommender: Recommender,
    query: Query,
    resolutions: Sequence[Resolution],
    allowed: Collection[str] | None = None,
) -> Iterator[Resolution]:
    """Yields the resolutions without the papers that may not be suggested: those that are no candidates of
    the query (`Recommender.admitted`), and those that are not `allowed` (None: all are)."""
    for resolution in resolutions:
        papers = recommender.library.papers(resolution.paper_ids)
        candidates = {paper.id for paper in recommender.admitted(query, list(papers.values()))}
        kept = tuple(
            paper_id
            for paper_id in resolution.paper_ids
            if papers[paper_id].id in candidates and (allowed is None or paper_id in allowed)
        )
        if kept == resolution.paper_ids:
            yield resolution
        else:
            yield replace(resolution, paper_ids=kept) if kept else Resolution(resolution.text)


def suggest_named_first(
    recommender: Recommender,
    query: Query,
    answer: UnitAnswer,
    k: int,
    threshold: float | None,
    own: Collection[str] = (),
) -> list[Suggestion]:
    """Suggests as `Recommender.suggest`. Named papers come first: those that are named for certain, then
    those that alone fit, then several that fit equally, in the order of the ranking. `own` are the papers of
    the draft's bibliography."""
    if not answer.resolutions:
        return recommender.suggest(query, k, threshold=threshold)
    by_paper = _by_paper(answer)
    suggestions = recommender.suggest(query, k, first=lambda _: list(by_paper), threshold=threshold)
    there = {suggestion.paper.id for suggestion in suggestions}
    papers = recommender.library.papers([paper_id for paper_id in by_paper if paper_id not in there][:k])
    beyond = [
        # No candidate for its sentence, which makes it improbable unless it is named for certain.
        Suggestion(
            *(paper, 0.0, (_reason(answer, by_paper[paper_id], own),)),
            probability=_improbable(by_paper[paper_id]),
        )
        for paper_id, paper in papers.items()
    ]
    return named_first(answer, [*suggestions, *recommender.attach(query, beyond)], k, own)


def named_first(
    answer: UnitAnswer, suggestions: Sequence[Suggestion], k: int, own: Collection[str] = ()
) -> list[Suggestion]:
    by_paper = _by_paper(answer)
    every = [_marked(answer, suggestion, by_paper, own) for suggestion in suggestions]
    every.sort(
        key=lambda suggestion: (
            _strength(by_paper[suggestion.paper.id]) if suggestion.paper.id in by_paper else 3
        )
    )
    return every[: max(k, sum(resolution.certain for resolution in answer.resolutions))]


def _by_paper(answer: UnitAnswer) -> dict[str, Resolution]:
    """The strongest resolution of each named paper."""
    by_paper: dict[str, Resolution] = {}
    for resolution in sorted(answer.resolutions, key=_strength):
        for paper_id in resolution.paper_ids:
            by_paper.setdefault(paper_id, resolution)
    return by_paper


def _improbable(resolution: Resolution) -> float | None:
    return None if resolution.certain else 0.0


def _strength(resolution: Resolution) -> int:
    return 0 if resolution.certain else 1 if len(resolution.paper_ids) == 1 else 2


def _marked(
    answer: UnitAnswer, suggestion: Suggestion, by_paper: Mapping[str, Resolution], own: Collection[str]
) -> Suggestion:
    """The suggestion with the reason that it is named, and the undefined key that it alone fits."""
    resolution = by_paper.get(suggestion.paper.id)
    if resolution is None:
        return suggestion
    reasons = tuple(reason for reason in suggestion.reasons if reason.kind != "key")
    alone = len(resolution.paper_ids) == 1 and resolution.text in answer.unit.undefined
    return replace(
        suggestion,
        reasons=(_reason(answer, resolution, own), *reasons),
        for_key=resolution.text if alone else "",
    )


def _reason(answer: UnitAnswer, resolution: Resolution, own: Collection[str]) -> Reason:
    key = resolution.text in answer.unit.undefined
    who = f"your undefined key “{resolution.text}”" if key else f"your note “{resolution.text.strip()}”"
    several = len(resolution.paper_ids)
    if several > 1:
        fits = f"fits it and {several - 1} other paper{'' if several == 2 else 's'} in your library equally"
    elif resolution.kind in ("id", "doi", "arxiv"):
        fits = {"id": "is its id in your library", "doi": "has its DOI", "arxiv": "has its number at arXiv"}[
            resolution.kind
        ]
    elif resolution.kind == "name":
        fits = "is a name that it introduces"
    else:
        where = "of your bibliography" if resolution.paper_ids[0] in own else "in your library"
        fits = "names it" if resolution.certain else f"fits it and no other paper {where}"
    if resolution.kind == "again":
        who, fits = f"“{resolution.text}”", "means the citation before it"
    elif resolution.kind == "authors":
        who = f"“{resolution.text}” at the citation"
    elif answer.unit.marker is None:  # a typed sentence
        who = f"“{resolution.text}” in your text"
    return Reason("key", f"{who} {fits}", 1.0)
